"""Cells of a table whose column says that they are JSON, so that every value comes back with its type.

A text that is no JSON stands as it is, as a person would type it: `Lima`, `5`, `"5"`, `[1,2]`, `true`.
"""

from . import strict_json
from .values import JSON, PARTS, stored_json

SUFFIX = ":json"


def own_name(column: str) -> str:
    """The name without the suffix. Only columns that are named with their part, as exports name them, can have it.

    >>> own_name("inputs.n:json"), own_name("inputs.n"), own_name("n:json")
    ('inputs.n', 'inputs.n', 'n:json')
    """
    part, _, name = column.partition(".")
    is_marked = part in PARTS and name.endswith(SUFFIX) and name != SUFFIX
    return column.removesuffix(SUFFIX) if is_marked else column


def cell_of(value: JSON) -> str | None:
    """
    >>> cell_of("Lima"), cell_of("5"), cell_of(5), cell_of(""), cell_of(None)
    ('Lima', '"5"', '5', '""', None)
    """
    if value is None or (isinstance(value, str) and value and value_of(value) is value):
        return value
    return stored_json(value)


def value_of(cell: str) -> JSON:
    """
    >>> value_of("Lima"), value_of('"5"'), value_of("5"), value_of("007"), value_of("NaN")
    ('Lima', '5', 5, '007', 'NaN')
    """
    try:
        return strict_json.parse(cell.encode())
    except strict_json.JSONError:
        return cell
