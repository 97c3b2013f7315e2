"""Krippendorff's α: agreement of any number of raters, who may each have seen only some items (Krippendorff 2004)."""

import math
from typing import Literal

import numpy as np

from evaluations.statistics.people import draws
from evaluations.statistics.people.agreement import Coefficient
from evaluations.statistics.terms import Values

Level = Literal["nominal", "ordinal", "interval"]


def alpha(ratings: Values, level: Level = "nominal") -> Coefficient:
    """α of ratings of shape (raters, items), NaN where a rater did not see an item, with its 95 % interval.

    None if fewer than two values occur among items with at least two ratings.
    """
    values, units = _units(np.asarray(ratings, np.float64))
    if len(values) < 2 or not len(units):
        return Coefficient(None)
    k = len(values)

    def of(tables: Values) -> Values:
        return _alpha(tables.reshape(-1, k, k), values, level)

    value = float(of(units.sum(axis=0, keepdims=True))[0])
    if math.isnan(value):
        return Coefficient(None)
    if len(units) < draws.FEWEST:
        return Coefficient(value)
    return Coefficient(value, draws.interval(value, _symmetric(draws.tables(units), k), of))


def _units(ratings: Values) -> tuple[Values, Values]:
    """The distinct values, and what each item adds to the coincidences of shape (items, k²).

    Each ordered pair within an item of m ratings weighs 1 / (m − 1).
    """
    pairable = ratings[:, np.isfinite(ratings).sum(axis=0) > 1]
    values = np.unique(pairable[np.isfinite(pairable)])
    counts = (pairable[:, :, None] == values).sum(axis=0).astype(np.float64)
    others = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(len(values))
    others[:, diagonal, diagonal] -= counts
    weights = np.maximum(counts.sum(axis=1) - 1, 1)
    return values, (others / weights[:, None, None]).reshape(len(counts), len(values) ** 2)


def _symmetric(tables: Values, k: int) -> Values:
    squares = tables.reshape(-1, k, k)
    return np.asarray((squares + squares.transpose(0, 2, 1)) / 2)


def _alpha(tables: Values, values: Values, level: Level) -> Values:
    of_value = tables.sum(axis=2)
    total = of_value.sum(axis=1)
    squares = _squares(of_value, values, level)
    seen = (tables * squares).sum(axis=(1, 2))
    by_chance = (of_value[:, :, None] * of_value[:, None, :] * squares).sum(axis=(1, 2))
    ratio = np.divide(
        (total - 1) * seen, by_chance, out=np.full(len(tables), math.nan), where=by_chance > 1e-12
    )
    return np.asarray(1 - ratio)


def _squares(of_value: Values, values: Values, level: Level) -> Values:
    """The squared distances of every two values, of shape (tables or 1, k, k)."""
    if level == "nominal":
        return (~np.eye(len(values), dtype=bool))[None].astype(np.float64)
    if level == "interval":
        return np.asarray(np.subtract.outer(values, values)[None] ** 2)
    # ordinal: the values passed over, with half of those at both ends
    middles = of_value.cumsum(axis=1) - of_value / 2
    return np.asarray((middles[:, :, None] - middles[:, None, :]) ** 2)
