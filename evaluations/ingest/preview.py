"""The first rows of a file, for the page on which the user confirms how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from .findings import FileWarning, RowError
from .formats import Format, Limits
from .reader import JSON


@dataclass(frozen=True)
class Preview:
    """`rows` are the first 20; columns, errors and warnings come from the first 1 000 records."""

    format: Format
    columns: list[str]
    rows: list[dict[str, JSON]]
    errors: list[RowError]
    error_counts: dict[str, int]
    warnings: list[FileWarning]
    output_paths: list[str]


def preview(
    file: BinaryIO, filename: str, overrides: Mapping[str, Any] | None = None, limits: Limits | None = None
) -> Preview:
    """Reads only the head of the file; raises FileError if that is impossible."""
    raise NotImplementedError
