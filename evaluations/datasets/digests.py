"""Sets of 128-bit digests as sorted arrays: 16 bytes each, while a Python set takes a hundred.

A digest is two 64-bit numbers, because numpy searches numbers ten times as fast as bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics import numbering

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Digests:
    """Digests of 128 bits; the order is by `high`, then by `low`."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]

    @classmethod
    def from_bytes(cls, joined: bytes | bytearray) -> "Digests":
        """From joined digests of 16 bytes each."""
        halves = np.frombuffer(joined, np.uint64)
        return cls(halves[::2], halves[1::2])

    @classmethod
    def empty(cls, length: int) -> "Digests":
        """Space for `length` digests."""
        return cls(long_arrays.zeros(length, np.uint64), long_arrays.zeros(length, np.uint64))

    @classmethod
    def joined(cls, parts: Sequence["Digests"]) -> "Digests":
        """The concatenation of several arrays of digests."""
        return cls(
            np.concatenate([part.high for part in parts]), np.concatenate([part.low for part in parts])
        )

    def put(self, first: int, more: "Digests") -> None:
        """Write `more` from the index `first` on."""
        self.high[first : first + len(more)] = more.high
        self.low[first : first + len(more)] = more.low

    def __len__(self) -> int:
        return len(self.high)

    def __getitem__(self, chosen: Any) -> "Digests":
        return Digests(self.high[chosen], self.low[chosen])

    def equals(self, other: "Digests") -> Mask:
        """Whether the digests at each index are equal."""
        same: Mask = (self.high == other.high) & (self.low == other.low)
        return same

    def order(self) -> Indices:
        """The indices that sort the digests (stable for equal ones); a share at a time if they are many."""
        if len(self) <= numbering.AT_ONCE:
            return np.lexsort((self.low, self.high))
        order, end = long_arrays.zeros(len(self), np.intp), 0
        for share in numbering.Shares(self.high, is_ordered=True):
            begin, end = end, end + len(share)
            order[begin:end] = share[np.lexsort((self.low[share], self.high[share]))]
        return order

    def sorted(self) -> "Digests":
        return self.taken(self.order())

    def taken(self, indices: Indices) -> "Digests":
        """The digests at these indices."""
        return Digests(long_arrays.taken(self.high, indices), long_arrays.taken(self.low, indices))

    def merged(self, other: "Digests") -> "Digests":
        """These sorted digests and others, sorted: a stretch at a time, because whole copies take much memory."""
        length = len(self) + len(other)
        merged = Digests.empty(length)
        ends = self.high[long_arrays.AT_ONCE :: long_arrays.AT_ONCE]
        starts, other_starts = (
            [0, *np.searchsorted(digests.high, ends).tolist(), len(digests)] for digests in (self, other)
        )
        for (start, stop), (first, last) in zip(pairwise(starts), pairwise(other_starts), strict=True):
            merged.put(start + first, Digests.joined([self[start:stop], other[first:last]]).sorted())
        return merged

    def find(self, searched: "Digests") -> tuple[Indices, Mask]:
        """For each of `searched`, its first index among these sorted digests, and whether it is present."""
        indices = np.searchsorted(self.high, searched.high)
        if not len(self):
            return indices, np.zeros(len(searched), np.bool_)
        last = len(self) - 1
        # Two digests share their first half, which happens once in ten million datasets of a million examples.
        while (behind := self._is_behind(np.minimum(indices, last), searched) & (indices < last)).any():
            indices[behind] += 1
        return indices, self[np.minimum(indices, last)].equals(searched)

    def _is_behind(self, indices: Indices, searched: "Digests") -> Mask:
        behind: Mask = (self.high[indices] == searched.high) & (self.low[indices] < searched.low)
        return behind

    def repeated(self) -> Mask:
        """The mask of digests that occurred earlier in this array."""
        order = self.order()
        mask = np.zeros(len(self), np.bool_)
        mask[order[1:]] = self[order].is_followed()[:-1]
        return mask

    def is_followed(self) -> Mask:
        """The mask of digests that equal the next one."""
        mask = np.zeros(len(self), np.bool_)
        mask[:-1] = self[:-1].equals(self[1:])
        return mask


class DigestSet:
    """A growing set: a few sorted arrays, each longer than the next."""

    def __init__(self) -> None:
        self._arrays: list[Digests] = []

    def add(self, digests: Digests) -> None:
        new = digests.sorted()
        while self._arrays and len(self._arrays[-1]) <= len(new):
            new = self._arrays.pop().merged(new)
        if len(new):
            self._arrays.append(new)

    def has(self, digests: Digests) -> Mask:
        mask = np.zeros(len(digests), np.bool_)
        for ordered in self._arrays:
            mask |= ordered.find(digests)[1]
        return mask
