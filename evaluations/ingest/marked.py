"""Options that are marked 1 where they are right: TruthfulQA's mc1_targets, the target_scores of BIG-bench.

Their column becomes that of the right ones, and the options a column beside it.
"""

from collections.abc import Sequence
from typing import Any

from .batch import Row

OPTIONS = "options"  # in the name of the column of all options
PAIR = ({"choices", "labels"}, {"options", "labels"}, {"text", "label"}, {"choices", "scores"})
MARKS = {0, 1}
OF_BIG_BENCH = "target_scores"


def find(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns in all of whose cells some options are marked 1 and others 0.

    Objects with the same fields in all rows are results of tests, or labels of which each is said or not.

    >>> find([{"q": "?", "targets": {"choices": ["Oslo", "Rome"], "labels": [1, 0]}, "n": {"a": 1, "b": 0}}])
    ('targets',)
    >>> find([{"target_scores": {"May 5": 0, "May 6": 1}}, {"target_scores": {"May 5": 0}}])
    ()
    """
    names = [*dict.fromkeys(name for row in rows for name in row)]
    found = [name for name in names if rows and all(_are_marked(row.get(name)) for row in rows)]
    return tuple(name for name in found if name == OF_BIG_BENCH or _are_options([row[name] for row in rows]))


def with_answers(row: Row, columns: Sequence[str]) -> Row:
    """The row with the right options in place of these columns, one alone as it is, and the options behind each.

    >>> with_answers({"targets": {"choices": ["Oslo", "Rome"], "labels": [1, 0]}}, ["targets"])
    {'targets': 'Oslo', 'targets options': ['Oslo', 'Rome']}
    """
    arranged = Row()
    for name, value in row.items():
        marks = _marks(value) if name in columns else {}
        if not marks:
            arranged[name] = value
            continue
        right = [option for option, mark in marks.items() if mark == 1]
        arranged[name] = right[0] if len(right) == 1 else right
        arranged[f"{name} {OPTIONS}"] = [*marks]
    return arranged


def _are_marked(value: Any) -> bool:
    marks = _marks(value)
    return len(marks) > 1 and {*marks.values()} == MARKS


def _are_options(cells: Sequence[Any]) -> bool:
    """Whether options stand in lists, or are others in other rows."""
    return {*cells[0]} in PAIR or len({tuple(cell) for cell in cells}) > 1


def _marks(value: Any) -> dict[str, Any]:
    """The mark of each option; {} if the value is no such object."""
    if not isinstance(value, dict):
        return {}
    if {*value} in PAIR:
        options, marks = value.values()
        if not (isinstance(options, list) and isinstance(marks, list) and len(options) == len(marks)):
            return {}
        value = dict(zip(map(str, options), marks, strict=True))
    are_marks = all(isinstance(mark, int | float) and mark in MARKS for mark in value.values())
    return value if are_marks else {}
