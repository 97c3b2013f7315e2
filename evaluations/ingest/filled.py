"""Answers in one of several fields, by their type, as in DROP: {"number": "93", "date": {"day": ""}, "spans": []}."""

from typing import Any, TypeGuard

from .batch import Row
from .suggest import roles

FEWEST = 2  # fields of which one is filled


def arranged(rows: list[Row]) -> list[Row]:
    """The rows with what is filled instead of right answers of which always one field is; others as they are.

    >>> one, other = {"number": "93", "spans": []}, {"number": "", "spans": ["Ada", "Grace"]}
    >>> arranged([{"id": 1, "answer": one}, {"id": 2, "answer": other}])
    [{'id': 1, 'answer': '93'}, {'id': 2, 'answer': ['Ada', 'Grace']}]
    """
    names = [name for name, role in roles(rows[0]).items() if role == "reference"] if rows else []
    cells = {name: [row.get(name) for row in rows] for name in names}
    by_name = {name: [cell for cell in of_rows if _is_one_filled(cell)] for name, of_rows in cells.items()}
    # an object that is always filled in the same field is one with a text, not a choice of types
    found = {
        name: [_value(cell) for cell in filled]
        for name, filled in by_name.items()
        if len(filled) == len(rows) and len({_field(cell) for cell in filled}) > 1
    }
    return [row | {name: values[place] for name, values in found.items()} for place, row in enumerate(rows)]


def _is_one_filled(cell: Any) -> TypeGuard[dict[str, Any]]:
    is_object = isinstance(cell, dict) and len(cell) >= FEWEST
    return is_object and sum(map(_is_filled, cell.values())) == 1


def _is_filled(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_filled, value.values()))
    return value not in (None, "", [])


def _field(cell: dict[str, Any]) -> str:
    return next(name for name, value in cell.items() if _is_filled(value))


def _value(cell: dict[str, Any]) -> Any:
    """What is filled: a date as its parts in their order, the only member of a list as itself."""
    value = cell[_field(cell)]
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values() if _is_filled(part))
    return value[0] if isinstance(value, list) and len(value) == 1 else value
