"""Pages of a column in the order of its scores, by selection: a million rows are never sorted for fifty."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.values import Status

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Cursor:
    """A row to go on from: its value (None where it has none) and its index."""

    value: float | None
    index: int


def page(
    values: NDArray[np.float64],
    k: int,
    *,
    descending: bool = False,
    after: Cursor | None = None,
    before: Cursor | None = None,
    where: NDArray[np.bool_] | None = None,
) -> Indices:
    """The indices of the next `k` rows ordered by (value, index), rows without a value last.

    Equal values keep the order of their index in both directions. `after` gives the rows behind a cursor,
    `before` the `k` rows just ahead of it (in page order, too); `where` leaves rows out. Neither changes the
    order.
    """
    keys = _keys(values, descending)
    rows = np.arange(len(keys)) if where is None else np.flatnonzero(where)
    keys = keys[rows]
    if after is not None:
        behind = _behind(keys, rows, _key(after, descending), after.index)
        keys, rows = keys[behind], rows[behind]
    if before is not None:
        ahead = _behind(-keys, -rows, -_key(before, descending), -before.index)
        return -_first(-keys[ahead][::-1], -rows[ahead][::-1], k)[::-1]
    return _first(keys, rows, k)


def worst(
    values: NDArray[np.float64],
    direction: str,
    k: int,
    *,
    after: Cursor | None = None,
    where: NDArray[np.bool_] | None = None,
) -> Indices:
    """The `k` worst rows in the evaluator's direction ("maximize", "minimize"); rows without a value last."""
    return page(values, k, descending=direction == "minimize", after=after, where=where)


def best(
    values: NDArray[np.float64],
    direction: str,
    k: int,
    *,
    after: Cursor | None = None,
    where: NDArray[np.bool_] | None = None,
) -> Indices:
    """The `k` best rows in the evaluator's direction; rows without a value last."""
    return page(values, k, descending=direction == "maximize", after=after, where=where)


def count_ahead(keys: NDArray[np.float64], row: int, where: NDArray[np.bool_]) -> int:
    """How many of the rows `where` come before `row` in ascending order of (key, row), NaN last."""
    keys = _keys(keys, descending=False)
    ahead = (keys < keys[row]) | ((keys == keys[row]) & (np.arange(len(keys)) < row))
    return int(np.count_nonzero(ahead & where))


def matching(
    values: NDArray[np.float64],
    passed: NDArray[np.int8],
    status: NDArray[np.uint8],
    *,
    statuses: tuple[Status, ...] = (),
    verdict: bool | None = None,
    low: float | None = None,
    high: float | None = None,
) -> NDArray[np.bool_]:
    """Which rows have one of `statuses` (none named: any but ABSENT), the verdict, a value in [low, high].

    The sides of a histogram's bar make its filter: [edge, next edge), for which the caller passes the float
    below the next edge (`math.nextafter`) except in the last bin.
    """
    chosen = np.isin(status, statuses) if statuses else status != Status.ABSENT
    if verdict is not None:
        chosen &= passed == verdict
    if low is not None:
        chosen &= values >= low
    if high is not None:
        chosen &= values <= high
    return chosen


def _keys(values: NDArray[np.float64], descending: bool) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), -values if descending else values, np.inf)


def _key(cursor: Cursor, descending: bool) -> float:
    if cursor.value is None:
        return np.inf
    return -cursor.value if descending else cursor.value


def _behind(keys: NDArray[np.float64], rows: Indices, key: float, row: int) -> NDArray[np.bool_]:
    return (keys > key) | ((keys == key) & (rows > row))


def _first(keys: NDArray[np.float64], rows: Indices, k: int) -> Indices:
    """The first `k` of rows that are in ascending order, by (key, row)."""
    if k == 0:
        return rows[:0]
    if len(keys) > k:
        last = np.partition(keys, k - 1)[k - 1]
        below = np.flatnonzero(keys < last)
        ties = np.flatnonzero(keys == last)[: k - len(below)]
        chosen = np.concatenate([below, ties])
        keys, rows = keys[chosen], rows[chosen]
    return rows[np.lexsort((rows, keys))]
