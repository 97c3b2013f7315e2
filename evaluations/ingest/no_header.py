"""Tells whether the first line of a CSV file is a row like the others, as in files of tagged words (CoNLL)."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import islice

MESSAGE = (
    "The first line is read as a row, because its cells come again in their columns; these have numbers."
)
RECORDS = 300
FEWEST = 10  # rows below the first
OFTEN = 2  # rows in which a cell of the first one comes again
REPEATED = 2  # such columns, where cells of the first row are the same, or one is a number
SEVERAL = 3  # such columns otherwise


def is_row(head: str, delimiter: str) -> bool:
    r"""Whether several cells of the first row come again below them, which names of columns do not.

    >>> is_row("Anna\tB-PER\tB-PER\n" + "went\tO\tO\nLena\tB-PER\tB-PER\n" * 6, "\t")
    True
    >>> is_row("word,gold,small\n" + "Anna,B-PER,B-PER\nword,gold,small\n" * 6, ",")
    False
    >>> is_row("gj04\t1\t\tThe sailors rode.\n" + "gj04\t1\t\tIt is.\ncj99\t0\t\tIs it the?\n" * 6, "\t")
    True
    """
    rows = _first_rows(head, delimiter)
    first, below = (rows[0], [row for row in rows[1:] if row != rows[0]]) if rows else ([], [])
    if len(below) < FEWEST:
        return False
    same = [cell for cell, count in Counter(first).items() if count > 1 and cell.strip()]
    again = [
        at
        for at, cell in enumerate(first)
        if cell.strip() and sum(row[at : at + 1] == [cell] for row in below) >= OFTEN
    ]
    has_number = any(
        first[at].strip().isdecimal() for at in again
    )  # columns are hardly called after one of their values
    return len(again) >= (REPEATED if same or has_number else SEVERAL)


def _first_rows(head: str, delimiter: str) -> Sequence[list[str]]:
    """The first rows without blank ones, up to the first that cannot be read."""
    rows: list[list[str]] = []
    try:
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, strict=True)
        for cells in islice(filter(None, reader), RECORDS):
            rows.append(cells)
    except csv.Error:
        pass
    return rows
