"""Objects that are whole answers, as their fields show: another column has objects with them, as the right one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from evaluations import python_lists

from .batch import Row

FEWEST = 3  # objects from which names like those of models say that each is a variant


def has_fields_of(columns: Sequence[str], rows: Sequence[Row], cells: Sequence[Any]) -> bool:
    """Whether one of these columns has objects with the fields of these cells: then each cell is a whole answer."""
    fields = {name for cell in cells if isinstance(cell, dict) for name in cell}
    found = ([value for row in rows if (value := row.get(name)) is not None] for name in columns)
    return any(
        values and all(isinstance(value, dict) and value and value.keys() <= fields for value in values)
        for values in found
    )


def value_of(cell: Any) -> Any:
    """A cell, read as JSON or as Python prints it, where it is a text of an object or a list."""
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("{", "["):
        return cell
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        return python_lists.record(cell) or python_lists.read(cell) or cell


def are_of_one_kind(columns: Sequence[str], rows: Sequence[Row], found: Sequence[Mapping[str, Any]]) -> bool:
    """Whether cells have the same few names, with objects that are like those of another column: states of a dialogue.

    Such objects may be empty, and have many fields of which each has a few.
    """
    names = {frozenset(one) for one in found}
    members = [value for one in found for value in one.values()]
    if len(found) < FEWEST or len(names) != 1 or not all(isinstance(value, dict) for value in members):
        return False
    fields, variants = {*counts(members)}, next(iter(names))
    for column in columns:
        cells = [value_of(row.get(column)) for row in rows]
        known = {*counts(cells)} if all(isinstance(cell, dict) for cell in cells) else set[str]()
        if len(known & fields) * 2 > len(known | fields) and not known & variants:
            return True
    return False


def counts(objects: Sequence[Mapping[str, Any]]) -> Counter[str]:
    return Counter(name for item in objects for name in item)
