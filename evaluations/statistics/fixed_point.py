"""Sums of floats that do not depend on the order of the terms: each term is cut to a multiple of one tiny step.

The step is 2**-81 of the largest term, so far below the rounding of a float, and the sums of steps are whole numbers
below 2**53, which floats represent exactly.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays

BITS, PARTS = 27, 3
Terms = NDArray[np.float64]


class FixedPoints:
    """Sums to each of which a row of terms is added, up to 2**25 at once, none larger than the `largest` of its sum."""

    def __init__(self, largest: Sequence[float]) -> None:
        self._exponents = [math.frexp(size)[1] for size in largest]
        self._shifts = np.array([[BITS - exponent] for exponent in self._exponents], np.int32)
        self._steps = [0] * len(largest)

    def add(self, rows: Terms) -> None:
        rest, parts = np.ldexp(rows, self._shifts), []
        for _ in range(PARTS):
            whole = np.rint(rest)
            parts.append(whole.sum(axis=1).tolist())
            rest -= whole
            rest *= 2.0**BITS
        for index, (first, second, third) in enumerate(zip(*parts, strict=True)):
            self._steps[index] += (((int(first) << BITS) + int(second)) << BITS) + int(third)

    @property
    def values(self) -> list[float]:
        sums = zip(self._steps, self._exponents, strict=True)
        return [math.ldexp(steps, exponent - PARTS * BITS) for steps, exponent in sums]


class SumsByGroup:
    """The sum of the terms of each group from 0 to `count`, none of which is larger than `largest`."""

    def __init__(self, count: int, largest: float) -> None:
        self._exponent = math.frexp(largest)[1]
        self._steps = [long_arrays.zeros(count, np.float64) for _ in range(PARTS)]

    def add(self, terms: Terms, groups: NDArray[np.int64]) -> None:
        rest = np.ldexp(terms, BITS - self._exponent)
        for steps in self._steps:
            whole = np.rint(rest)
            np.add.at(steps, groups, whole)
            rest = (rest - whole) * 2.0**BITS

    @property
    def values(self) -> Terms:
        sums = long_arrays.like(self._steps[0])
        parts = [np.int32(self._exponent - part * BITS) for part in range(1, PARTS + 1)]
        for part in long_arrays.parts(len(sums)):
            for steps, exponent in zip(self._steps, parts, strict=True):
                sums[part] += np.ldexp(steps[part], exponent)
        return sums
