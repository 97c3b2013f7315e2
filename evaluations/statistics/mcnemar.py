"""Pass against fail on the same examples: only those on which the two runs disagree can tell them apart."""

import math

from scipy import optimize, special

from evaluations.statistics.intervals import Interval, Z


def p_value(gained: int, lost: int) -> float:
    """McNemar's exact test: a fair coin for each disagreement, two-sided. 1.0 where there is none."""
    if gained + lost == 0:
        return 1.0
    return min(1.0, 2 * float(special.bdtr(min(gained, lost), gained + lost, 0.5)))


def interval(gained: int, lost: int, n: int) -> Interval:
    """Tango's score interval (1998) of the difference of two paired rates, `(gained - lost) / n`; n >= 1.

    It stays within [-1, 1] and has a width even where nothing, or everything, changed.
    """
    difference = (gained - lost) / n
    low = optimize.brentq(lambda at: _score(at, gained, lost, n) - Z, -1, difference) if lost < n else -1.0
    high = optimize.brentq(lambda at: _score(at, gained, lost, n) + Z, difference, 1) if gained < n else 1.0
    return float(low), float(high)


def _score(difference: float, gained: int, lost: int, n: int) -> float:
    """How many standard errors the data lie above a supposed difference."""
    excess = gained - lost - n * difference
    b = (2 * n - gained + lost) * difference - gained - lost
    c = -lost * difference * (1 - difference)
    share = (math.sqrt(max(b * b - 8 * n * c, 0)) - b) / (4 * n)  # of examples lost, under that difference
    variance = n * (2 * share + difference * (1 - difference))
    if variance <= 0:
        return math.copysign(math.inf, excess) if excess else 0.0
    return excess / math.sqrt(variance)
