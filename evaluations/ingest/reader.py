"""One reader for every format: lists of up to a thousand rows, with their numbers and lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from .findings import FileWarning, RowError
from .formats import Format, Limits

JSON = str | int | float | bool | list[Any] | dict[str, Any] | None


@dataclass(frozen=True)
class Batch:
    """Good rows in file order.

    `lines[i]` is the physical line on which `rows[i]` begins (Parquet has no lines: its row number), `numbers[i]` its
    number among the data rows, from 1; refused rows have a number too.
    """

    numbers: list[int]
    lines: list[int]
    rows: list[dict[str, JSON]]


class Reader:
    """Iterate once. Raises FileError where the file cannot be read on; refused rows are in `errors`.

    columns      names in order of appearance; complete when exhausted
    errors       the first hundred RowErrors; error_count counts all, error_counts by code
    warnings     list of FileWarning, those of the Format first
    bytes_read   how far into the file, for a progress bar
    """

    columns: list[str]
    errors: list[RowError]
    error_count: int
    error_counts: dict[str, int]
    warnings: list[FileWarning]
    bytes_read: int

    def __iter__(self) -> Iterator[Batch]:
        raise NotImplementedError


def open_rows(file: BinaryIO, fmt: Format, limits: Limits | None = None) -> Reader:
    """A Reader over a seekable binary file."""
    raise NotImplementedError
