"""Splits a CSV file into records, some hundred at a time, with the lines of each."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import BinaryIO

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.files.streams import bounded, buffered, utf8_chunks
from evaluations.files.text import clean
from evaluations.numerals import grouped

from . import escapes
from .csv_split import begins, is_open, split

LINES = 1_000  # lines after which an open quote is more likely a mistake
CHARACTERS = 256_000
LINES_OF_ROW = 250_000  # each takes memory beside its characters


@dataclass(frozen=True)
class Block:
    """`rows[i]` are the cells of `lines[begins[i]:begins[i + 1]]`: [] for a blank line, None for invalid quotes.

    `before` is the number of lines of the file before the block.
    """

    before: int
    lines: list[str]
    rows: list[list[str] | None]
    begins: list[int]

    @cached_property
    def size(self) -> int:
        """The number of characters in its lines."""
        return sum(map(len, self.lines))

    def begin(self, row: int) -> int:
        """The line of the file on which a row begins, from 1."""
        return self.before + self.begins[row] + 1

    def record(self, row: int) -> list[str]:
        """The lines of a row."""
        return self.lines[self.begins[row] : self.begins[row + 1]]

    def since(self, row: int) -> "Block":
        return Block(self.before, self.lines, self.rows[row:], self.begins[row:])


class Blocks:
    """An iterator over the blocks, to be used once. Records are not cut: a block ends with a complete record."""

    def __init__(self, file: BinaryIO, fmt: Format, limits: Limits, problems: Problems):
        self._delimiter = fmt.delimiter or ","
        self._limit, self._cell_limit = limits.row_characters, limits.cell_characters
        self._problems = problems
        self._before = 0
        self._ended = False
        self._unclosed: FileError | None = None
        texts = utf8_chunks(file, fmt, limits)
        if fmt.escape:
            is_letter = fmt.escape == escapes.LETTERS
            texts = escapes.as_letters(texts, self._delimiter) if is_letter else escapes.doubled(texts)
        chunks = bounded(texts, limits.row_characters)
        # newline="": line breaks inside quotes stay as they are; never splitlines, which cuts at U+2028 too.
        self._text = io.TextIOWrapper(buffered(chunks), "utf-8", newline="")
        # The csv module's limit applies to the whole process, so it is only ever raised; `_check_sizes` enforces ours.
        csv.field_size_limit(max(csv.field_size_limit(), limits.row_characters))

    def __iter__(self) -> Iterator[Block]:
        while lines := self._text.readlines(CHARACTERS):
            block = self._split(lines) or self._parse(lines)
            self._check_sizes(block)
            self._before += len(block.lines)
            yield block
        if self._unclosed:  # Earlier problems, above all in the header, are reported first.
            raise self._unclosed

    # ---- fast path, the only one for most files ------------------------------------------------------------

    def _split(self, lines: list[str]) -> Block | None:
        text = "".join(lines)
        if len(text) > self._limit:
            self._check_lines(lines)
        if not text.strip("\r\n"):
            return Block(self._before, lines, [[] for _ in lines], list(range(len(lines) + 1)))
        if is_open(text):  # The last record continues on the next line.
            lines += self._until_closed(self._limit)
            text = "".join(lines)
        if "\0" in text:
            lines[:] = [self._cleaned(line, number) for number, line in enumerate(lines, self._before + 1)]
        rows = split(lines, self._delimiter)
        if rows is None:
            return None
        return Block(self._before, lines, [*rows], begins(rows, len(lines)))

    def _until_closed(self, room: int) -> Iterator[str]:
        """The lines up to the one that closes the quote, but at most as many as a genuine quote may span."""
        for line in islice(self._text, LINES):
            room -= len(line)
            yield line
            if is_open(line) or room < 0:
                return

    def _cleaned(self, line: str, number: int) -> str:
        if "\0" in line:
            self._problems.warn("text_replaced", "NUL characters were replaced by U+FFFD.", number)
        return clean(line)

    # ---- slow path, which diagnoses errors -----------------------------------------------------------------

    def _parse(self, lines: list[str]) -> Block:
        block = Block(self._before, lines, [], [0])
        # strict, because the lax reader silently turns an unclosed quote into one giant cell.
        reader = csv.reader(self._lines_of(block), delimiter=self._delimiter, strict=True)
        while reader.line_num < len(lines):
            try:
                cells = next(reader)
            except csv.Error:
                cells = None
                if sum(map(len, lines[block.begins[-1] : reader.line_num])) > self._limit:
                    raise _too_large(block.begin(-1), self._limit) from None
                if self._ended:
                    self._unclosed = _unclosed(block, self._delimiter)
                    return block
            block.rows.append(cells)
            block.begins.append(reader.line_num)
        return block

    def _lines_of(self, block: Block) -> Iterator[str]:
        """The lines of the block, and further ones until its last record is complete: each begins inside a cell."""
        yield from block.lines
        size, cell = sum(map(len, block.lines[block.begins[-1] :])), 0
        for line in self._text:
            block.lines.append(self._cleaned(line, block.before + len(block.lines) + 1))
            size += len(line)
            inside = line.replace('""', '"')
            cell = cell + len(inside) if _after_cell(line, 0) == len(line) else 0
            self._check_open(block, size, cell)
            yield block.lines[-1]
        self._ended = True

    def _check_open(self, block: Block, size: int, cell: int) -> None:
        """Refuse a record, of this size until now, that is too large, or whose last cell is."""
        if cell > self._cell_limit:
            line, limit = _opened_on(block, self._delimiter), grouped(self._cell_limit)
            message = f"Line {line}: a quoted cell of more than {limit} characters begins here."
            raise FileError("cell_too_large", message, {"line": line})
        if size > self._limit:
            raise _too_large(block.begin(-1), self._limit)
        if len(block.lines) - block.begins[-1] > LINES_OF_ROW:
            raise _too_large(block.begin(-1), LINES_OF_ROW, "lines")

    def _check_lines(self, lines: list[str]) -> None:
        """Refuse a line longer than any valid row, before it is split into millions of cells."""
        for number, line in enumerate(lines, self._before + 1):
            if len(line) > self._limit:
                raise _too_large(number, self._limit)

    def _check_sizes(self, block: Block) -> None:
        if block.size > self._limit:
            for row in range(len(block.rows)):
                if sum(map(len, block.record(row))) > self._limit:
                    raise _too_large(block.begin(row), self._limit)


def _too_large(line: int, limit: int, noun: str = "characters") -> FileError:
    message = f"Line {line}: a row of more than {grouped(limit)} {noun} begins here."
    return FileError("row_too_large", message, {"line": line})


def _unclosed(block: Block, delimiter: str) -> FileError:
    line = _opened_on(block, delimiter)
    return FileError(
        "csv_unclosed_quote", f"Line {line}: a quote is opened and never closed.", {"line": line}
    )


def _opened_on(block: Block, delimiter: str) -> int:
    """The line of the file on which the last quoted cell of the block begins."""
    return block.begin(-1) + opened_quote(block.lines[block.begins[-1] :], delimiter)


def opened_quote(record: list[str], delimiter: str) -> int:
    """The line within the record, from 0, on which its last quoted cell begins."""
    offset = last_quoted_cell("".join(record), delimiter)
    for index, line in enumerate(record):
        offset -= len(line)
        if offset < 0:
            return index
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
    """The index after the quoted cell whose text begins at `at`; a doubled quote belongs to the text."""
    while (quote := record.find('"', at)) >= 0 and record[quote + 1 : quote + 2] == '"':
        at = quote + 2
    return quote + 1 if quote >= 0 else len(record)
