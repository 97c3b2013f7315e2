"""95 % intervals of one run's figures. No scipy here: the page of a run shows them.

Two such intervals that overlap say nothing about the difference between two runs; `paired` does.
"""

import math
from statistics import NormalDist

Interval = tuple[float, float]

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


def wilson(passes: int, n: int) -> Interval | None:
    """Wilson's score interval of a pass rate, in [0, 1] and sound at both ends. None without a verdict."""
    if n == 0:
        return None
    rate, spread = passes / n, Z * Z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = Z * math.sqrt(rate * (1 - rate) / n + spread / (4 * n)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(n: int, mean: float | None, sd: float | None) -> Interval | None:
    """Student's interval of a mean from the figures of a `Summary`; None below two values.

    For scores that are all 0 or 1 the mean is a rate: `wilson` covers better there.
    """
    if mean is None or sd is None:
        return None
    half = _student(n - 1) * sd / math.sqrt(n)
    return mean - half, mean + half


def _student(df: int) -> float:
    """Student's t at the interval's upper end: exact for 1 and 2 degrees of freedom, then within 0.2 %.

    Abramowitz and Stegun 26.7.5; here, because scipy takes half a second to load for this one number.
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
