"""Recognises a table whose first row is one of its rows: a number and a sentence, as lists of queries have."""

from collections.abc import Sequence

from . import csv_split

FEWEST = 5  # rows
WORDS = 3  # of a sentence; names of columns are shorter, or stand above no number


def is_headless(head: str, delimiter: str) -> bool:
    """Whether all first cells of columns are values: a number that differs from all below it, or a sentence.

    >>> is_headless("".join(f"{n}\\twhat is {n} of all\\n" for n in range(9)), "\\t")
    True
    >>> is_headless("id\\twhat is the answer\\n" + "".join(f"{n}\\tb\\n" for n in range(9)), "\\t")
    False
    """
    lines = [line for line in head.splitlines(keepends=True) if line.strip()]
    rows = csv_split.split(lines, delimiter) or []
    if len(rows) < FEWEST or len({*map(len, rows)}) > 1:
        return False
    columns = [*zip(*rows, strict=True)]
    named = [_is_numbered(column) for column in columns]
    return (
        any(named)
        and not all(named)
        and all(is_number or _is_sentence(column) for is_number, column in zip(named, columns, strict=True))
    )


def _is_numbered(cells: Sequence[str]) -> bool:
    """Whether all cells are whole numbers, each once."""
    return all(map(str.isdecimal, cells)) and len({*cells}) == len(cells)


def _is_sentence(cells: Sequence[str]) -> bool:
    """Whether the first cell and most below it have several words."""
    long = [len(cell.split()) >= WORDS for cell in cells]
    return long[0] and 2 * sum(long) > len(long)
