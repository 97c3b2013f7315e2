"""Rows of CSV and TSV. Cells stay the text they were; an empty cell is null unless the format says text."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from .findings import FileError, Findings
from .formats import DELIMITERS, Format, Limits
from .record import Record, check_cells, check_column_names
from .streams import open_utf8
from .text import clean

Row = tuple[int, list[str] | None]  # the line it begins on, and its cells; None where the quotes were wrong


def records(file: BinaryIO, fmt: Format, limits: Limits, findings: Findings) -> Iterator[Record]:
    """One Record per data row; blank lines are none. The header, or the first row, sets the width."""
    # csv's own limit is one for the whole process, so it is only ever raised; `_Lines` keeps ours.
    csv.field_size_limit(max(csv.field_size_limit(), limits.row_characters))
    lines = _Lines(open_utf8(file, fmt, limits), limits, findings)
    table = _table(lines, fmt, findings)
    first = next(table, None)
    if first is None:
        return
    columns = _columns(first, fmt, limits, findings)
    findings.columns.extend(columns)
    data = table if fmt.header else chain([first], table)
    for number, (line, cells) in enumerate(data, start=1):
        if cells is None:
            yield number, line, None, lines.size
            continue
        if len(cells) != len(columns):
            _field_count_error(line, cells, columns, fmt, findings)
            yield number, line, None, lines.size
            continue
        if lines.size > limits.cell_characters:
            check_cells(dict(zip(columns, cells, strict=True)), line, limits)
        values: Sequence[str | None] = cells
        if "" in cells and not fmt.empty_as_text:
            values = [cell or None for cell in cells]
        yield number, line, dict(zip(columns, values, strict=True)), lines.size


def _field_count_error(
    line: int, cells: list[str], columns: list[str], fmt: Format, findings: Findings
) -> None:
    delimiter = fmt.delimiter or ","
    findings.error(
        "csv_field_count",
        f"Line {line}: {len(cells)} fields where the header has {len(columns)} columns.",
        {"line": line},
        found=delimiter.join(cells),
        expected=f"{len(columns)} fields, separated by {DELIMITERS[delimiter]}",
        cells=cells,
    )


def _table(lines: "_Lines", fmt: Format, findings: Findings) -> Iterator[Row]:
    """The records without blank lines, which mean nothing; one between rows is worth a warning, though."""
    # strict, because the lax reader turns an unclosed quote into one giant cell without a word.
    reader = csv.reader(lines, delimiter=fmt.delimiter or ",", strict=True)
    if fmt.sep_line:
        next(reader, None)
    rows = 0
    blank: list[int] = []
    while True:
        line = lines.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            _quote_error(line, lines, fmt, findings)
            cells = None
        if cells == []:
            blank.append(line)
            continue
        if blank:
            _warn_of_blank_lines(blank, rows, fmt, findings)
        rows += 1
        yield line, cells


def _warn_of_blank_lines(blank: list[int], rows_before: int, fmt: Format, findings: Findings) -> None:
    if rows_before > fmt.header:
        for line in blank:
            findings.warn("blank_lines", "Blank lines between rows were left out.", line)
    blank.clear()


def _quote_error(line: int, lines: "_Lines", fmt: Format, findings: Findings) -> None:
    opened = line + lines.opened_quote(fmt.delimiter or ",")
    if lines.ended:
        message = f"Line {opened}: a quote is opened and never closed."
        raise FileError("csv_unclosed_quote", message, {"line": opened})
    began = f", which begins on line {opened}" if opened != lines.number else ""
    findings.error(
        "csv_text_after_quote",
        f"Line {lines.number}: text follows the closing quote of a cell{began}.",
        {"line": lines.number},
        found=lines.record[-1].strip(),
        expected="a delimiter or the end of the line after the quote",
        cells=["".join(lines.record).rstrip("\r\n")],
    )


def _columns(first: Row, fmt: Format, limits: Limits, findings: Findings) -> list[str]:
    """The names: stripped; a blank one is called `column_3` by its place; equal ones (as NFC) are refused."""
    line, cells = first
    if cells is None:
        error = findings.errors[-1]
        raise FileError(error.code, error.message, error.where)
    if not fmt.header:
        cells = [f"column_{place}" for place in range(1, len(cells) + 1)]
    names = []
    for place, cell in enumerate(cells, start=1):
        name = cell.strip().strip("\ufeff")  # Files that were joined bring a byte order mark each.
        if not name:
            findings.warn("blank_header", f"Column {place} has no name; it is called column_{place}.", line)
        names.append(name or f"column_{place}")
    check_column_names(names, {"line": line}, limits)
    return names


class _Lines:
    """The physical lines for csv.reader; keeps those of the record that is being read, and its size."""

    def __init__(self, stream: io.BufferedReader, limits: Limits, findings: Findings):
        # newline="": line breaks inside quotes stay as they are; never splitlines, which cuts at U+2028 too.
        self._readline = io.TextIOWrapper(stream, "utf-8", newline="").readline
        self._limit = limits.row_characters
        self._findings = findings
        self.number = 0  # of the last line read
        self.record: list[str] = []
        self.size = 0
        self.ended = False

    def begin_record(self) -> int:
        """The line on which it begins."""
        self.record.clear()
        self.size = 0
        return self.number + 1

    def __iter__(self) -> Iterator[str]:
        readline, limit = self._readline, self._limit
        while line := readline(limit + 1):
            self.number += 1
            self.size += len(line)
            if self.size > limit:
                begin = self.number - len(self.record)
                message = f"Line {begin}: a row of more than {limit:,} characters begins here."
                raise FileError("row_too_large", message, {"line": begin})
            if "\0" in line:
                self._findings.warn("text_replaced", "NUL characters were replaced by U+FFFD.", self.number)
                line = clean(line)
            self.record.append(line)
            yield line
        self.ended = True

    def opened_quote(self, delimiter: str) -> int:
        """How many lines into the record the last quoted cell begins."""
        offset = last_quoted_cell("".join(self.record), delimiter)
        for place, line in enumerate(self.record):
            offset -= len(line)
            if offset < 0:
                return place
        return 0


def last_quoted_cell(record: str, delimiter: str) -> int:
    """Offset of the quote that opens the last quoted cell; 0 where there is none.

    >>> last_quoted_cell('"a ""b"",c",5",d,"e', ",")
    17
    """
    opened = at = 0
    while (quote := record.find('"', at)) >= 0:
        at = quote + 1
        if quote and record[quote - 1] not in (delimiter, "\n", "\r"):
            continue
        opened = quote
        at = _after_cell(record, at)
    return opened


def _after_cell(record: str, at: int) -> int:
    """Offset behind the quoted cell whose text begins at `at`: a doubled quote belongs to the text."""
    while (quote := record.find('"', at)) >= 0 and record[quote + 1 : quote + 2] == '"':
        at = quote + 2
    return quote + 1 if quote >= 0 else len(record)
