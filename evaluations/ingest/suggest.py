"""Which column is what, from exact well-known names only: a wrong guess costs more than a choice."""

from collections.abc import Iterable, Mapping
from typing import Any


def suggest(columns: Iterable[str]) -> dict[str, Any]:
    """{"inputs": [...], "reference": [...], "metadata": [...], "key": name or None}."""
    raise NotImplementedError


def output_paths(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """JSONPaths (RFC 9535) to the texts inside nested objects of these rows: possible outputs, for the user to choose."""
    raise NotImplementedError
