"""Tables of a database that name rows of each other: outputs with the id of their run and that of their question."""

from collections.abc import Sequence

from evaluations.values import JSON

from .batch import Row
from .file_tables import Table, as_key
from .suggest import plain

FEWEST = 2  # tables that must say something of the rows of another
# how databases write that a cell has no value, or one of two
NOTHING, TRUTHS = "\\N", {"t": True, "f": False}
ID = "id"


def joined(tables: Sequence[Table]) -> tuple[list[Row], list[str]] | None:
    """The rows of the longest table with what all others say of the ids in it, and these ids; None if one does not.

    Each row of the others is named once, and by several rows, as a run is by all of its outputs.

    >>> runs = Table("run", [{"run_id": 1, "model": "small"}, {"run_id": 2, "model": "large"}])
    >>> cases = Table("case", [{"id": n, "question": f"What is {n}?"} for n in range(3)])
    >>> outputs = Table("output", [{"run_id": r, "case_id": n, "text": "?"} for r in (1, 2) for n in range(3)])
    >>> rows, named = joined([runs, cases, outputs])
    >>> rows[3], named
    ({'run_id': 2, 'model': 'large', 'case_id': 0, 'question': 'What is 0?', 'text': '?'}, ['run_id', 'case_id'])
    >>> joined([runs, outputs])
    """
    first, *others = sorted(tables, key=lambda table: -len(table.rows))
    if len(others) < FEWEST:
        return None
    rows, named = [Row(row) for row in first.rows], list[str]()
    while others:
        whole = Table(first.path, rows)
        links = ((table, link) for table in others if (link := _link(whole, table)))
        table, (column, own) = next(links, (None, ("", "")))
        if table is None:
            return None
        others.remove(table)
        rows = _with_table(rows, whole, column, table, own)
        named.append(column)
    return _with_values(rows), [name for name in first.columns if name in named]


def _link(table: Table, other: Table) -> tuple[str, str] | None:
    """The column of a table whose values are all ids of the other one, several times, and the column of these ids."""
    for own in other.columns:
        ids = other.keys(own)
        if len(ids) < len(other.rows):
            continue
        for column in table.columns:
            named = table.keys(column)
            if (
                _is_called(column, own, other)
                and named
                and named <= ids
                and len(named) * 2 <= len(table.rows)
            ):
                return column, own
    return None


def _is_called(column: str, own: str, other: Table) -> bool:
    """Whether a column is named for the ids of another table: case_id for case_id, or for id in a table of cases."""
    name = plain(column)
    if name == plain(own):
        return name.endswith(ID)
    stem = name.removesuffix(ID).strip("_ -")
    return plain(own) == ID and name.endswith(ID) and len(stem) > 1 and stem in plain(other.name)


def _with_table(rows: Sequence[Row], whole: Table, column: str, table: Table, own: str) -> list[Row]:
    """The rows with the columns of a further table behind that of its ids."""
    by_id = table.by_key(own)
    names = {
        name: f"{table.name} {name}" if name in whole.columns else name
        for name in table.columns
        if name != own
    }
    found = list[Row]()
    for row in rows:
        beside = by_id.get(as_key(row.get(column)), Row())
        arranged = Row()
        for name, value in row.items():
            arranged[name] = value
            if name == column:
                arranged |= {new: beside[inner] for inner, new in names.items() if inner in beside}
        found.append(arranged)
    return found


def _with_values(rows: Sequence[Row]) -> list[Row]:
    """The rows with the values that a database writes in its own way."""
    whole = Table("", rows)
    truths = {name for name in whole.columns if whole.keys(name) - {NOTHING} == {*TRUTHS}}
    return [Row((name, _value(value, name in truths)) for name, value in row.items()) for row in rows]


def _value(value: JSON, is_truth: bool) -> JSON:
    if value == NOTHING:
        return None
    return TRUTHS.get(value, value) if is_truth and isinstance(value, str) else value
