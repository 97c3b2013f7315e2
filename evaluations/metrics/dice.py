"""Sørensen–Dice coefficient over adjacent pairs of UTF-16 units, as the npm package string-similarity has it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.metrics.texts import utf16_length

# Every character that \s matches in JavaScript.
WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
STAYS = np.ones(0x10000, bool)
STAYS[[ord(character) for character in WHITESPACE]] = False
WITHOUT_WHITESPACE = dict.fromkeys(map(ord, WHITESPACE))

# The most characters of one side that are counted in one go: bounds the memory of a batch of long texts.
SLICE = 100_000


def similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Twice the shared pairs divided by all pairs, whitespace removed. Equal texts: 1.0; otherwise under two units: 0.0."""
    values = np.empty(len(actual))
    for first, last in _slices(actual, expected):
        values[first:last] = _similarities(actual[first:last], expected[first:last])
    return values


def counts(actual: Sequence[str], expected: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Pairs in both texts (as multisets), and the units of the actual and of the expected text, whitespace removed."""
    sides = [_units(texts) for texts in (actual, expected)]
    seen = np.zeros(0x10000, bool)
    for units, _ in sides:
        seen[units] = True
    bits = int(np.count_nonzero(seen) - 1).bit_length() if seen.any() else 0
    # A key is row, first unit, second unit and, lowest, the side; most batches know so few units that 32 bits hold it.
    dtype = np.uint32 if (len(actual) + 1) << 2 * bits + 1 <= 2**32 else np.uint64
    codes = np.cumsum(seen, dtype=dtype) - dtype(1)
    keys = np.concatenate([_keys(codes.take(units), ends, bits, side) for side, (units, ends) in enumerate(sides)])
    keys.sort()
    border = np.ones(len(keys) + 1, bool)
    np.not_equal(keys[1:], keys[:-1], out=border[1:-1])
    starts = np.flatnonzero(border)
    times = starts[1:] - starts[:-1]
    keys = keys[starts[:-1]]
    # Sorted, the same pair of both sides stands together: an even key and the odd one after it.
    both = np.flatnonzero((keys[1:] - keys[:-1] == 1) & (keys[1:] & dtype(1) == 1))
    rows = (keys[both] >> dtype(2 * bits + 1)).astype(np.int64)
    # The last row holds the pairs that would join two texts; it is dropped.
    totals = np.bincount(rows, np.minimum(times[both], times[both + 1]), len(actual) + 1)[: len(actual)]
    lengths = [np.diff(ends, prepend=0) for _, ends in sides]
    return totals.astype(np.int64), lengths[0], lengths[1]


def _similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    shared, of_actual, of_expected = counts(actual, expected)
    total = of_actual + of_expected - 2
    values = 2 * shared / np.maximum(total, 1)
    values[(of_actual < 2) | (of_expected < 2)] = 0.0
    for row in np.flatnonzero(of_actual == of_expected):
        # Shared pairs do not tell order: only the texts themselves say whether they are equal.
        if of_actual[row] < 2 and stripped(actual[row]) == stripped(expected[row]):
            values[row] = 1.0
    return values


def stripped(text: str) -> str:
    """The text without any character that JavaScript's \\s matches."""
    return text.translate(WITHOUT_WHITESPACE)


def _units(texts: Sequence[str]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The UTF-16 units of all texts after one another, whitespace removed, and where each text ends."""
    joined = "".join(texts)
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), "<u2")
    length = len if len(units) == len(joined) else utf16_length
    ends = np.cumsum([length(text) for text in texts], dtype=np.int64)
    stay = np.flatnonzero(STAYS.take(units))
    return units.take(stay), np.searchsorted(stay, ends)


def _keys(codes: NDArray[Any], ends: NDArray[np.int64], bits: int, side: int) -> NDArray[Any]:
    """One number per pair of neighbours. The pair that would join two texts carries the row after the last."""
    number = codes.dtype.type
    lengths = np.diff(ends, prepend=0)
    keys = np.repeat(np.arange(len(ends), dtype=codes.dtype) << number(2 * bits + 1), lengths)
    keys[ends[lengths > 0] - 1] = len(ends) << 2 * bits + 1
    codes <<= number(1)
    keys = keys[:-1]
    keys |= codes[1:]
    codes <<= number(bits)
    keys |= codes[:-1]
    keys |= number(side)
    return keys


def _slices(actual: Sequence[str], expected: Sequence[str]) -> list[tuple[int, int]]:
    """Bounds of runs of rows whose texts have about SLICE characters together."""
    ends = np.cumsum([len(a) + len(e) for a, e in zip(actual, expected, strict=True)], dtype=np.int64)
    if not len(ends):
        return []
    last = np.append(np.flatnonzero(np.diff(ends // SLICE)) + 1, len(ends)).tolist()
    return list(zip([0, *last], last, strict=False))
