"""Turns bytes into rows, for JSON Lines and JSON arrays."""

import codecs
import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.files.streams import check_values, utf8_chunks
from evaluations.files.text import clean_json
from evaluations.numerals import grouped
from evaluations.strict_json import is_unusual, parse_objects

from .batch import Objects, Row
from .json_object import NotARow, parse, parse_member
from .record import Record, add_columns, check_cells

MARKS = 1_000_000  # values per row; more would take hundreds of megabytes as objects


def count_marks(text: bytes) -> int:
    """An upper bound for the number of values in a row: each value but the first follows one of these marks."""
    return text.count(b",") + text.count(b"{") + text.count(b"[")


def json_chunks(file: BinaryIO, fmt: Format, limits: Limits) -> Iterator[bytes]:
    """The text of the file. In a packed file, objects and lists are counted: each takes time, but hardly any bits."""
    size, count = file.seek(0, os.SEEK_END), 0
    for chunk in utf8_chunks(file, fmt, limits):
        if fmt.gzip:
            count += chunk.count(b"{") + chunk.count(b"[")
            check_values(count, size, limits, "objects and lists")
        yield chunk


class JSONRows:
    """Parses rows, and remembers their columns, so that a row with known columns costs one comparison."""

    def __init__(
        self, limits: Limits, problems: Problems, names: Sequence[str] = (), names_in: str | None = None
    ):
        self._limits, self._problems, self._names, self._names_in = limits, problems, names, names_in
        self._columns: frozenset[str] = frozenset()

    def objects(self, block: bytes, before: int) -> Objects:
        """The rows of whole lines; `before` is the number of earlier lines of the file. Blank lines are left out."""
        texts = block.split(b"\n")
        lines = range(before + 1, before + len(texts) + 1)
        rows = parse_objects(block, texts) if len(block) <= self._limits.cell_characters else None
        self._problems.characters += len(block)
        if rows is not None and all(row.keys() <= self._columns for row in rows):
            self._problems.rows += len(rows)
            return Objects(lines, rows)
        unusual, good = is_unusual(block), []
        for line, text in zip(lines, texts, strict=True):
            if text and not text.isspace():
                self._problems.rows += 1
                _, _, row, _ = self.record(self._problems.rows, line, text, unusual)
                good += [(line, row)] if row is not None else []
            else:
                self._problems.blank_lines += 1
        return Objects([line for line, _ in good], [row for _, row in good])

    def record(self, number: int, line: int, text: bytes, unusual: bool) -> Record:
        """The only row of a text."""
        return next(self.records(number, line, text, unusual))

    def records(self, number: int, line: int, text: bytes, unusual: bool) -> Iterator[Record]:
        """The rows of a text, numbered from `number` on: several only if they stand under a name."""
        if len(text) > self._limits.cell_characters and count_marks(text) > MARKS:
            message = f"Line {line}: a row with more than {grouped(MARKS // 2)} values begins here."
            raise FileError("row_too_large", message, {"line": line})
        try:
            rows = self._rows(text.removeprefix(codecs.BOM_UTF8), unusual)  # Joined files have one mark each.
        except NotARow as wrong:
            message = f"Line {line}: {wrong.message}."
            cells = [text.decode(errors="replace").strip()]
            self._problems.error(
                wrong.code, message, {"line": line}, wrong.quote, "one JSON object", cells=cells
            )
            yield number, line, None, len(text)
            return
        for place, row in enumerate(rows):
            cleaned = self._clean(row, line) if unusual else row
            if not cleaned.keys() <= self._columns:
                add_columns(cleaned, line, self._problems, self._limits)
                self._columns = frozenset(self._problems.columns)
            if len(text) > self._limits.cell_characters:
                check_cells(cleaned, line, self._limits)
            yield number + place, line, cleaned, 0 if place else len(text)

    def _rows(self, text: bytes, unusual: bool) -> list[Row]:
        if self._names_in is None:
            return [parse(text, unusual, self._names)]
        return parse_member(text, unusual, self._names_in)

    def _clean(self, row: Row, line: int) -> Row:
        cleaned: Row = clean_json(row)
        if cleaned != row:
            message = "NUL characters and lone surrogates were replaced by U+FFFD."
            self._problems.warn("text_replaced", message, line)
        return cleaned
