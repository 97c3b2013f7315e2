"""Exact sums of floats, which do not depend on the order of the terms."""

import math

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 16  # terms; their halves sum to whole numbers below 2**53, which floats represent exactly
HALF = 27  # bits
SMALLEST = -1_126  # every finite float is a whole number times 2**SMALLEST


def exact_sum(values: NDArray[np.float64]) -> float:
    """The exact sum, rounded once, like `math.fsum`; for a million terms in half its time, and without a list."""
    if not np.isfinite(values).all():
        return math.fsum(values.tolist())
    parts = (values[first : first + AT_ONCE] for first in range(0, len(values), AT_ONCE))
    return sum(map(_scaled, parts)) / (1 << -SMALLEST)


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
