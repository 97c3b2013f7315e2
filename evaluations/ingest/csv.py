"""Reads rows of CSV and TSV. Cells stay texts; an empty cell is null unless the format says otherwise.

An apostrophe with which an export of ours guards a formula is removed.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

from evaluations import json_cells
from evaluations.files import header_rows
from evaluations.files.formats import DELIMITERS, Format, Limits
from evaluations.files.problems import FIRST_LINES, FileError, Problems
from evaluations.spreadsheet import unguarded
from evaluations.values import JSON

from .batch import Table
from .csv_blocks import Block, Blocks, opened_quote
from .record import check_cells, check_column_count, check_column_names

Cells = list[str]


def batches(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Table]:
    """A `Table` of valid rows per block of lines; the header, or the first row, sets the number of columns."""
    rows = _Rows(fmt, limits, problems)
    for block in Blocks(file, fmt, limits, problems):
        problems.characters += block.size
        yield rows.table(block)


class _Rows:
    """Selects the rows that have a cell for every column, and records errors of the others."""

    def __init__(self, fmt: Format, limits: Limits, problems: Problems):
        self._format, self._limits, self._problems = fmt, limits, problems
        self._delimiter = fmt.delimiter or ","
        self._before_header = int(fmt.sep_line)
        self._names: list[str] = []
        # header cells to recognise in later rows: joined files repeat them, also with a byte order mark
        self._headers: list[Cells] = []
        self._typed: list[bool] = []  # by column, whether its cells are JSON
        self._blank = 0  # blank lines since the last row; only those between rows cause a warning
        self._first_blank: list[int] = []

    def table(self, block: Block) -> Table:
        if not self._names:
            block = self._without_header(block)
        rows, lines = self._good_rows(block)
        if block.size > self._limits.cell_characters:
            for line, cells in zip(lines, rows, strict=True):
                check_cells(dict(zip(self._names, cells, strict=True)), line, self._limits)
        columns = zip(*rows, strict=True) if rows else [()] * len(self._names)
        return Table(lines, dict(zip(self._names, map(self._values, columns, self._typed), strict=True)))

    def _values(self, cells: Sequence[str], is_typed: bool) -> Sequence[JSON]:
        if self._format.guarded:
            cells = list(map(unguarded, cells))
        if is_typed:
            return [json_cells.value_of(cell) if cell else None for cell in cells]
        if "" in cells and not self._format.empty_as_text:
            return [cell or None for cell in cells]
        return cells

    # ---- header ------------------------------------------------------------------------------------------

    def _without_header(self, block: Block) -> Block:
        """The block after its header, which is the first non-blank row; the whole block if the file has no header."""
        indices = range(self._before_header, len(block.rows))
        first = next((row for row in indices if block.rows[row] != []), len(block.rows))
        self._problems.blank_lines += first - self._before_header
        self._before_header = 0
        if self._format.header:
            first = self._below_titles(block, first)
        if first < len(block.rows):
            self._names = self._columns(block, first)
            cells = [cell.strip("\ufeff") for cell in block.rows[first] or ()]
            if self._format.header and len(self._names) > 1 and any(cells):
                self._headers = [cells, ["\ufeff" + cells[0], *cells[1:]]]
            self._problems.columns.extend(self._names)
        return block.since(first + self._format.header)

    def _below_titles(self, block: Block, first: int) -> int:
        """The first row that is no title above the table."""
        filled = [row for row in range(first, len(block.rows)) if block.rows[row]][: header_rows.LOOKED]
        rows = [[cell or None for cell in block.rows[row] or ()] for row in filled]
        titles = header_rows.titles(rows) if rows else 0
        if titles:
            self._problems.warn("title_rows", header_rows.told(rows[:titles]), block.begin(first))
        return filled[titles] if titles else first

    def _columns(self, block: Block, row: int) -> list[str]:
        """The names, stripped; a blank name becomes `column_3`, by its number; names equal in NFC are refused."""
        cells, line, names = block.rows[row], block.begin(row), []
        if cells is None:
            self._quote_error(block, row)
            error = self._problems.errors[-1]
            raise FileError(error.code, error.message, error.where)
        check_column_count(len(cells), {"line": line}, self._limits)
        if not self._format.header:
            cells = [f"column_{number}" for number in range(1, len(cells) + 1)]
        if self._format.guarded:
            cells = list(map(unguarded, cells))
        for number, cell in enumerate(cells, start=1):
            name = cell.strip().strip("\ufeff")  # Joined files have one byte order mark each.
            if not name:
                message = f"Column {number} has no name; it is called column_{number}."
                self._problems.warn("blank_header", message, line)
            names.append(json_cells.unmarked_name(name) or f"column_{number}")
            self._typed.append(names[-1] != name and bool(name))
        apart = header_rows.named_apart(names, self._limits.column_name_characters)
        if apart != names:
            self._problems.warn("repeated_names", header_rows.called(names, apart), line)
        check_column_names(apart, {"line": line}, self._limits)
        return apart

    # ---- rows --------------------------------------------------------------------------------------------

    def _good_rows(self, block: Block) -> tuple[list[Cells], list[int]]:
        """The rows with the right number of cells, and the lines on which they begin."""
        rows = cast("list[Cells]", block.rows)
        if not any(rows) and None not in rows:
            self._note_blank(range(block.before + 1, block.before + len(rows) + 1))
            return [], []
        indices: Sequence[int] = range(len(rows))
        has_headers = any(header in rows for header in self._headers)
        if self._blank or has_headers or not all(rows) or {*map(len, rows)} != {len(self._names)}:
            indices = [row for row in indices if self._fits(block, row)]
            rows = [rows[row] for row in indices]
        else:
            self._problems.rows += len(rows)
        return rows, [block.begin(row) for row in indices]

    def _fits(self, block: Block, row: int) -> bool:
        cells = block.rows[row]
        if cells == []:
            self._note_blank(range(block.begin(row), block.begin(row) + 1))
            return False
        self._warn_of_blank_lines()
        if cells in self._headers:
            message = "Lines that repeat the header were left out."
            self._problems.warn("repeated_header", message, block.begin(row))
            return False
        self._problems.rows += 1
        if cells is None:
            self._quote_error(block, row)
        elif len(cells) != len(self._names):
            self._field_count_error(block.begin(row), cells)
        return cells is not None and len(cells) == len(self._names)

    def _note_blank(self, lines: Sequence[int]) -> None:
        self._blank += len(lines)
        self._problems.blank_lines += len(lines)
        self._first_blank += lines[: FIRST_LINES - len(self._first_blank)]

    def _warn_of_blank_lines(self) -> None:
        if self._blank and self._problems.rows:
            message = "Blank lines between rows were left out."
            self._problems.warn("blank_lines", message, *self._first_blank, count=self._blank)
        self._blank, self._first_blank = 0, []

    def _quote_error(self, block: Block, row: int) -> None:
        record, begin = block.record(row), block.begin(row)
        opened, line = begin + opened_quote(record, self._delimiter), begin + len(record) - 1
        where, message = {"line": line}, f"Line {line}: text follows the closing quote of a cell"
        if opened != line:  # it is often missing there, and these lines are rows of their own
            where["first_line"] = opened
            message += f" that begins on line {opened}, so lines {opened} to {line} were read as one row"
        self._problems.error(
            "csv_text_after_quote",
            f"{message}.",
            where,
            quote=record[-1].strip(),
            expected="a delimiter or the end of the line after the quote",
            cells=["".join(record).rstrip("\r\n")],
        )

    def _field_count_error(self, line: int, cells: Cells) -> None:
        width = len(self._names)
        self._problems.error(
            "csv_field_count",
            f"Line {line}: {_counted(len(cells), 'field')} where the header has {_counted(width, 'column')}.",
            {"line": line},
            quote=self._delimiter.join(cells),
            expected=f"{_counted(width, 'field')}, separated by {DELIMITERS[self._delimiter]}",
            cells=cells,
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
