"""The differences that a comparison can detect with 80 % power at its family's critical value."""

import math
from functools import lru_cache
from statistics import NormalDist

import scipy

from evaluations.statistics.terms import ALPHA, Difference

POWER = 0.80
POWER_QUANTILE = NormalDist().inv_cdf(POWER)
SINGLE_CRITICAL = NormalDist().inv_cdf(1 - ALPHA / 2)
MOST_EXAMPLES = 10**12


def smallest(critical: float, error: float, df: float) -> float | None:
    """The smallest true difference that a comparison with this standard error detects; None if it detects none."""
    return error * shift(critical, df) if critical**2 < df + 1 else None


@lru_cache(maxsize=4_000)
def smallest_rate(critical: float, n: int, changed: float) -> float | None:
    """The smallest detectable difference of two rates if a share `changed` of n pairs differ; None if n is too low."""
    if _excess(1.0, critical, n, changed) < 0:
        return None
    return float(scipy.optimize.brentq(_excess, 0.0, 1.0, args=(critical, n, changed)))


def shift(critical: float, df: float) -> float:
    """The distance, in standard errors, at which Student's t exceeds its critical value with 80 % power.

    A noncentral t is nearly normal: (t (1 - 1 / 4 df) - shift) / sqrt(1 + t^2 / 2 df).
    """
    t = critical * math.sqrt(df / (df + 1 - critical**2))
    return t * (1 - 1 / (4 * df)) + POWER_QUANTILE * math.sqrt(1 + t * t / (2 * df))


def examples_needed(comparison: Difference, difference: float) -> int | None:
    """The number of examples like these that detects `difference`, at the critical value of this family.

    None if no number does: no difference, no spread to plan with, or more than 10**12 examples.
    """
    error, n = comparison.standard_error, comparison.n
    if difference == 0 or not error or comparison.df is None:
        return None
    critical = comparison.critical or SINGLE_CRITICAL
    if comparison.interval_method == "tango" and comparison.clusters is None:
        return _rate_needed(abs(difference), critical, comparison.changed / n)
    spread, independent = error * math.sqrt(n), (comparison.df + 1) / n
    needed = (critical + POWER_QUANTILE) ** 2 * (spread / difference) ** 2
    for _ in range(20):  # Student's t shrinks as n grows; a few steps converge
        df = max(needed * independent - 1, critical**2, 1.0)
        needed = (shift(critical, df) * spread / difference) ** 2
    return math.ceil(needed) if needed <= MOST_EXAMPLES else None


def examples_to_decide(comparison: Difference) -> int | None:
    """How many more examples would decide an open comparison, for the margin, else the observed difference."""
    if comparison.verdict != "cannot_tell" or comparison.difference is None:
        return None
    needed = examples_needed(comparison, comparison.margin or comparison.difference)
    return None if needed is None else max(needed - comparison.n, 0)


def examples_to_settle(comparison: Difference, margin: float) -> int | None:
    """How many more examples would show whether a variant is worse by a margin, if the observed difference is true.

    It is settled if the worse end of the interval is above −margin, or if the whole interval is worse than zero.
    """
    gain = comparison.gain
    if gain is None:
        return None
    distances = [distance for distance in (gain + margin, -gain) if distance > 0]
    needed = [
        number for distance in distances if (number := examples_needed(comparison, distance)) is not None
    ]
    needed += _needed_by_bound(comparison, gain + margin)
    return max(min(needed) - comparison.n, 1) if needed else None


def _needed_by_bound(comparison: Difference, distance: float) -> list[int]:
    """The number of examples if too few differ: then the interval is a bound that shrinks as 1 / n."""
    if comparison.interval_method != "bound" or comparison.interval_90 is None or distance <= 0:
        return []
    low, high = comparison.interval_90
    difference = comparison.difference or 0.0
    reach = difference - low if comparison.direction == "maximize" else high - difference
    return [math.floor(comparison.n * reach / distance) + 1]


def chance(n: int, spread: float, difference: float, critical: float = SINGLE_CRITICAL) -> float:
    """The power of n pairs, whose differences have this standard deviation, to detect a true mean difference.

    >>> round(chance(1_319, 0.5, 0.04), 2)
    0.83
    """
    if not spread:
        return 1.0
    shift = math.sqrt(n) * abs(difference) / spread
    return float(scipy.special.ndtr(shift - critical) + scipy.special.ndtr(-shift - critical))


def needed(spread: float, difference: float, critical: float = SINGLE_CRITICAL) -> int:
    """How many pairs with this standard deviation detect a mean difference with 80 % power.

    >>> needed(0.5, 0.05)
    785
    """
    return math.ceil(((critical + POWER_QUANTILE) * spread / difference) ** 2)


def detectable(n: int, spread: float, critical: float = SINGLE_CRITICAL) -> float:
    """The mean difference that n pairs with this standard deviation detect with 80 % power."""
    return (critical + POWER_QUANTILE) * spread / math.sqrt(n)


def _rate_needed(difference: float, critical: float, changed: float) -> int | None:
    if difference > 1:
        return None
    share = max(changed, difference)
    root = critical * math.sqrt(share) + POWER_QUANTILE * math.sqrt(share - difference**2)
    # difference sqrt(n) = root + 1 / sqrt(n): differing pairs come in steps of two, so half a step is lost on average
    sqrt_n = (root + math.sqrt(root**2 + 4 * difference)) / (2 * difference)
    return math.ceil(sqrt_n**2)


def _excess(difference: float, critical: float, n: int, changed: float) -> float:
    """By how many standard errors n examples exceed the number that detects a difference of two rates."""
    share = max(changed, difference)
    missing = critical * math.sqrt(share) + POWER_QUANTILE * math.sqrt(max(share - difference**2, 0.0))
    return difference * math.sqrt(n) - missing - 1 / math.sqrt(n)
