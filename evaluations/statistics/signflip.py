"""The sign-flip permutation test: without a difference, each pair could as well have come out reversed."""

import numpy as np
from numpy.typing import NDArray

EXACT = 14  # 2**14 flips are all tried; beyond, FLIPS of them are drawn
FLIPS = 9_999


def p_value(differences: NDArray[np.float64], chance: np.random.Generator) -> float:
    """Two-sided p of the sum of `differences`; pairs without one may be left out, they flip to themselves.

    Up to 14 differences it is exact (as `scipy.stats.permutation_test` is), beyond drawn, with the data as
    one more draw (Phipson and Smyth 2010): never below 1 / 10 000.
    """
    m = len(differences)
    flips = _all_flips(m) if m <= EXACT else _drawn_flips(m, chance)
    sums = differences.sum() - 2 * (flips @ differences)
    # Sums that are equal on paper differ in their last digits.
    reached = np.abs(differences.sum()) - 1e-12 * np.abs(differences).sum()
    extreme = int(np.count_nonzero(np.abs(sums) >= reached))
    return extreme / len(sums) if m <= EXACT else (extreme + 1) / (FLIPS + 1)


def _all_flips(m: int) -> NDArray[np.float64]:
    return (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(np.float64)


def _drawn_flips(m: int, chance: np.random.Generator) -> NDArray[np.float64]:
    coins = chance.integers(0, 256, (FLIPS, -(-m // 8)), dtype=np.uint8)
    return np.unpackbits(coins, axis=1, count=m).astype(np.float64)
