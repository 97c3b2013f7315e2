"""Cells with lists and records as Python prints them, `{'total': 5, 'paid': True}`, as pandas writes them into CSV.

Where several columns have them, the file was written so and no model answered so: they are read as what they print.
"""

from collections.abc import Sequence
from typing import Any

from evaluations import python_lists, strict_json

from .batch import Row

FEWEST = 2  # columns: of one alone, as of a model that answers so, the quotes may be its own
ENOUGH = 5  # rows
EMPTY: dict[str, Any] = {"[]": [], "{}": {}}


def find(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns of such cells; () unless there are two or more.

    >>> rows = [{"q": "?", "expected": "{'a': None}", "small": "{'a': 1}", "large": '{"a": 1}'}] * 5
    >>> find(rows), find([{"q": "?", "small": "{'a': 1}"}] * 5)
    (('expected', 'small'), ())
    """
    names = [*dict.fromkeys(name for row in rows for name in row)]
    found = tuple(name for name in names if _are_printed([row.get(name) for row in rows]))
    return found if len(found) >= FEWEST else ()


def with_values(row: Row, columns: Sequence[str]) -> Row:
    """The row with the values of these columns; a cell that is none stays as it is."""
    return row | {name: value for name in columns if (value := _value(row.get(name))) is not None}


def _are_printed(cells: Sequence[Any]) -> bool:
    present = [cell for cell in cells if cell not in (None, "")]
    if len(present) < ENOUGH or not all(
        isinstance(cell, str) and _value(cell) is not None for cell in present
    ):
        return False
    return not all(map(_is_json, present))


def _value(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.strip()[:1] not in ("{", "["):
        return None
    if (bare := cell.strip()) in EMPTY:
        return EMPTY[bare]
    found = python_lists.record(bare)
    return python_lists.read(bare) if found is None else found


def _is_json(text: str) -> bool:
    try:
        strict_json.parse(text.encode())
    except (strict_json.JSONError, UnicodeEncodeError):
        return False
    return True
