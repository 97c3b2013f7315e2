"""Tables that a JSON object holds by column: {"id": [1, 2, …], "score": [0.5, 0.7, …], "model": "small"}."""

from typing import Any

from evaluations.files.text import clean_json

from . import json_object
from .batch import Row

FEWEST_COLUMNS, FEWEST_ROWS = 2, 5


def rows(content: bytes) -> list[Row]:
    """The rows, each with the values that stand for all of them; [] of any other file.

    >>> rows(b'{"id": [1, 2, 3, 4, 5], "said": ["a", "b", null, "d", "e"], "model": "small"}')[0]
    {'id': 1, 'said': 'a', 'model': 'small'}
    >>> rows(b'{"rows": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}], "tags": [1, 2, 3, 4, 5]}')
    []
    """
    found = json_object.of_file(content)
    if found is None:
        return []
    lists = {name: value for name, value in found.items() if isinstance(value, list)}
    sizes = {len(value) for value in lists.values()}
    if len(lists) < FEWEST_COLUMNS or len(sizes) != 1 or max(sizes) < FEWEST_ROWS:
        return []
    if any(isinstance(value, dict) for value in found.values()) or not all(map(_are_cells, lists.values())):
        return []
    return [
        clean_json({name: value[place] if name in lists else value for name, value in found.items()})
        for place in range(max(sizes))
    ]


def _are_cells(values: list[Any]) -> bool:
    """Whether no value is an object: lists of objects are rows."""
    return not any(isinstance(value, dict) for value in values)
