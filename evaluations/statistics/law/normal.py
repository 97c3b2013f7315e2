"""The law of many units: normal, corrected for skew."""

import math

import numpy as np
import scipy

from evaluations.statistics.terms import Values

from . import draws
from .draws import Draws
from .table import Table
from .terms import Reach

SLACK = 1 + 1e-5  # tolerance for rounding in sums of 32-bit floats
CORRELATION_STEPS = 1 << 30  # correlations are rounded, so that the order of rows does not change them


class Normal:
    """Many units: normal statistics with the correlation of the columns, corrected for skew.

    `skewness` is that of each column's mean: the skewness of its units divided by the square root of their number; 0
    for pass and fail.
    """

    method = "normal"

    def __init__(self, table: Table, skewness: Values):
        self.columns, self.seed = table.units.shape[1], table.seed
        self._skew, self._rises = np.where(table.rises, 1, -1) * skewness / 6, table.rises
        self._alone = self.columns == 1
        chance = np.random.default_rng(self.seed)
        self._draws = np.empty(0, np.float32) if self._alone else _normal_maxima(table.units, chance)

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        q = -float(scipy.special.ndtri(level / 2))
        if not (alone or self._alone):
            q = max(q, _largest(self._draws, level))
        skew = float(self._skew[column])
        near, far = (q + max(0.0, side * skew) * (2 * q * q + 1) for side in (-1, 1))
        return (near, far) if self._rises[column] else (far, near)

    def p(self, column: int, r: float, alone: bool = False) -> float:
        plain = uncorrected(r, max(0.0, -float(self._skew[column])))
        p = 2 * float(scipy.special.ndtr(-plain))
        return p if alone or self._alone else max(p, _share(self._draws, plain))


def uncorrected(r: float, skew: float) -> float:
    """The q for which q + skew (2 q^2 + 1) equals r; a negative q is no evidence."""
    if skew == 0:
        return r
    root = math.sqrt(max(1 - 8 * skew * (skew - r), 0.0))
    return max((root - 1) / (4 * skew), 0.0)


def _largest(values: Draws, level: float) -> float:
    """The critical value from draws: the h-th largest, with h = level times their number; infinite if h is below 1."""
    h = math.floor(level * (len(values) + 1) + 1e-9)
    if h < 1:
        return math.inf
    return float(np.partition(values, len(values) - h)[len(values) - h]) * SLACK


def _share(values: Draws, r: float) -> float:
    """The probability of at least `r`; the data count as one more draw (Phipson and Smyth 2010)."""
    return (1 + int(np.count_nonzero(values * np.float32(SLACK) >= r))) / (len(values) + 1)


def _normal_maxima(units: Values, chance: np.random.Generator) -> Draws:
    """The largest absolute value in each draw of normal statistics with the columns' correlation."""
    products = (units.T @ units).astype(np.float64)
    norms = np.sqrt(np.diag(products))
    independent = norms == 0  # no sampled unit differs, so such a column is treated as independent
    products[independent, independent] = norms[independent] = 1
    correlation = np.rint(products / np.outer(norms, norms) * CORRELATION_STEPS) / CORRELATION_STEPS
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0))
    drawn = chance.standard_normal((draws.DRAWS, len(root)), np.float32) @ root.T.astype(np.float32)
    return np.asarray(np.abs(drawn, out=drawn).max(axis=1))
