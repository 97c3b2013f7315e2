"""What two looks at the same answers say: exact tests and intervals of counts."""

import scipy

from evaluations.statistics.intervals import ALPHA
from evaluations.statistics.terms import Interval


def share_interval(count: int, of: int, level: float = 1 - ALPHA) -> Interval:
    """Clopper and Pearson's exact interval (1934) of a share; 0 to 1 of nothing."""
    if not of:
        return 0.0, 1.0
    tail = (1 - level) / 2
    low = float(scipy.special.betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(scipy.special.betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return low, high


def mcnemar(lost: int, gained: int) -> float:
    """The exact two-sided p of McNemar's test: whether as many answers were lost as gained."""
    if not lost + gained:
        return 1.0
    return min(1.0, 2 * float(scipy.special.bdtr(min(lost, gained), lost + gained, 0.5)))
