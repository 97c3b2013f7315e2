"""95 % intervals of one run's figures, without scipy, because the page of a run shows them.

Whether two such intervals overlap does not decide about the difference between two runs; `inference` does.
"""

import math
from statistics import NormalDist

Interval = tuple[float, float]

ALPHA = 0.05
LEVEL, TAILS = 1 - ALPHA, (ALPHA / 2, 1 - ALPHA / 2)
PERCENT = f"{100 * LEVEL:g}\N{NARROW NO-BREAK SPACE}%"  # as texts say it
Z = NormalDist().inv_cdf(TAILS[1])


def wilson(passes: int, n: int) -> Interval | None:
    """Wilson's score interval of a pass rate, in [0, 1] and valid at both ends; None if no verdicts exist."""
    if n == 0:
        return None
    low, high = score_ends(passes / n, Z * Z / n)
    return max(0.0, low), min(1.0, high)


def mean_interval(
    n: int,
    mean: float | None,
    sd: float | None,
    skewness: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Interval | None:
    """The interval of a mean of scores between `low` and `high`, from the figures of a `Summary`.

    The hull of two intervals; None below two values. One is Student's, longer on the side that skew shortens. The
    other is Wilson's, scaled by the spread of the scores, if their scale has an end, near which few scores may hide
    others. Without an upper end the spread grows with the mean, as that of counts does.
    """
    if mean is None or sd is None or n < 2:
        return None
    student, against = _skewed(n, mean, sd, skewness or 0.0), _stretched(n, mean, sd, low, high)
    interval = (min(student[0], against[0]), max(student[1], against[1])) if against else student
    return interval[0] if low is None else max(interval[0], low), interval[1] if high is None else min(
        interval[1], high
    )


def _skewed(n: int, mean: float, sd: float, skewness: float) -> Interval:
    """Student's interval, lengthened on one side as a skewed mean requires (Hall 1992)."""
    t, error, skew = _student(n - 1), sd / math.sqrt(n), skewness / (6 * math.sqrt(n))
    further = 2 * t * t + 1
    return mean - (t + max(0.0, -skew) * further) * error, mean + (t + max(0.0, skew) * further) * error


def _stretched(n: int, mean: float, sd: float, low: float | None, high: float | None) -> Interval | None:
    """A score interval: for every hypothetical mean, the variance is that of a rate (or count) times a factor."""
    if low is None or (high is not None and high <= low):
        return None
    t, variance, above = _student(n - 1), sd * sd * (n - 1) / n, mean - low
    if high is None:
        reach = t * t * (variance / above if above > 0 else 1.0) / n
        half = math.sqrt(reach * above + reach**2 / 4)
        return mean + reach / 2 - half, mean + reach / 2 + half
    rate, span = min(max(above / (high - low), 0.0), 1.0), high - low
    maximum = rate * (1 - rate)
    factor = min(variance / span**2 / maximum, 1.0) if maximum > 1e-12 else 1.0
    ends = score_ends(rate, t * t * factor / n)
    return low + ends[0] * span, low + ends[1] * span


def score_ends(rate: float, spread: float) -> Interval:
    """Wilson's ends of a rate; `spread` is the squared critical value over the number of examples."""
    middle = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(spread * rate * (1 - rate) + spread**2 / 4) / (1 + spread)
    return middle - half, middle + half


def _student(df: int) -> float:
    """Student's t at the interval's upper end: exact for 1 and 2 degrees of freedom, else within 0.2 %.

    Abramowitz and Stegun 26.7.5, because scipy takes half a second to import for this one number.
    """
    tail = 1 - LEVEL
    if df == 1:
        return 1 / math.tan(math.pi * tail / 2)
    if df == 2:
        return LEVEL / math.sqrt(tail * (1 - tail / 2))
    g1 = (Z**3 + Z) / 4
    g2 = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    g3 = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    g4 = (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160
    return Z + g1 / df + g2 / df**2 + g3 / df**3 + g4 / df**4
