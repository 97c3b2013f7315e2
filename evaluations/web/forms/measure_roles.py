"""Columns and paths of what answers took: their variants, and times whose unit nothing says."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations import ingest
from evaluations.ingest.column_names import words_of
from evaluations.ingest.measures import KINDS, UNCLEAR, kind_of

from . import score_roles
from .choice import Choice


def mapping(choices: Iterable[Choice], variants: Sequence[str]) -> dict[str, Any]:
    """`measures` for a mapping of the API; empty if no column has such a role."""
    found: dict[str, dict[str, str]] = {}
    for choice in choices:
        if choice.role in KINDS:
            variant = score_roles.variant_of(choice, variants)
            found.setdefault(choice.role, {})[variant] = choice.source
    return {"measures": found} if found else {}


def unclear(choices: Iterable[Choice], preview: ingest.Preview) -> list[str]:
    """The columns of times that stand beside outputs and have no unit, in names or numbers."""
    listed = [*choices]
    if not any(choice.role == "output" for choice in listed):
        return []
    free = [choice.source for choice in listed if choice.role in ("metadata", "leave out")]
    return [name for name in free if kind_of(words_of(name), _cells(name, preview)) == UNCLEAR]


def _cells(name: str, preview: ingest.Preview) -> list[Any]:
    return [row[name] for row in preview.rows if row.get(name) not in (None, "")]
