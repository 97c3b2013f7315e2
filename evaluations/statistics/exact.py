"""Exact sums of floats, which do not depend on the order of the terms."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 16  # terms; their halves sum to whole numbers below 2**53, which floats represent exactly
HALF = 27  # bits
SMALLEST = -1_126  # every finite float is a whole number times 2**SMALLEST


Terms = NDArray[np.float64]


def exact_sum(values: Terms, term: Callable[[Terms], Terms] = np.asarray) -> float:
    """The exact sum of the `term`s of values, rounded once, like `math.fsum`; for a million in half its time.

    Terms are made a part at a time, because copies of long columns take much memory.
    """
    total = 0
    for first in range(0, len(values), AT_ONCE):
        part = term(values[first : first + AT_ONCE])
        if not np.isfinite(part).all():
            return math.fsum(term(values).tolist())
        total += _scaled(part)
    return total / (1 << -SMALLEST)


def _scaled(values: NDArray[np.float64]) -> int:
    """The sum in multiples of 2**SMALLEST. Mantissas are split into halves, which are summed by exponent."""
    mantissas, exponents = np.frexp(values)
    lowest = int(exponents.min())
    high = np.floor(mantissas * 2.0 ** (53 - HALF))
    low = mantissas * 2.0**53 - high * 2.0**HALF
    highs, lows = (np.bincount(exponents - lowest, half).tolist() for half in (high, low))
    total = sum(
        ((int(top) << HALF) + int(bottom)) << index
        for index, (top, bottom) in enumerate(zip(highs, lows, strict=True))
        if top or bottom
    )
    return total << (lowest - 53 - SMALLEST)
