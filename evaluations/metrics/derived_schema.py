"""A JSON Schema that given values fit: types, the fields of objects, those that none lacks, and what lists hold."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations.values import JSON, stored_json

from . import json_schema

DEPTHS = (12, 4, 2, 1)  # of nested values that are described: fewer where the schema would be too large
LONGEST = 20_000  # characters, which somebody can still read


def of_values(values: Sequence[JSON]) -> dict[str, Any]:
    """The schema of values, as deep as it stays small.

    >>> of_values([{"city": "Rome", "stars": 4}, {"city": "Oslo", "stars": 4.5, "tags": ["new"]}])["required"]
    ['city', 'stars']
    >>> of_values([[1, 2], []])
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    for depth in DEPTHS:
        schema = _described(values, depth)
        if len(stored_json(schema)) <= LONGEST and json_schema.steps(schema) <= json_schema.MOST_STEPS:
            return schema
    return _described(values, 0)


def types(words: Iterable[str]) -> dict[str, Any]:
    """The schema of values of these types; a whole number is a number.

    >>> types(["number", "integer"]), types(["string", "null"])
    ({'type': 'number'}, {'type': ['null', 'string']})
    """
    several = sorted({*words} - ({"integer"} if "number" in words else set()))
    return {"type": several[0] if len(several) == 1 else several}


def _described(values: Sequence[JSON], depth: int) -> dict[str, Any]:
    schema = types({json_schema.type_of(value) for value in values})
    if depth == 0:
        return schema
    if objects := [value for value in values if isinstance(value, dict)]:
        names = list(dict.fromkeys(name for value in objects for name in value))
        required = [name for name in names if all(name in value for value in objects)]
        schema |= {"required": required} if required else {}
        schema["properties"] = {
            name: _described([value[name] for value in objects if name in value], depth - 1) for name in names
        }
    if members := [member for value in values if isinstance(value, list) for member in value]:
        schema["items"] = _described(members, depth - 1)
    return schema
