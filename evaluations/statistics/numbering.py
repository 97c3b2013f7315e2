"""Codes of labels in the order of their appearance, from few labels at a time: sorting all of them takes five times
the memory of the labels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays

AT_ONCE = 100_000  # labels of a share, about
MOST = 256  # shares, because the last byte of a label tells its own

Labels = NDArray[np.int64]


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


def shares(labels: Labels) -> int:
    """The number of shares that labels are worked on in."""
    return min(1 << (max(len(labels) - 1, 0) // AT_ONCE).bit_length(), MOST)


def slots_of(labels: Labels, share: int, shares: int) -> Iterator[Labels]:
    """The slots of the labels of a share, part by part."""
    for part in long_arrays.parts(len(labels)):
        yield part.start + np.flatnonzero(labels[part].astype(np.uint8) & (shares - 1) == share)


def first_slots(labels: Labels) -> Labels:
    """For every slot, the first one with the same label."""
    firsts, count = long_arrays.zeros(len(labels), np.int64), shares(labels)
    for share in range(count if len(labels) else 0):
        values, slots = _values(labels, share, count)
        for here in slots_of(labels, share, count):
            firsts[here] = slots[np.searchsorted(values, labels[here])]
    return firsts


def _values(labels: Labels, share: int, count: int) -> tuple[Labels, Labels]:
    """The labels of a share, ascending, and the first slot of each."""
    found = []
    for here in slots_of(labels, share, count):
        values, firsts = np.unique(labels[here], return_index=True)
        found.append((values, here[firsts]))
    values, slots = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.argsort(values, kind="stable")  # equal labels stay in the order of their slots
    values, slots = values[order], slots[order]
    is_new = np.append(True, values[1:] != values[:-1])[: len(values)]
    return values[is_new], slots[is_new]
