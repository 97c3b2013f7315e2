"""One reader for all formats, which yields batches of rows and collects problems."""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import BinaryIO

from evaluations.files.formats import ARRANGED, Format, Limits
from evaluations.files.problems import FileError, FileWarning, Problems, RefusedRow, RowError
from evaluations.files.streams import check_values
from evaluations.numerals import grouped

from . import closing_rows, csv, json_array, jsonl, parquet, workbook
from .batch import Batch, batched
from .flattening import Flattening

Batches = Callable[[BinaryIO, Format, Limits, Problems], Iterator[Batch]]
FORMATS: dict[str, Batches] = {
    "csv": csv.batches,
    "jsonl": jsonl.batches,
    "json": batched(json_array.records),
    "parquet": batched(parquet.records),
    "workbook": batched(workbook.records),
}
SHEETS = ("csv", "workbook")  # to which people add rows that sum up


class Reader:
    """An iterator over batches, to be used once; raises `FileError` if the file cannot be read further.

    Columns are in order of appearance, complete at the end. Errors are the first `limits.errors_kept`; their counts
    by code are complete. Warnings begin with those of the format. `bytes_read` is the position in the file.
    """

    def __init__(self, file: BinaryIO, fmt: Format, limits: Limits):
        self.format, self.limits = fmt, limits
        self.is_whole = False  # after `head`: whether the end of the file was reached
        self._file = file
        self._problems = Problems(limits.errors_kept)
        is_flat = not (fmt.nested or any(getattr(fmt, name) for name in ARRANGED))
        self._flat = None if is_flat else Flattening(fmt, limits, self._problems)

    def batches(self) -> Iterator[Batch]:
        """Batches as they are read, including those without valid rows."""
        size = self._file.seek(0, os.SEEK_END)
        limits = self.limits
        if self.format.nested:  # Only the cells of the rows inside have a limit.
            limits = replace(limits, cell_characters=limits.row_characters)
        batches = FORMATS[self.format.kind](self._file, self.format, limits, self._problems)
        if self.format.kind in SHEETS:
            batches = closing_rows.without(batches, self._problems)
        for batch in batches:
            self._check_counts(size)
            yield self._flat.batch(batch) if self._flat else batch
        if self._flat and (rest := self._flat.rest()).lines:
            yield rest
        if not self.rows_seen:
            raise FileError("no_rows", "The file has no rows of data.")
        if not self.columns and not self.error_count:
            raise FileError("no_columns", "No object has a field: the rows have no columns.")

    def _check_counts(self, size: int) -> None:
        if self.rows_seen > self.limits.rows:
            raise FileError("rows_limit", f"The file has more than {grouped(self.limits.rows)} rows.")
        if self.error_count > (maximum := self.limits.unreadable_rows):
            raise FileError(
                "rows_limit", f"The file has more than {grouped(maximum)} rows that cannot be read."
            )
        if self._problems.blank_lines > self.limits.rows:
            raise FileError("rows_limit", f"The file has more than {grouped(self.limits.rows)} blank lines.")
        if self.format.gzip and self.format.kind == "csv":  # A row of JSON has only the fields that it names.
            check_values(self.rows_seen * len(self.columns), size, self.limits)

    def __iter__(self) -> Iterator[Batch]:
        """Batches with about a thousand rows, fewer where they are large."""
        return (batch for batch in self.batches() if batch.lines)

    def head(self, rows: int, characters: int, seconds: float = math.inf) -> Iterator[Batch]:
        """The first batches, up to these limits; then `is_whole` says whether that was the whole file."""
        deadline = time.monotonic() + seconds
        for batch in self.batches():
            yield batch
            waiting = closing_rows.LOOKED if self.format.kind in SHEETS else 0
            is_enough = max(self.rows_seen, self._problems.rows) - waiting >= rows
            if is_enough or self._problems.characters >= characters or time.monotonic() > deadline:
                if self._flat and not self._flat.count:  # rows wait for others that were not read
                    yield self._flat.rest()
                return
        self.is_whole = True

    @property
    def rows_seen(self) -> int:
        """Valid and refused rows so far."""
        return self._flat.count + self.error_count if self._flat else self._problems.rows

    @property
    def columns(self) -> list[str]:
        return [*self._flat.columns] if self._flat else self._problems.columns

    @property
    def outputs(self) -> Mapping[str, str]:
        """The columns of outputs, by variant, that the format makes of one column or of two sides."""
        return self._flat.outputs if self._flat else {}

    @property
    def errors(self) -> list[RowError]:
        return self._problems.errors

    @property
    def refused(self) -> list[RefusedRow]:
        """The first refused rows with their cells, up to a thousand rows and four million characters."""
        return self._problems.refused

    @property
    def error_counts(self) -> Mapping[str, int]:
        return self._problems.error_counts

    @property
    def error_count(self) -> int:
        return self._problems.error_counts.total()

    @property
    def warnings(self) -> list[FileWarning]:
        return [*self.format.warnings, *self._problems.warnings]

    @property
    def bytes_read(self) -> int:
        """The position in the (packed) file; for Parquet, estimated from the share of rows."""
        bytes_counted = self._problems.bytes_read
        return self._file.tell() if bytes_counted is None else bytes_counted


def open_rows(file: BinaryIO, fmt: Format, limits: Limits) -> Reader:
    """A Reader over a seekable binary file."""
    return Reader(file, fmt, limits)
