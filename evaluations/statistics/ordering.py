"""Pages of a column sorted by its scores, by selection: a million rows are never sorted for fifty."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.values import Status

Indices = NDArray[np.intp]
Verdict: TypeAlias = bool | Literal["neither"]
STRETCH = 256


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


@dataclass(frozen=True)
class Selected:
    """The rows of `where`, ordered by `values`: every page is selected from all of them."""

    values: NDArray[np.float64]
    where: NDArray[np.bool_]
    descending: bool

    @cached_property
    def total(self) -> int:
        return int(np.count_nonzero(self.where))

    def indices(self, size: int, *, after: Cursor | None = None, before: Cursor | None = None) -> Indices:
        """The rows of a `part`, in half of the time, because those ahead are not counted."""
        return page(
            self.values, size, descending=self.descending, after=after, before=before, where=self.where
        )

    def part(self, size: int, *, after: Cursor | None = None, before: Cursor | None = None) -> Part:
        """`size` rows after, or before, a cursor."""
        rows = self.indices(size, after=after, before=before)
        is_start = after is before is None or not len(rows)
        return self._placed(rows, 0 if is_start else self._count_ahead(rows[0]))

    def part_with(
        self, row: int | None, size: int, *, after: Cursor | None = None, before: Cursor | None = None
    ) -> Part:
        """The `part`; if a `row` of the selected ones is not in it, the page that begins with that row."""
        if row is None or not self.where[row]:
            return self.part(size, after=after, before=before)
        if (
            after is before is None
        ):  # its rank says whether the first page has the row, without selecting that page
            ahead = self._count_ahead(row)
            if ahead < size:
                return self.part(size)
        else:
            part = self.part(size, after=after, before=before)
            if row in part.rows:
                return part
            ahead = self._count_ahead(row)
        return self._placed(self.indices(size, after=Cursor(self._cursor(row).value, row - 1)), ahead)

    def _placed(self, rows: Indices, ahead: int) -> Part:
        """These rows as a part, of which the first has `ahead` rows before it."""
        if not len(rows):
            return Part(rows, 0, None, None)
        return Part(
            rows,
            ahead + 1,
            self._cursor(rows[0]) if ahead else None,
            self._cursor(rows[-1]) if ahead + len(rows) < self.total else None,
        )

    def _count_ahead(self, row: int) -> int:
        return count_ahead(self.values, row, self.where, descending=self.descending)

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
    rows just before it (also in page order); `where` filters rows. None of them changes the order. Rows are looked at a
    part at a time, because copies of long columns take much memory.
    """
    nearest = _Nearest(values, k, descending, is_backwards=before is not None)
    parts = list(long_arrays.parts(len(values) if k else 0))
    for part in parts if before is None else reversed(parts):
        chosen = nearest.may_be(values[part])
        if where is not None:
            chosen &= where[part]
        if after is not None:
            chosen &= ~_up_to(values[part], _from(part, after, 1), descending)
        if before is not None:
            chosen &= _up_to(values[part], _from(part, before), descending)
        nearest.add(part.start + np.flatnonzero(chosen))
    return nearest.rows()


class _Nearest:
    """The first `k` rows of those added, or the last if it `is_backwards`; of equal ones, those added first."""

    def __init__(self, values: NDArray[np.float64], k: int, descending: bool, *, is_backwards: bool) -> None:
        self._values, self._k, self._descending, self._is_backwards = values, k, descending, is_backwards
        self._found: Indices = np.empty(0, np.intp)
        self._limit: float | None = None  # the key of the farthest row, once there are `k`

    def may_be(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """The rows of a part that are nearer than `k` others. An equal one is not, because it is in a later part."""
        if self._limit is None:
            return np.ones(len(values), np.bool_)
        if self._is_backwards:
            return ~(
                _ahead(values, self._limit, self._descending) | _level(values, self._limit, self._descending)
            )
        return _ahead(values, self._limit, self._descending)

    def add(self, rows: Indices) -> None:
        both = (rows, self._found) if self._is_backwards else (self._found, rows)
        self._found = np.concatenate(both) if len(rows) else self._found
        if len(self._found) > 2 * self._k:
            self._found = self.rows()
            farthest = self._found[:1] if self._is_backwards else self._found[-1:]
            self._limit = float(sort_keys(self._values[farthest], self._descending)[0])

    def rows(self) -> Indices:
        keys = sort_keys(self._values[self._found], self._descending)
        if self._is_backwards:
            return self._found[len(keys) - 1 - _first(-keys[::-1], self._k)[::-1]]
        return self._found[_first(keys, self._k)]


def count_ahead(
    values: NDArray[np.float64], row: int, where: NDArray[np.bool_], *, descending: bool = False
) -> int:
    """The number of rows of `where` that come before `row`, one of them, in the order of `page`."""
    value = float(values[row])
    here = Cursor(value if np.isfinite(value) else None, int(row))
    return sum(
        int(np.count_nonzero(_up_to(values[part], _from(part, here), descending) & where[part]))
        for part in long_arrays.parts(len(values))
    )


def matching(
    values: NDArray[np.float64],
    passed: NDArray[np.int8],
    status: NDArray[np.uint8],
    *,
    statuses: tuple[Status, ...] = (),
    verdict: Verdict | None = None,
    low: float | None = None,
    high: float | None = None,
) -> NDArray[np.bool_]:
    """The mask of rows with one of `statuses` (none given: any but ABSENT), the verdict, and a value in [low, high].

    "neither" are scores that neither pass nor fail, such as those between 0 and 1 of raters who do not agree.

    The edges of a histogram bar make its filter: [edge, next edge), for which the caller passes the float below the
    next edge (`math.nextafter`), except in the last bin.
    """
    chosen = np.empty(len(status), np.bool_)
    for part in long_arrays.parts(len(status)):
        here = _any_of(status[part], statuses) if statuses else status[part] != Status.ABSENT
        if verdict == "neither":
            here &= (passed[part] < 0) & ~np.isnan(values[part])
        elif verdict is not None:
            here &= passed[part] == verdict
        if low is not None:
            here &= values[part] >= low
        if high is not None:
            here &= values[part] <= high
        chosen[part] = here
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


def _from(part: slice, cursor: Cursor, further: int = 0) -> Cursor:
    """The cursor, or one `further` rows behind it, counted from the start of a part."""
    return Cursor(cursor.value, max(cursor.index + further - int(part.start), 0))


def _up_to(values: NDArray[np.float64], cursor: Cursor, descending: bool) -> NDArray[np.bool_]:
    """The rows before a cursor."""
    key = key_of(cursor, descending)
    rows = _ahead(values, key, descending)
    rows[: cursor.index] |= _level(values[: cursor.index], key, descending)
    return rows


def _ahead(values: NDArray[np.float64], key: float, descending: bool) -> NDArray[np.bool_]:
    """The rows with a smaller key."""
    rows = np.isfinite(values)
    if np.isfinite(key):
        rows &= values > -key if descending else values < key
    return rows


def _level(values: NDArray[np.float64], key: float, descending: bool) -> NDArray[np.bool_]:
    """The rows with this key."""
    if np.isfinite(key):
        return np.asarray(values == (-key if descending else key))
    return ~np.isfinite(values)


def _first(keys: NDArray[np.float64], k: int) -> Indices:
    """The first `k` rows by (key, row)."""
    bound = _bound(keys, k)
    below = np.flatnonzero(keys < bound)
    ties = np.flatnonzero(keys == bound)[:k]
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
