"""Finds tables of an archive whose first row was read as names of columns, because it names an example of another."""

from collections.abc import Mapping
from dataclasses import replace

from .batch import Row
from .file_tables import UNIQUE, Table

COLUMNS = ("id", "prediction")  # of a table that says something of each example
FEWEST = 5  # rows


def with_first_rows(tables: Mapping[str, Table]) -> dict[str, Table]:
    """The tables; those of two columns whose names are a row have it as the first one, under usual names.

    >>> asked = Table("dev", [{"id": f"q{n}", "question": f"{n}?"} for n in range(9)])
    >>> said = Table("small", [{"q0": f"q{n}", "yes": "no"} for n in range(1, 9)])
    >>> with_first_rows({"dev": asked, "small": said})["small"].rows[:2]
    [{'id': 'q0', 'prediction': 'yes'}, {'id': 'q1', 'prediction': 'no'}]
    """
    known = {path: _names_of_examples(table) for path, table in tables.items()}
    return {
        path: _with_first_row(table)
        if _is_row(table, set[str]().union(*(names for other, names in known.items() if other != path)))
        else table
        for path, table in tables.items()
    }


def _names_of_examples(table: Table) -> set[str]:
    """The values of columns in which nearly all are different."""
    keys = map(table.keys, table.columns)
    return set[str]().union(*(names for names in keys if len(names) >= UNIQUE * len(table.rows)))


def _is_row(table: Table, known: set[str]) -> bool:
    """Whether the name of the first of two columns is that of an example, as most cells below it are."""
    if len(table.columns) != len(COLUMNS) or len(table.rows) < FEWEST:
        return False
    first = table.columns[0]
    below = table.keys(first)
    return first in known and first not in below and len(below & known) * 2 > len(below)


def _with_first_row(table: Table) -> Table:
    names = dict(zip(table.columns, COLUMNS, strict=True))
    first: Row = dict(zip(COLUMNS, table.columns, strict=True))
    rows = [{names[name]: value for name, value in row.items()} for row in table.rows]
    return replace(table, rows=[first, *rows])
