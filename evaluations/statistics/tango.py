"""Tango's score interval (1998) for the difference of two paired rates, at any critical value."""

import math
from collections.abc import Callable
from functools import lru_cache

import scipy

from evaluations.statistics.terms import Interval

NEAR_ZERO = 1e-8  # an end that is zero but for the slack of critical values


@lru_cache(maxsize=4_000)
def interval(gained: float, lost: float, n: float, critical: float) -> Interval:
    """The interval of the difference `(gained - lost) / n`; it has a width even if nothing, or everything, changed.

    It excludes zero exactly if McNemar's statistic, |gained - lost| / sqrt(gained + lost), exceeds `critical`.
    Remembered, because many pairs of variants have the same counts.
    """
    difference = (gained - lost) / n
    return (
        _end(-1.0, difference, lambda at: _score(at, gained, lost, n) - critical) if lost < n else -1.0,
        _end(difference, 1.0, lambda at: _score(at, gained, lost, n) + critical) if gained < n else 1.0,
    )


def _end(low: float, high: float, excess: Callable[[float], float]) -> float:
    end = float(scipy.optimize.brentq(excess, low, high, xtol=1e-13))
    return end if abs(end) > NEAR_ZERO else 0.0


def _score(difference: float, gained: float, lost: float, n: float) -> float:
    """The distance of the data from a hypothetical difference, in standard errors."""
    excess = gained - lost - n * difference
    b = (2 * n - gained + lost) * difference - gained - lost
    c = -lost * difference * (1 - difference)
    # the share of lost examples under the hypothetical difference
    share = (math.sqrt(max(b * b - 8 * n * c, 0)) - b) / (4 * n)
    variance = n * (2 * share + difference * (1 - difference))
    if variance <= 0:
        return math.copysign(math.inf, excess) if excess else 0.0
    return excess / math.sqrt(variance)
