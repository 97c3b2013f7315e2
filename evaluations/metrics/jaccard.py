"""Jaccard similarity of the sets of words of two texts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.metrics import ascii_words

AT_ONCE = 128  # pairs at once, so that the numbers of pair, word and side fit in 64 bits
SHORT = 200  # characters of a pair, below which Python sets are faster
ROW, SIDE = np.uint64(ascii_words.BITS + 1), np.uint64(1)


def similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Words in both divided by words in either; words are what `str.split()` leaves. Both blank: 1.0, one
    blank: 0.0.
    """
    values = np.ones(len(actual))
    many: list[int] = []
    for row, (a, e) in enumerate(zip(actual, expected, strict=True)):
        if a == e:
            continue
        if len(a) + len(e) > SHORT and _is_plain(a) and _is_plain(e):
            many.append(row)
        else:
            values[row] = _of_sets(set(a.split()), set(e.split()))
    for first in range(0, len(many), AT_ONCE):
        rows = many[first : first + AT_ONCE]
        values[rows] = _of_numbers([actual[row] for row in rows], [expected[row] for row in rows])
    return values


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def _of_sets(actual: set[str], expected: set[str]) -> float:
    # Most words are shared, so the set of the remaining words is smaller.
    missed = len(expected - actual)
    in_any = len(actual) + missed
    return (len(expected) - missed) / in_any if in_any else 1.0


def _of_numbers(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """`similarities` of up to 128 pairs at once. Sorted, a shared word is an even key followed by the next odd one."""
    pairs = len(actual)
    words, counts = ascii_words.numbered([*actual, *expected])
    sides = np.arange(2 * pairs, dtype=np.uint64)
    keys = np.repeat(sides % pairs << ROW | (sides >= pairs), counts) | words << SIDE
    keys.sort()
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    rows = (keys >> ROW).astype(np.intp)
    both = np.bincount(rows[1:][keys[:-1] | SIDE == keys[1:]], minlength=pairs)
    in_any = np.bincount(rows, minlength=pairs) - both
    values: NDArray[np.float64] = np.divide(both, in_any, out=np.ones(pairs), where=in_any > 0)
    return values
