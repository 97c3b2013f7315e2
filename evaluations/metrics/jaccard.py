"""Jaccard similarity of the sets of words of two texts (seed 002)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Words in both divided by words in either; words are what `str.split()` leaves. Both blank: 1.0, one
    blank: 0.0.
    """
    values = (
        1.0 if a == e else _similarity(set(a.split()), set(e.split()))
        for a, e in zip(actual, expected, strict=True)
    )
    return np.fromiter(values, np.float64, len(actual))


def _similarity(actual: set[str], expected: set[str]) -> float:
    # Texts to be compared share most words: the set of the others is the smaller one to make.
    missed = len(expected - actual)
    either = len(actual) + missed
    return (len(expected) - missed) / either if either else 1.0
