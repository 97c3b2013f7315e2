"""One of several right answers: each is scored in a row of its own, and the best one counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.scores import Scores
from evaluations.values import MAXIMIZE, Column, Direction, Status

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Accepted:
    """Columns with a row for every right answer, and the row of the batch that each belongs to, ascending."""

    columns: dict[str, Column]
    rows: Rows


def spread(columns: dict[str, Column]) -> Accepted:
    """Repeat the rows whose expected value is a tuple, once for each member."""
    values: list[Any] = list(columns["expected"].values)
    counts = [len(value) if isinstance(value, tuple) else 1 for value in values]
    rows = np.repeat(np.arange(len(values)), counts)
    flat = [member for value in values for member in (value if isinstance(value, tuple) else (value,))]
    repeated = {name: _repeated(column, rows) for name, column in columns.items() if name != "expected"}
    expected = Column(flat, _repeated_problems(columns["expected"], rows))
    return Accepted(repeated | {"expected": expected}, rows)


def _repeated(column: Column, rows: Rows) -> Column:
    return Column([column.values[row] for row in rows.tolist()], _repeated_problems(column, rows))


def _repeated_problems(column: Column, rows: Rows) -> dict[int, tuple[Status, str]]:
    if not column.problems:
        return {}
    return {new: column.problems[old] for new, old in enumerate(rows.tolist()) if old in column.problems}


def best(scores: Scores, rows: Rows, size: int, direction: Direction) -> Scores:
    """The scores of the right answers that won, one for each row of the batch."""
    first = np.searchsorted(rows, np.arange(size))
    return scores.take(first + winners(scores, rows, size, direction))


def winners(scores: Scores, rows: Rows, size: int, direction: Direction) -> Rows:
    """For each row the number of its best right answer, from 0: with a score, else the first; ties to the first.

    One that waits to be paid for comes before all: it may be the best.
    """
    first = np.searchsorted(rows, np.arange(size))
    values = scores.values if direction == MAXIMIZE else -scores.values
    worth = np.where(scores.status == Status.ERROR, -np.inf, np.nan_to_num(values, nan=-np.inf))
    worth[scores.status == Status.NOT_SENT] = np.inf
    # Sorted by row, then the best first, then in order.
    order = np.lexsort((np.arange(len(rows)), -worth, rows))
    return np.asarray(order[first] - first)
