"""The mean of graded labels, helped by a judge that gives numbers: PPI++ (Angelopoulos, Duchi and Zrnic 2023).

With Student's quantiles, because normal ones are too short for few labels, and from a hundred labels on.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from evaluations.statistics.intervals import ALPHA
from evaluations.statistics.terms import Interval, Values

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
    quantile = special.ndtri((1 + level) / 2) if is_normal else special.stdtrit(m - 1, (1 + level) / 2)
    reach = float(quantile) * error
    return PpiMean(value, (value - reach, value + reach), weight, error)
