"""Correlations between the scores of two evaluators, with bootstrap intervals.

`scipy.stats` is imported on first use: it takes 22 MB, and most processes never need it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.statistics.intervals import TAILS
from evaluations.statistics.terms import Interval, Values

DRAWS = 400
MOST_DRAWN = 2_000  # points per resample; intervals are corrected for it
FEWEST = 10  # points, and groups, for an interval
NEARLY_ONE = 1 - 1e-12
Labels: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Coefficient:
    """A correlation with its 95 % interval; None if undefined or not requested."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True)
class Correlations:
    """Correlations over `n` points that both evaluators scored."""

    n: int
    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient


def _pearson(x: Values, y: Values) -> float:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def _spearman(x: Values, y: Values) -> float:
    return _pearson(scipy.stats.rankdata(x), scipy.stats.rankdata(y))


def _kendall(x: Values, y: Values) -> float:
    """Kendall's tau b, which allows for ties; scipy would divide by zero for two points."""
    return float(scipy.stats.kendalltau(x, y, method="asymptotic").statistic) if len(x) > 2 else math.nan


Measure: TypeAlias = Callable[[Values, Values], float]
MEASURES: Mapping[str, Measure] = {"pearson": _pearson, "spearman": _spearman, "kendall": _kendall}


def correlations(x: Values, y: Values, groups: Labels | None = None, seed: int = 0) -> Correlations:
    """The correlations of two columns.

    With `groups`, intervals come from resamples of whole groups (examples or clusters).
    """
    has_both = np.isfinite(x) & np.isfinite(y)
    x, y = x[has_both], y[has_both]
    values = {name: _defined(measure(x, y)) for name, measure in MEASURES.items()}
    intervals = {} if groups is None else _intervals(x, y, groups[has_both], values, seed)
    return Correlations(
        len(x), **{name: Coefficient(value, intervals.get(name)) for name, value in values.items()}
    )


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _intervals(
    x: Values, y: Values, groups: Labels, values: Mapping[str, float | None], seed: int
) -> dict[str, Interval]:
    """Percentile intervals on Fisher's scale, narrowed if resamples have fewer groups, and so vary more."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order][:1] - 1)) if len(order) else order
    count = len(starts)
    if count < FEWEST:
        return {}
    members = np.split(order, starts[1:])
    size = max(FEWEST, min(count, round(MOST_DRAWN * count / len(order))))
    chance = np.random.default_rng(seed)
    draws = [np.concatenate([members[n] for n in chance.integers(0, count, size)]) for _ in range(DRAWS)]
    drawn = {
        name: np.array([MEASURES[name](x[draw], y[draw]) for draw in draws])
        for name, value in values.items()
        if value is not None
    }
    reach = math.sqrt(size / count)
    return {
        name: _percentiles(values[name] or 0.0, drawn_values, reach) for name, drawn_values in drawn.items()
    }


def _percentiles(value: float, drawn: Values, reach: float) -> Interval:
    centre = _fisher(value)
    ends = np.quantile(_fisher(drawn[np.isfinite(drawn)]), TAILS)
    low, high = np.tanh(centre + reach * (ends - centre)).tolist()
    return min(low, value), max(high, value)


def _fisher(values: Values | float) -> Values:
    return np.asarray(np.arctanh(np.clip(values, -NEARLY_ONE, NEARLY_ONE)))


def gaps(x: Values, y: Values) -> Values:
    """The difference of each point's ranks by both evaluators, from -1 to 1; NaN without a score."""
    has_both = np.isfinite(x) & np.isfinite(y)
    gap = np.full(len(x), math.nan)
    if has_both.sum() > 1:
        ranks = [scipy.stats.rankdata(values[has_both]) for values in (x, y)]
        gap[has_both] = (ranks[0] - ranks[1]) / (has_both.sum() - 1)
    return gap
