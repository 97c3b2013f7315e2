"""Reads CSV of other tools row by row. A name may head several columns, so rows are lists of cells."""

import codecs
import csv
from collections.abc import Iterator
from typing import Any, BinaryIO

from evaluations.ingest import FileError, Limits, clean

from . import documents

LONGEST_CELL = 16_000_000  # characters
MOST_COLUMNS = 5_000  # that are looked at to recognise a tool: a hundred thousand names would take seconds
HINT = "Export it again, or read it as a table."


def header(head: bytes) -> list[str]:
    """The first names in the first row, as many as any tool writes; empty if the text does not begin with a header."""
    text = head.decode("utf-8", "replace")
    try:
        return [name.strip() for name in next(csv.reader(_kept_lines(iter([text]))), [])[:MOST_COLUMNS]]
    except csv.Error:
        return []


def rows(file: BinaryIO) -> Iterator[list[str]]:
    """The cells of each non-blank row, the header first; raises `FileError` for text that is not CSV."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    try:
        texts = codecs.iterdecode(documents.chunks(file, Limits()), "utf-8")
        for row in csv.reader(_kept_lines(texts), strict=True):
            if any(row):
                yield [clean(cell) for cell in row]
    except (csv.Error, UnicodeDecodeError) as wrong:
        raise FileError("csv_quotes", f"The export is not valid CSV: {wrong}.", hint=HINT) from wrong


def records(file: BinaryIO) -> Iterator[dict[str, str]]:
    """Each row as a dict by column name; cells beyond the header are dropped."""
    lines = rows(file)
    names = [name.strip() for name in next(lines, [])]
    for row in lines:
        yield dict(zip(names, row, strict=False))


def _kept_lines(texts: Iterator[str]) -> Iterator[str]:
    """Lines with their ends, as the csv reader needs them to join cells over several lines."""
    unfinished_line = ""
    for text in texts:
        *lines, unfinished_line = (unfinished_line + text).split("\n")
        yield from (f"{line}\n" for line in lines)
    if unfinished_line:
        yield unfinished_line


def json_cell(cell: str | None) -> Any:
    """The value of a cell that holds JSON, else its text; None for an empty one.

    >>> json_cell('{"a": 1}'), json_cell("plain"), json_cell("")
    ({'a': 1}, 'plain', None)
    """
    if not cell:
        return None
    try:
        return documents.parsed(cell.encode())
    except FileError:
        return cell


def structure(cell: str | None) -> Any:
    """The object or list in a cell; a number or a word stays text.

    >>> structure('["a"]'), structure("007")
    (['a'], '007')
    """
    value = json_cell(cell)
    return value if isinstance(value, dict | list) else cell or None


def number_cell(cell: str | None) -> float | None:
    """The number in a cell."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return None
