"""Lists of objects with the marks that each of several raters gave, `[{"fluency": 4, "coherence": 3}, …]`.

Each quality becomes a column with the list of what all said of it, which is a score by its mean.
"""

from collections.abc import Sequence
from typing import Any

from .batch import Row
from .looked_at import ENOUGH

HIGHEST = 100
Rated = tuple[str, tuple[str, ...]]  # a column, and its qualities


def find(rows: Sequence[Row]) -> tuple[Rated, ...]:
    """The columns of such lists.

    >>> find([{"said": "text", "experts": [{"fluency": 4}, {"fluency": 5}]}] * 10)
    (('experts', ('fluency',)),)
    >>> find([{"said": [{"start": 4, "label": "place"}]}] * 10)
    ()
    """
    names = [*dict.fromkeys(name for row in rows for name in row)] if len(rows) >= ENOUGH else []
    found = ((name, _qualities([row.get(name) for row in rows])) for name in names)
    return tuple((name, qualities) for name, qualities in found if qualities)


def with_columns(row: Row, columns: Sequence[Rated]) -> Row:
    """The row with a list of marks for each quality in place of these columns; a cell of anything else stays.

    >>> with_columns({"experts": [{"fluency": 4}, {"fluency": 5}]}, [("experts", ("fluency",))])
    {'experts fluency': [4, 5]}
    >>> with_columns({"experts": "nobody"}, [("experts", ("fluency",))])
    {'experts': 'nobody'}
    """
    qualities, arranged = dict(columns), Row()
    for name, value in row.items():
        marks = _marks(value)
        if name not in qualities or (value is not None and {*map(tuple, marks)} != {qualities[name]}):
            arranged[name] = value
            continue
        arranged |= {
            f"{name} {quality}": [one[quality] for one in marks] or None for quality in qualities[name]
        }
    return arranged


def _qualities(cells: Sequence[Any]) -> tuple[str, ...]:
    """The fields of the objects with marks in all lists, if these are the same and the marks are not."""
    lists = [_marks(cell) for cell in cells if cell is not None]
    fields = {tuple(one) for listed in lists for one in listed}
    values = {value for listed in lists for one in listed for value in one.values()}
    is_such = len(lists) >= ENOUGH and all(lists) and len(fields) == 1 and len(values) > 1
    return fields.pop() if is_such else ()


def _marks(cell: Any) -> list[dict[str, Any]]:
    """The objects of a list, if each has nothing but numbers from 0 to 100; none of anything else."""
    objects = cell if isinstance(cell, list) else []
    return (
        objects
        if all(isinstance(one, dict) and one and all(map(_is_mark, one.values())) for one in objects)
        else []
    )


def _is_mark(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= HIGHEST
