"""A column sorted once, from which every page takes no longer than a short one.

A row takes four bytes, and each different value twelve more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .ordering import Cursor, Part, Selected, key_of, sort_keys

LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class SortedRows:
    """An `Order` of rows. Those with the key `keys[n]` begin at the rank `starts[n]`, from 0."""

    order: NDArray[np.int32]
    keys: NDArray[np.float64]
    starts: NDArray[np.int32]
    descending: bool

    @classmethod
    def from_selected(cls, selected: Selected) -> "SortedRows":
        """Sort them; whole columns are dropped as soon as they are not needed, because each takes much memory."""
        keys = sort_keys(selected.values, selected.descending)
        is_whole = selected.total == len(keys)
        rows = None if is_whole else np.flatnonzero(selected.where).astype(np.int32)
        keys = keys if rows is None else keys[rows]
        order = np.argsort(keys, kind="stable").astype(np.int32)
        keys = keys[order]
        is_new = np.ones(len(keys), np.bool_)
        is_new[1:] = keys[1:] != keys[:-1]
        starts = np.flatnonzero(is_new).astype(np.int32)
        return cls(order if rows is None else rows[order], keys[starts], starts, selected.descending)

    @property
    def nbytes(self) -> int:
        return self.order.nbytes + self.keys.nbytes + self.starts.nbytes

    @property
    def total(self) -> int:
        return len(self.order)

    def part(self, size: int, *, after: Cursor | None = None, before: Cursor | None = None) -> Part:
        start = 0 if after is None else self._ahead(Cursor(after.value, after.index + 1))
        if before is None:
            return self._part(start, min(start + size, self.total))
        stop = self._ahead(before)
        return self._part(max(start, stop - size), stop)

    def part_from(self, index: int, size: int) -> Part | None:
        ranks = np.flatnonzero(self.order == index)
        if not len(ranks):
            return None
        return self._part(int(ranks[0]), min(int(ranks[0]) + size, self.total))

    def _part(self, start: int, stop: int) -> Part:
        rows = self.order[start:stop].astype(np.intp)
        if not len(rows):
            return Part(rows, 0, None, None)
        return Part(
            rows,
            start + 1,
            self._cursor(start) if start else None,
            self._cursor(stop - 1) if stop < self.total else None,
        )

    def _ahead(self, cursor: Cursor) -> int:
        """The number of rows before a cursor."""
        key = key_of(cursor, self.descending)
        number = int(np.searchsorted(self.keys, key))
        start, end = self._start(number), self._start(number + 1)
        if start == self.total or self.keys[number] != key:
            return start
        # with the same type, numpy compares without copying the rows
        index = np.int32(min(cursor.index, LARGEST))
        return start + int(np.searchsorted(self.order[start:end], index))

    def _start(self, number: int) -> int:
        return int(self.starts[number]) if number < len(self.starts) else self.total

    def _cursor(self, rank: int) -> Cursor:
        key = float(self.keys[np.searchsorted(self.starts, np.int32(rank), side="right") - 1])
        value = (-key if self.descending else key) + 0.0
        return Cursor(value if np.isfinite(key) else None, int(self.order[rank]))
