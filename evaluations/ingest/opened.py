"""Objects that are opened: the fields of `row` in {"row_idx": 0, "row": {"question": …}} become columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from . import tool_scores, wrapped
from .batch import Row
from .known_names import SCORES
from .suggest import roles, sure_roles

Opened = tuple[tuple[str, str], ...]  # columns, each with the prefix of its fields' names
FEWEST, MOST_FIELDS = 1, 100
PAIR = ("inputs", "outputs")
BESIDE_THE_PAIR = ("metadata", "reference_outputs", "reference", "expected")


def find(rows: Sequence[Mapping[str, Any]]) -> Opened:
    """The columns to open: one with inputs inside where no other column has any, those of LangSmith, and scores.

    If all columns are objects, as in a table of structs, those of shares are scores.

    >>> find([{"row_idx": 0, "row": {"question": "q", "answer": "a"}}])
    (('row', ''),)
    >>> find([{"inputs": {"q": "1"}, "outputs": {"a": "2"}, "metadata": {"split": "base"}}])
    (('inputs', 'inputs.'), ('outputs', 'outputs.'), ('metadata', 'metadata.'))
    >>> find([{"question": "q", "6b": {"solution": "a"}, "scores": {"exact": 1}}])
    (('scores', 'scores.'),)
    >>> find([{"id": 1, "output": "a", "stats": {"exact_match": 1}}, {"id": 2, "output": "b", "usage": {"tokens": 1}}])
    (('stats', 'stats.'),)
    >>> find([{"doc": {"query": "q"}, "metric": {"match": 1.0}}, {"doc": {"query": "r"}, "metric": {"match": 0.0}}])
    (('doc', ''), ('metric', 'scores.'))
    """
    if wrapped.find(rows):
        return ()
    names = [*dict.fromkeys(name for row in rows for name in row)]
    objects = {name: fields for name in names if (fields := _fields([row.get(name) for row in rows]))}
    if all(name in objects for name in PAIR):
        around = [name for name in names if name in objects and name in (*PAIR, *BESIDE_THE_PAIR)]
        pairs = [(name, f"{name}.") for name in around]
    else:
        pairs = [(name, "") for name in _with_inputs(names, objects)]
    measures = {name: fields for name in names if (fields := _measures([row.get(name) for row in rows]))}
    scores = [
        (name, f"{name}." if name in objects else "")  # what a point leads into is an object
        for name, fields in measures.items()
        if name in SCORES or tool_scores.METRICS & {*fields}
    ]
    if pairs and not scores and len(names) == len(objects):
        scores = [(name, "scores.") for name in measures if _are_shares(rows, name)]
    return tuple(pairs + scores)


def _with_inputs(names: Sequence[str], objects: Mapping[str, Sequence[str]]) -> list[str]:
    """The only column with inputs inside, if no other column is one, and none has the name of a field inside."""
    if "inputs" in roles(names).values():
        return []
    inside = [name for name, fields in objects.items() if "inputs" in sure_roles(fields).values()]
    is_alone = len(inside) == 1 and not {*objects[inside[0]]} & {*names}
    return inside if is_alone else []


def _fields(values: Sequence[Any]) -> list[str]:
    """The names of the fields, if all present values are objects with few fields in all; else empty."""
    present = [value for value in values if value is not None]
    if not present or not all(isinstance(value, dict) for value in present):
        return []
    names = [*dict.fromkeys(name for value in present for name in value)]
    return names if FEWEST <= len(names) <= MOST_FIELDS else []


def _measures(values: Sequence[Any]) -> list[str]:
    """The names of numbers, if all present values are objects of few numbers, or lists of numbers with names."""
    found = [fields_of(value) for value in values if value is not None]
    if not found or None in found:
        return []
    numbers = [number for fields in found for number in (fields or {}).values()]
    names = [*dict.fromkeys(name for fields in found for name in fields or ())]
    are_numbers = all(number is None or isinstance(number, int | float) for number in numbers)
    return names if are_numbers and FEWEST <= len(names) <= MOST_FIELDS else []


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of an object, or the numbers by name in a list of them; None of anything else.

    >>> fields_of([{"name": {"name": "exact_match", "split": "test"}, "mean": 1.0}, {"name": "f1", "score": 0.5}])
    {'exact_match': 1.0, 'f1': 0.5}
    """
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return None
    fields: dict[str, Any] = {}
    for one in value:
        name = one["name"].get("name") if isinstance(one.get("name"), dict) else one.get("name")
        number = next((one[key] for key in ("score", "value", "mean") if key in one), None)
        if not isinstance(name, str) or not isinstance(number, int | float):
            return None
        fields.setdefault(name, number)
    return fields


def _are_shares(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether an object has nothing but numbers from 0 to 1, as scores are."""
    values = [value for row in rows for value in (row.get(name) or {}).values() if value is not None]
    return bool(values) and all(0 <= value <= 1 for value in values)


def with_fields(row: Row, opened: Opened) -> Row:
    """The row with the fields of its objects in their place. A field whose name is taken keeps that of its column.

    >>> with_fields({"id": 1, "row": {"id": 2, "q": "a"}}, (("row", ""),))
    {'id': 1, 'row.id': 2, 'q': 'a'}
    """
    prefixes, fields = dict(opened), Row()
    for name, value in row.items():
        inside = fields_of(value) if name in prefixes else None
        if inside is not None:
            for inner, member in inside.items():
                plain = prefixes[name] + inner
                fields[f"{name}.{inner}" if plain in row or plain in fields else plain] = member
        else:
            fields[name] = value
    return fields
