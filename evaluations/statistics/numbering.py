"""Codes of labels in the order of their appearance, from few labels at a time: sorting all of them takes five times
the memory of the labels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays

AT_ONCE = 100_000  # labels of a share, about
MOST = 256  # shares, because one byte of a label tells its own

Labels = NDArray[np.int64]
Unsigned = NDArray[np.uint64]


def numbered(labels: Labels) -> Labels:
    """Integer codes from 0, equal for equal labels, in the order of their appearance."""
    codes, count = first_slots(labels), 0
    for part in long_arrays.parts(len(labels)):
        firsts = codes[part].copy()
        is_new = firsts == np.arange(part.start, part.start + len(firsts))
        new = int(np.count_nonzero(is_new))
        codes[part][is_new] = np.arange(count, count + new)
        codes[part][~is_new] = codes[firsts[~is_new]]
        count += new
    return codes


def without_gaps(codes: Labels) -> int:
    """Renumber codes in place, so that each from 0 on occurs, in the same order; returns how many there are."""
    is_used = long_arrays.zeros(int(codes.max(initial=-1)) + 1, np.bool_)
    for part in long_arrays.parts(len(codes)):
        is_used[codes[part]] = True
    ranks, count = long_arrays.zeros(len(is_used), np.int64), 0
    for part in long_arrays.parts(len(is_used)):
        ranks[part] = count + np.cumsum(is_used[part]) - 1
        count += int(np.count_nonzero(is_used[part]))
    for part in long_arrays.parts(len(codes)):
        codes[part] = ranks[codes[part]]
    return count


class Shares:
    """The slots of labels in shares, equal labels in the same one. Each label is looked at twice.

    The last bits of a label tell its share, or the first ones if it `is_ordered`: then smaller labels come first.
    """

    def __init__(self, labels: Unsigned | Labels, *, is_ordered: bool = False) -> None:
        self._is_ordered = is_ordered
        self._count = min(1 << (max(len(labels) - 1, 0) // AT_ONCE).bit_length(), MOST)
        self._slots = long_arrays.zeros(len(labels), np.int64)
        sizes = np.zeros(self._count, np.int64)
        for part in long_arrays.parts(len(labels)):
            sizes += self._sizes(self._shares(labels[part]))
        self._ends = np.cumsum(sizes)
        self._place(labels, self._ends - sizes)

    def _place(self, labels: Unsigned | Labels, free: Labels) -> None:
        """Write each slot behind the others of its share; `free` has the place of each share's next one."""
        for part in long_arrays.parts(len(labels)):
            shares = self._shares(labels[part])
            sizes = self._sizes(shares)
            before = np.cumsum(sizes) - sizes  # slots of the part in smaller shares
            places = np.repeat(free - before, sizes) + np.arange(len(shares))
            self._slots[places] = part.start + np.argsort(shares, kind="stable")
            free = free + sizes

    def _shares(self, labels: Unsigned | Labels) -> NDArray[np.uint8]:
        if self._is_ordered:
            first_byte = (labels.view(np.uint64) >> np.uint64(56)).astype(np.uint8)
            return first_byte >> np.uint8(9 - self._count.bit_length())
        return labels.astype(np.uint8) & np.uint8(self._count - 1)

    def _sizes(self, shares: NDArray[np.uint8]) -> Labels:
        return np.bincount(shares, minlength=self._count)

    def __iter__(self) -> Iterator[Labels]:
        """The slots of each share, ascending."""
        return iter(np.split(self._slots, self._ends[:-1]))


def first_slots(labels: Labels) -> Labels:
    """For every slot, the first one with the same label."""
    firsts = long_arrays.zeros(len(labels), np.int64)
    for share in Shares(labels):
        values, slots = _values(labels, share)
        for part in long_arrays.parts(len(share)):
            here = share[part]
            firsts[here] = slots[np.searchsorted(values, labels[here])]
    return firsts


def _values(labels: Labels, share: Labels) -> tuple[Labels, Labels]:
    """The labels of a share, ascending, and the first slot of each."""
    found = [(labels[:0], share[:0])]
    for part in long_arrays.parts(len(share)):
        here = share[part]
        values, firsts = np.unique(labels[here], return_index=True)
        found.append((values, here[firsts]))
    values, slots = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.argsort(values, kind="stable")  # equal labels stay in the order of their slots
    values, slots = values[order], slots[order]
    is_new = np.append(True, values[1:] != values[:-1])[: len(values)]
    return values[is_new], slots[is_new]
