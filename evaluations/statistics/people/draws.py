"""Intervals of coefficients that are functions of a table of counts, from weights drawn for the units of the table.

Rubin's Bayesian bootstrap (1981): every unit, a cluster of items, gets an exponential weight. Each cell has a small
weight of its own, so that thirty agreements in a row are no proof of the thirty-first. Equal units share one gamma
weight; therefore the digits do not depend on the order of the items.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.intervals import TAILS
from evaluations.statistics.terms import Interval, Values

DRAWS = 2_000
SEED = 1
UNSEEN = 2.0  # the weight of all cells together, in units
FEWEST = 2  # units for an interval
Codes = NDArray[np.int64]


def tables(units: Values) -> Values:
    """Drawn tables, of shape (draws, cells), from what each unit adds to each cell, of shape (units, cells)."""
    distinct, counts = np.unique(units, axis=0, return_counts=True)
    chance = np.random.default_rng(SEED)
    weights = chance.gamma(counts, size=(DRAWS, len(counts)))
    cells = units.shape[1]
    return np.asarray(weights @ distinct + chance.gamma(UNSEEN / cells, size=(DRAWS, cells)))


def interval(value: float | None, drawn: Values, of: Callable[[Values], Values]) -> Interval | None:
    """The 95 % interval of a coefficient, which `of` computes from tables; it contains `value`."""
    if value is None:
        return None
    values = of(drawn)
    defined = values[np.isfinite(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, TAILS).tolist()
    return min(low, value), max(high, value)


def by_cluster(cells: Codes, weights: Values, clusters: Codes, size: int) -> Values:
    """What each cluster adds to each of `size` cells, from the cell and the weight of each item."""
    _, numbers = np.unique(clusters, return_inverse=True)
    count = int(numbers.max(initial=-1)) + 1
    flat = np.bincount(numbers * size + cells, weights, count * size)
    return np.asarray(flat, np.float64).reshape(count, size)
