"""A random number for each example of a dataset, computed from a seed and the example's identity alone.

A random share takes the examples whose numbers lie in an interval. So an example stays in its share, whatever happens
to others. The generator is SplitMix64, which can compute any element of its sequence directly.
"""

import numpy as np
from numpy.typing import NDArray

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def of_examples(identities: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """A number in [0, 1) for each identity."""
    return (numbers(identities, seed) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def numbers(steps: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """The elements of the generator's sequence at these steps, counted from 1.

    >>> numbers(np.array([1, 2]), 1234567).tolist()
    [6457827717110365317, 3203168211198807973]
    """
    mixed = np.uint64(seed) + steps.astype(np.uint64) * STEP  # All sums and products are modulo 2**64.
    mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
    return mixed ^ (mixed >> np.uint64(31))
