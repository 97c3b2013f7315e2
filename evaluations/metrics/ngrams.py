"""Counts shared n-grams of characters of text pairs, for a whole batch at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# About this many characters are counted at once: that bounds the memory, and the allocator can reuse arrays of
# this size instead of mapping new ones (a quarter faster than with half a million).
SLICE = 75_000


@dataclass(frozen=True)
class Units:
    """Units (code points or UTF-16 units) of several texts in one array, and the index at which each text ends."""

    units: NDArray[Any]
    ends: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of units of each text."""
        return np.diff(self.ends, prepend=0)


def code_points(texts: Sequence[str]) -> Units:
    """Texts as code points."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
    return Units(points, np.cumsum([len(text) for text in texts], dtype=np.int64))


def in_slices(
    actual: Sequence[str], expected: Sequence[str], count: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    """Apply `count(actual, expected)` to slices of about SLICE characters; results are joined along the last axis."""
    ends = np.cumsum([len(a) + len(e) for a, e in zip(actual, expected, strict=True)], dtype=np.int64)
    borders = (np.flatnonzero(np.diff(ends // SLICE)) + 1).tolist()
    slices = zip([0, *borders], [*borders, len(ends)], strict=True)
    return np.concatenate(
        [count(actual[first:last], expected[first:last]) for first, last in slices], axis=-1
    )


class TooManyUnits(ValueError):
    """The rows have so many distinct units that an n-gram does not fit in 64 bits; try fewer rows."""


def shared(actual: Units, expected: Units, orders: Sequence[int]) -> NDArray[np.int64]:
    """N-grams in both texts, as multisets: one line per order (ascending), one column per row."""
    rows = len(actual.ends)
    bits = max(int(side.units.max(initial=0)).bit_length() for side in (actual, expected))
    sides = [actual.units, expected.units]
    if _size(rows, bits, orders) > 2**32:
        # Renumbered units are smaller, so the keys may fit in half the memory.
        sides, bits = _numbered(sides)
    size = _size(rows, bits, orders)
    if size > 2**64:
        raise TooManyUnits
    number = np.uint32 if size <= 2**32 else np.uint64
    actual_grams = _grams(sides[0].astype(number), actual.ends, bits, orders)
    expected_grams = _grams(sides[1].astype(number), expected.ends, bits, orders)
    lines = zip(orders, actual_grams, expected_grams, strict=True)
    return np.array([_in_both(a, e, order * bits, rows) for order, a, e in lines])


def _size(rows: int, bits: int, orders: Sequence[int]) -> int:
    """The number of possible keys; a key is a row (or the one after the last), an n-gram and a side."""
    return (rows + 1) << max(orders) * bits + 1


def _numbered(sides: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], int]:
    """Units renumbered from 0 in ascending order, and the number of bits they need."""
    occurs = np.zeros(max(int(side.max(initial=0)) for side in sides) + 1, bool)
    for side in sides:
        occurs[side] = True
    codes = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
    return [codes.take(side) for side in sides], int(np.count_nonzero(occurs) - 1).bit_length()


def _grams(
    codes: NDArray[Any], ends: NDArray[np.int64], bits: int, orders: Sequence[int]
) -> list[NDArray[Any]]:
    """For each order, one number per n-gram: its row, then its units.

    An n-gram that would join two texts is assigned to the row after the last, which is not counted.
    """
    number = codes.dtype.type
    rows = np.repeat(np.arange(len(ends), dtype=codes.dtype), np.diff(ends, prepend=0))
    grams, by_order = codes, []
    for order in range(1, max(orders) + 1):
        if order > 1:
            grams = grams[:-1] << number(bits)
            grams |= codes[order - 1 :]
            joins = ends - order + 1
            rows[joins[joins >= 0]] = len(ends)
            rows = rows[: len(grams)]
        if order in orders:
            by_order.append(rows << number(order * bits) | grams)
    return by_order


def _in_both(actual: NDArray[Any], expected: NDArray[Any], bits: int, rows: int) -> NDArray[np.int64]:
    """For each row, how many numbers both sides share, each counted as often as on the side with fewer."""
    number = actual.dtype.type
    # The lowest bit is the side: sorted, a shared n-gram is an even key followed by the next odd one.
    keys = np.concatenate([actual, expected])
    keys <<= number(1)
    keys[len(actual) :] |= number(1)
    keys.sort()
    border = np.ones(len(keys) + 1, bool)
    np.not_equal(keys[1:], keys[:-1], out=border[1:-1])
    starts = np.flatnonzero(border)
    keys = keys[starts[:-1]]
    both = np.flatnonzero((keys[:-1] | number(1)) == keys[1:])
    middle = starts[both + 1]
    times = np.minimum(middle - starts[both], starts[both + 2] - middle)
    # The keys are sorted, so those of a row are adjacent.
    borders = np.searchsorted(keys[both] >> number(bits + 1), np.arange(rows + 1, dtype=keys.dtype))
    return np.diff(np.append(0, np.cumsum(times))[borders])
