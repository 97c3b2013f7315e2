"""How many more labels tell two evaluators apart, or put enough labels into the sealed half, in 80 of 100 cases.

The labels that there are know the true difference only roughly, so a number that takes the observed one for true
promises too much. The chance here is the predictive one ("assurance", Spiegelhalter, Abrams and Myles 2004): the true
difference is spread around the observed one as its standard error says, and differences of evaluators are rarely large.
"""

import math

import scipy

from evaluations.statistics.intervals import Z
from evaluations.statistics.power import POWER
from evaluations.statistics.terms import Interval

USUAL = 0.3  # the standard deviation of differences of two evaluators' κ, before anything is known of them
MOST_TIMES = 1_000


def to_decide(difference: float, interval: Interval, labels: int) -> int | None:
    """How many labels like these `labels` decide an open difference of two κ.

    0 if it is clear; None if not even `MOST_TIMES` as many do, or if there is no spread.
    """
    if not interval[0] <= 0 <= interval[1]:
        return 0
    error = (interval[1] - interval[0]) / (2 * Z)
    known = USUAL**2 / (USUAL**2 + error**2)
    ratio = abs(difference) / error if error else 0.0
    low, high = 0.0, float(MOST_TIMES)
    if not error or chance(ratio, high, known) < POWER:
        return None
    while (high - low) * labels > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(ratio, middle, known) >= POWER else (middle, high)
    return math.ceil(high * labels)


def chance(ratio: float, times: float, known: float) -> float:
    """The chance that `times` as many labels more decide a difference of `ratio` standard errors.

    Of the observed difference the share `known` is expected to be true; its variance is as much of the squared error.
    """
    mean = ratio * (1 + times * known) / math.sqrt(1 + times)
    spread = math.sqrt(times * (1 + times * known) / (1 + times))
    return float(scipy.special.ndtr((mean - Z) / spread) + scipy.special.ndtr((-mean - Z) / spread))


def to_hold(needed: int, share: float) -> int:
    """How many labels put `needed` of them into a part that gets each with the probability `share`."""
    return needed + int(scipy.stats.nbinom.ppf(POWER, needed, share)) if needed > 0 else 0
