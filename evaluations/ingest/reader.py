"""One reader for every format: lists of up to a thousand rows, with their numbers and lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from . import csv, json_array, jsonl, parquet
from .findings import FileError, FileWarning, Findings, RefusedRow, RowError
from .formats import Format, Limits
from .record import JSON, Record

BATCH_ROWS = 1_000
BATCH_SIZE = 8_000_000
FORMATS = {"csv": csv.records, "jsonl": jsonl.records, "json": json_array.records, "parquet": parquet.records}


@dataclass(frozen=True)
class Batch:
    """Good rows in file order.

    `lines[i]` is the physical line on which `rows[i]` begins (in Parquet the row number), `numbers[i]` its
    number among the data rows, from 1; refused rows have a number too.
    """

    numbers: list[int]
    lines: list[int]
    rows: list[dict[str, JSON]]


class Reader:
    """Iterate once, over batches or over records. Raises FileError where the file cannot be read on.

    columns are in order of appearance and complete when exhausted; errors are the first `limits.errors_kept`,
    counted all, by code; warnings begin with those of the format; bytes_read is how far into the file.
    """

    def __init__(self, file: BinaryIO, fmt: Format, limits: Limits):
        self.format, self.limits = fmt, limits
        self._file = file
        self._findings = Findings(limits.errors_kept)

    def records(self) -> Iterator[Record]:
        """One by one, the refused ones too (their row is None)."""
        number = 0
        for record in FORMATS[self.format.kind](self._file, self.format, self.limits, self._findings):
            number = record[0]
            if number > self.limits.rows:
                raise FileError("rows_limit", f"The file has more than {self.limits.rows:,} rows.")
            yield record
        if not number:
            raise FileError("no_rows", "The file has no rows of data.")
        if not self.columns and not self.error_count:
            raise FileError("no_columns", "No object has a field: the rows have no columns.")

    def __iter__(self) -> Iterator[Batch]:
        """Batches of up to 1 000 rows, fewer where they are large."""
        good: list[tuple[int, int, dict[str, JSON]]] = []
        total = 0
        for number, line, row, size in self.records():
            if row is None:
                continue
            good.append((number, line, row))
            total += size
            if len(good) == BATCH_ROWS or total > BATCH_SIZE:
                yield Batch(*map(list, zip(*good, strict=True)))
                good, total = [], 0
        if good:
            yield Batch(*map(list, zip(*good, strict=True)))

    @property
    def columns(self) -> list[str]:
        return self._findings.columns

    @property
    def errors(self) -> list[RowError]:
        return self._findings.errors

    @property
    def refused(self) -> list[RefusedRow]:
        """The first refused rows with their cells, up to a thousand and four million characters."""
        return self._findings.refused

    @property
    def error_counts(self) -> Mapping[str, int]:
        return self._findings.error_counts

    @property
    def error_count(self) -> int:
        return self._findings.error_counts.total()

    @property
    def warnings(self) -> list[FileWarning]:
        return [*self.format.warnings, *self._findings.warnings]

    @property
    def bytes_read(self) -> int:
        known = self._findings.bytes_read
        return self._file.tell() if known is None else known


def open_rows(file: BinaryIO, fmt: Format, limits: Limits | None = None) -> Reader:
    """A Reader over a seekable binary file."""
    return Reader(file, fmt, limits or Limits())
