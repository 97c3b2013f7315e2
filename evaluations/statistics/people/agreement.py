"""Agreement of two judges of the same items, beyond chance: Cohen's κ, Gwet's AC1, and the errors of the second.

κ and weighted κ: Cohen (1960, 1968). AC1: Gwet (2008). Raw agreement alone overstates, and κ alone misleads where
nearly all items are of one class: nine in ten agreements at a base rate of 95 % have κ = −0.05 and AC1 = 0.89. So both
stand side by side.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from evaluations.statistics.intervals import wilson
from evaluations.statistics.people import draws
from evaluations.statistics.people.draws import Codes
from evaluations.statistics.terms import Interval, Values

Weights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its 95 % interval; None where it is undefined."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True)
class Rate:
    """Of `of` items of one class by the first judge, the second gave the same class to `count`."""

    count: float
    of: float
    interval: Interval | None

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class Agreement:
    """Two judges on `n` items: `table` counts the items by the class of the first (rows) and of the second.

    `rates` has for each class of the first how often the second agrees; of pass and fail, those for the class that
    passes are sensitivity, and for the other specificity.
    """

    n: int
    agreed: float
    raw: Coefficient
    kappa: Coefficient
    ac1: Coefficient
    rates: list[Rate]
    table: list[list[float]]


def kappa(table: Values, weights: Weights = "none") -> Values:
    """Cohen's κ of tables of shape (..., k, k), weighted for ordered classes; NaN if chance explains everything."""
    shares = _shares(table)
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    distance = _distances(table.shape[-1], weights)
    seen = (shares * distance).sum(axis=(-2, -1))
    by_chance = np.einsum("...i,...j,ij->...", rows, columns, distance)
    return _ratio(by_chance - seen, by_chance)


def ac1(table: Values) -> Values:
    """Gwet's AC1 of tables of shape (..., k, k)."""
    shares = _shares(table)
    k = table.shape[-1]
    seen = np.trace(shares, axis1=-2, axis2=-1)
    mean = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2
    by_chance = (mean * (1 - mean)).sum(axis=-1) / (k - 1)
    return _ratio(seen - by_chance, 1 - by_chance)


def of_pairs(
    first: Codes,
    second: Codes,
    classes: int,
    clusters: Codes | None = None,
    weights: Weights = "none",
    shares: Values | None = None,
) -> Agreement:
    """The agreement of two judges, each of whom gave every item one of `classes`, as codes from 0.

    Items of one of `clusters` (both answers to one example) are drawn together. `shares` are the parts of an item that
    each pair stands for, where several people labelled it; they add up to the number of items.
    """
    units = np.arange(len(first)) if clusters is None else clusters
    each = np.ones(len(first)) if shares is None else shares
    cells = draws.by_cluster(first * classes + second, each, units, classes**2)
    return _of_units(cells, round(float(each.sum())), classes, weights)


def of_peers(items: list[list[int]], classes: int, weights: Weights = "none") -> Agreement:
    """The agreement of people who share items, from the classes that each item was given, at least two of them.

    Nobody is the first: an item adds every ordered pair of its labels, together one item.
    """
    units = np.zeros((len(items), classes**2))
    for row, given in enumerate(items):
        share = 1 / (len(given) * (len(given) - 1))
        for one, other in ((i, j) for i in range(len(given)) for j in range(len(given)) if i != j):
            units[row, given[one] * classes + given[other]] += share
    return _of_units(units, len(items), classes, weights)


def _of_units(units: Values, n: int, classes: int, weights: Weights) -> Agreement:
    shape = (classes, classes)
    table = units.sum(axis=0).reshape(shape)
    drawn = draws.tables(units).reshape(-1, *shape) if len(units) >= draws.FEWEST else None
    agreed = float(np.trace(table))
    return Agreement(
        n=n,
        agreed=agreed,
        raw=_coefficient(table, drawn, _raw),
        kappa=_coefficient(table, drawn, partial(kappa, weights=weights)),
        ac1=_coefficient(table, drawn, ac1),
        rates=[_rate(table, drawn, k, is_clustered=len(units) < n) for k in range(classes)],
        table=table.tolist(),
    )


def _coefficient(table: Values, drawn: Values | None, of: Callable[[Values], Values]) -> Coefficient:
    value = float(of(table)) if table.any() else math.nan
    if math.isnan(value):
        return Coefficient(None)
    return Coefficient(value, None if drawn is None else draws.interval(value, drawn, of))


def _raw(table: Values) -> Values:
    return np.asarray(np.trace(_shares(table), axis1=-2, axis2=-1))


def _rate(table: Values, drawn: Values | None, k: int, *, is_clustered: bool) -> Rate:
    count, of = float(table[k, k]), float(table[k].sum())
    if not of:
        return Rate(count, of, None)
    if is_clustered and drawn is not None:
        return Rate(
            count, of, draws.interval(count / of, drawn, lambda t: _ratio(t[:, k, k], t[:, k].sum(axis=-1)))
        )
    return Rate(count, of, wilson(round(count), round(of)))


def _shares(table: Values) -> Values:
    total = table.sum(axis=(-2, -1), keepdims=True)
    return np.asarray(np.divide(table, total, out=np.zeros_like(table, dtype=np.float64), where=total > 0))


def _distances(k: int, weights: Weights) -> Values:
    gaps = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    return {"none": (gaps > 0).astype(np.float64), "linear": gaps, "quadratic": gaps**2}[weights]


def _ratio(top: Values, bottom: Values) -> Values:
    top, bottom = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, math.nan), where=np.abs(bottom) > 1e-12))
