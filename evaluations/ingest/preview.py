"""The first rows of a file, for the page on which the user confirms how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from .findings import FileWarning, RowError
from .formats import Format, Limits
from .reader import open_rows
from .record import JSON
from .sniff import sniff
from .suggest import output_paths

SHOWN = 20
READ = 1_000


@dataclass(frozen=True)
class Preview:
    """`rows` are the first 20, `lines` where they stand; all else comes from the first 1 000 records.

    `row_count` is the number of good rows in the file, or None where there are more than that.
    """

    format: Format
    columns: list[str]
    rows: list[dict[str, JSON]]
    lines: list[int]
    row_count: int | None
    errors: list[RowError]
    error_counts: dict[str, int]
    warnings: list[FileWarning]
    output_paths: list[str]


def preview(
    file: BinaryIO, filename: str, overrides: Mapping[str, Any] | None = None, limits: Limits | None = None
) -> Preview:
    """Reads only the head of the file; raises FileError if that is impossible."""
    fmt = sniff(file, filename, overrides, limits, whole=False)
    reader = open_rows(file, fmt, limits)
    records = reader.records()
    read = [(line, row) for _, line, row, _ in islice(records, READ) if row is not None]
    is_all = next(records, None) is None
    rows = [row for _, row in read]
    return Preview(
        format=fmt,
        columns=list(reader.columns),
        rows=rows[:SHOWN],
        lines=[line for line, _ in read[:SHOWN]],
        row_count=len(rows) if is_all else None,
        errors=reader.errors,
        error_counts=dict(reader.error_counts),
        warnings=reader.warnings,
        output_paths=output_paths(rows),
    )
