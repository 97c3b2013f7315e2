"""Pages of a column sorted by its scores, by selection: a million rows are never sorted for fifty."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluations.values import Status

Indices = NDArray[np.intp]
STRETCH = 256
FEW = 4  # A filter is selective if it leaves less than one in this many rows.


@dataclass(frozen=True)
class Cursor:
    """The row to continue from: its value (None if it has none) and its index."""

    value: float | None
    index: int


@dataclass(frozen=True)
class Part:
    """A page of an order: its `rows`, the rank of the first of them from 1 (0 without rows), and the cursors of the
    neighbouring pages, None at the ends."""

    rows: Indices
    first: int
    before: Cursor | None
    after: Cursor | None


class Order(Protocol):
    """Rows in the order of `page`, of which `total` count."""

    @property
    def total(self) -> int: ...

    def part(self, size: int, *, after: Cursor | None = None, before: Cursor | None = None) -> Part:
        """`size` rows after, or before, a cursor."""

    def part_from(self, index: int, size: int) -> Part | None:
        """The page that begins with this row; None if it does not count."""


@dataclass(frozen=True)
class Selected:
    """The rows of `where`, ordered by `values`: every page is selected from all of them."""

    values: NDArray[np.float64]
    where: NDArray[np.bool_]
    descending: bool

    @cached_property
    def total(self) -> int:
        return int(np.count_nonzero(self.where))

    def part(self, size: int, *, after: Cursor | None = None, before: Cursor | None = None) -> Part:
        rows = page(
            self.values, size, descending=self.descending, after=after, before=before, where=self.where
        )
        if not len(rows):
            return Part(rows, 0, None, None)
        first = 1 + count_ahead(self.values, rows[0], self.where, descending=self.descending)
        is_last = first + len(rows) > self.total
        return Part(
            rows,
            first,
            self._cursor(rows[0]) if first > 1 else None,
            None if is_last else self._cursor(rows[-1]),
        )

    def part_from(self, index: int, size: int) -> Part | None:
        if not self.where[index]:
            return None
        return self.part(size, after=Cursor(self._cursor(index).value, index - 1))

    def _cursor(self, index: int) -> Cursor:
        value = float(self.values[index])
        return Cursor(None if np.isnan(value) else value, int(index))


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

    Equal values keep the order of their index in both directions. `after` selects rows after a cursor, `before` the `k`
    rows just before it (also in page order); `where` filters rows. None of them changes the order.
    """
    if where is not None and (rows := _if_few(where)) is not None:
        behind = after and Cursor(after.value, int(np.searchsorted(rows, after.index, "right")) - 1)
        ahead = before and Cursor(before.value, int(np.searchsorted(rows, before.index)))
        return rows[page(values[rows], k, descending=descending, after=behind, before=ahead)]
    keys = sort_keys(values, descending)
    chosen = np.ones(len(keys), np.bool_) if where is None else where
    if after is not None:
        chosen = chosen & _rows_after(keys, key_of(after, descending), after.index)
    if before is None:
        return _first(keys, chosen, k)
    chosen = chosen & _rows_before(keys, key_of(before, descending), before.index)
    return len(keys) - 1 - _first(-keys[::-1], chosen[::-1], k)[::-1]


def count_ahead(
    values: NDArray[np.float64], row: int, where: NDArray[np.bool_], *, descending: bool = False
) -> int:
    """The number of rows of `where` that come before `row`, one of them, in the order of `page`."""
    if (rows := _if_few(where)) is not None:
        row, values = int(np.searchsorted(rows, row)), values[rows]
        return int(np.count_nonzero(_rows_ahead(values, row, descending)))
    return int(np.count_nonzero(_rows_ahead(values, row, descending) & where))


def _rows_ahead(values: NDArray[np.float64], row: int, descending: bool) -> NDArray[np.bool_]:
    keys = sort_keys(values, descending)
    return _rows_before(keys, keys[row], row)


def _if_few(where: NDArray[np.bool_]) -> Indices | None:
    """The rows of a mask, if taking them is faster than comparing all."""
    return np.flatnonzero(where) if np.count_nonzero(where) * FEW < len(where) else None


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
    """The mask of rows with one of `statuses` (none given: any but ABSENT), the verdict, and a value in [low, high].

    The edges of a histogram bar make its filter: [edge, next edge), for which the caller passes the float below the
    next edge (`math.nextafter`), except in the last bin.
    """
    chosen = _any_of(status, statuses) if statuses else status != Status.ABSENT
    if verdict is not None:
        chosen &= passed == verdict
    if low is not None:
        chosen &= values >= low
    if high is not None:
        chosen &= values <= high
    return chosen


def _any_of(status: NDArray[np.uint8], accepted: tuple[Status, ...]) -> NDArray[np.bool_]:
    return np.asarray(np.logical_or.reduce([status == code for code in accepted]))


def sort_keys(values: NDArray[np.float64], descending: bool) -> NDArray[np.float64]:
    """Numbers that sort rows ascending; infinite for rows without a value."""
    return np.where(np.isfinite(values), -values if descending else values, np.inf)


def key_of(cursor: Cursor, descending: bool) -> float:
    if cursor.value is None:
        return np.inf
    return -cursor.value if descending else cursor.value


def _rows_before(keys: NDArray[np.float64], key: float, row: int) -> NDArray[np.bool_]:
    """The rows before (key, row)."""
    rows = keys < key
    rows[:row] |= keys[:row] == key
    return rows


def _rows_after(keys: NDArray[np.float64], key: float, row: int) -> NDArray[np.bool_]:
    """The rows after (key, row)."""
    rows = keys > key
    rows[row + 1 :] |= keys[row + 1 :] == key
    return rows


def _first(keys: NDArray[np.float64], chosen: NDArray[np.bool_], k: int) -> Indices:
    """The first `k` of the chosen rows by (key, row)."""
    masked = np.where(chosen, keys, np.inf)
    bound = _bound(masked, k)
    below = np.flatnonzero(masked < bound)
    ties = np.flatnonzero((keys == bound) & chosen)[:k]
    rows = np.concatenate([below, ties])
    return rows[np.lexsort((rows, keys[rows]))][:k]


def _bound(keys: NDArray[np.float64], k: int) -> float:
    """A key that at least `k` keys do not exceed, while fewer than `k * STRETCH` are below it.

    It is the k-th smallest minimum of all stretches, so fewer than `k` stretches have keys below it. Each key is read
    once, in a tenth of the time of `np.partition`, which equal keys slow down.
    """
    if len(keys) <= k * STRETCH:
        return np.inf
    minima = np.minimum.reduceat(keys, np.arange(0, len(keys), STRETCH))
    return float(np.partition(minima, k - 1)[k - 1]) if k else -np.inf
