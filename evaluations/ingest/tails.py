"""Cuts what a program wrote behind each text of a column: a mark that is the same in all, and a name of the row."""

from collections.abc import Sequence

from .batch import Row

FEWEST = 10  # texts from which an end that all have is a mark
RULE = "---"  # in a mark


def cut(rows: Sequence[Row]) -> tuple[list[Row], dict[str, str]]:
    r"""The rows with the ends of texts in columns of their own, and the marks that were cut off, by column.

    >>> said = [{"id": str(n), "sql": f"select {n}\t----- bird -----\tschool_{n}"} for n in range(10)]
    >>> cut(said)[0][3], cut(said)[1]
    ({'id': '3', 'sql': 'select 3', 'sql bird': 'school_3'}, {'sql': '----- bird -----'})
    """
    if len(rows) < FEWEST:
        return [*rows], {}
    marks = {name: mark for name in rows[0] if (mark := _mark([row.get(name) for row in rows]))}
    return [_without(row, marks) for row in rows] if marks else [*rows], marks


def _mark(cells: Sequence[object]) -> str:
    """What stands before the last tab of all texts; "" unless that is a rule in each, and one word stands behind."""
    parts = [cell.rsplit("\t", 2) if isinstance(cell, str) else [] for cell in cells]
    if any(len(one) != 3 or RULE not in one[1] or len(one[2].split()) != 1 for one in parts):
        return ""
    marks = {one[1].strip() for one in parts}
    return marks.pop() if len(marks) == 1 else ""


def _without(row: Row, marks: dict[str, str]) -> Row:
    found = Row(row)
    for name, mark in marks.items():
        text, _, end = str(row[name]).rsplit("\t", 2)
        word = mark.strip(" -") or "end"
        found |= {name: text.rstrip(), f"{name} {word}": end.strip()}
    return found
