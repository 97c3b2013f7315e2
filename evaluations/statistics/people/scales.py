"""The mean of graded labels, helped by a judge that gives numbers: PPI++ (Angelopoulos, Duchi and Zrnic 2023).

With Student's quantiles, because normal ones are too short for few labels, and from a hundred labels on.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from evaluations.statistics.intervals import ALPHA
from evaluations.statistics.terms import Interval, Values

from .strata import Helped, Sample

METHOD = "prediction_powered"
FEWEST = 100  # labels


@dataclass(frozen=True)
class PpiMean:
    """A mean with its interval; `weight` from 0 to 1 is how much the judge counts."""

    value: float
    interval: Interval
    weight: float
    standard_error: float


def ppi_mean(
    labels: Values, judged: Values, others: Values, level: float = 1 - ALPHA, *, is_normal: bool = False
) -> PpiMean:
    """The mean of labels, of the judge's values for the same answers, and of its values for the `others`.

    Variances are those of the package `ppi_py`; `is_normal` takes its normal quantile.
    """
    m, n = len(labels), len(others)
    spread = float(np.concatenate([judged, others]).var(ddof=1))
    together = float(((judged - judged.mean()) * (labels - labels.mean())).mean())
    weight = min(max(together / ((1 + m / n) * spread), 0.0), 1.0) if spread and n else 0.0
    value = (
        weight * float(others.mean()) + float((labels - weight * judged).mean())
        if n
        else float(labels.mean())
    )
    of_others = weight**2 * float(others.var()) / n if n else 0.0
    error = math.sqrt(of_others + float((labels - weight * judged).var()) / m)
    quantile = (
        scipy.special.ndtri((1 + level) / 2) if is_normal else scipy.special.stdtrit(m - 1, (1 + level) / 2)
    )
    reach = float(quantile) * error
    return PpiMean(value, (value - reach, value + reach), weight, error)


def estimate(sample: Sample, level: float = 1 - ALPHA, widening: float = 1.0) -> Helped | None:
    """The mean over all answers, as `strata.estimate` gives it for pass and fail; None below `FEWEST` labels."""
    labels = sample.labels if sample.known is None else sample.labels[~sample.known]
    given = int(np.isfinite(labels).sum())
    if given < FEWEST:
        return None
    value, interval, weight = _whole(sample, level, widening)
    return Helped(
        value=value,
        interval=interval,
        alone=_whole(sample.without_judge(), level, widening)[1],
        labels=given,
        judged=len(sample.labels),
        method=METHOD,
        strata=[],
        weight=weight,
    )


def interval_at(sample: Sample, level: float, widening: float = 1.0) -> Interval:
    """The interval of the mean at another level, such as that of a family of comparisons."""
    return _whole(sample, level, widening)[1]


def _whole(sample: Sample, level: float, widening: float) -> tuple[float, Interval, float]:
    """Mean, interval and weight over known and other answers; what the judge gave no value counts as its mean."""
    known = np.zeros(len(sample.labels), bool) if sample.known is None else sample.known
    labels, judged = sample.labels[~known], sample.judged[~known]
    finite = np.isfinite(judged)
    judged = np.where(finite, judged, judged[finite].mean() if finite.any() else 0.0)
    given = np.isfinite(labels)
    found = ppi_mean(labels[given], judged[given], judged[~given], level)
    share = 1 - float(known.mean())
    value = share * found.value + float(sample.labels[known].sum()) / len(known)
    reach = share * widening * (found.interval[1] - found.value)
    return value, (max(sample.low, value - reach), min(sample.high, value + reach)), found.weight
