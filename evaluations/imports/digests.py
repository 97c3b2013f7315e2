"""Sets of digests as sorted arrays: 16 bytes each, where a set of Python takes a hundred."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.contents import SIZE

Digests = NDArray[np.bytes_]
Mask = NDArray[np.bool_]


def array(digests: Sequence[bytes]) -> Digests:
    return np.frombuffer(b"".join(digests), f"S{SIZE}")


def empty() -> Digests:
    return array([])


def place(ordered: Digests, wanted: Digests) -> tuple[NDArray[np.intp], Mask]:
    """Where each digest first stands in a sorted array, and whether it does."""
    places = np.searchsorted(ordered, wanted)
    if not len(ordered):
        return places, np.zeros(len(wanted), np.bool_)
    return places, ordered[np.minimum(places, len(ordered) - 1)] == wanted


def repeated(values: NDArray[Any]) -> Mask:
    """Those that stand earlier in the array already."""
    mask = np.ones(len(values), np.bool_)
    mask[np.unique(values, return_index=True)[1]] = False
    return mask


class Seen:
    """A set that grows: a few sorted arrays, each longer than the next."""

    def __init__(self) -> None:
        self._arrays: list[Digests] = []

    def add(self, digests: Digests) -> None:
        new: NDArray[Any] = np.sort(digests)
        while self._arrays and len(self._arrays[-1]) <= len(new):
            # A stable sort merges what is sorted already.
            new = np.sort(np.concatenate([self._arrays.pop(), new]), kind="stable")
        self._arrays.append(new)

    def has(self, digests: Digests) -> Mask:
        mask = np.zeros(len(digests), np.bool_)
        for ordered in self._arrays:
            mask |= place(ordered, digests)[1]
        return mask
