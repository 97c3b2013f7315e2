"""How many more labels tell two evaluators apart, or put enough labels into the sealed half, in 80 of 100 cases.

The labels that there are know the true difference only roughly, so a number that takes the observed one for true
promises too much. The chance here is the predictive one: what is not known of the difference yet is spread around the
observed one as its standard error says (Spiegelhalter, Abrams and Myles 2004, "assurance").
"""

import math

import scipy

from evaluations.statistics.intervals import Z
from evaluations.statistics.power import POWER
from evaluations.statistics.terms import Interval

MOST_TIMES = 128  # 61 times the labels decide even an observed difference of zero


def to_decide(difference: float, interval: Interval, labels: int) -> int | None:
    """How many labels like these `labels` decide an open difference; 0 if it is clear, None without any spread."""
    if not interval[0] <= 0 <= interval[1]:
        return 0
    error = (interval[1] - interval[0]) / (2 * Z)
    if not error:
        return None
    ratio = abs(difference) / error
    low, high = 0.0, float(MOST_TIMES)
    while (high - low) * labels > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(ratio, middle) >= POWER else (middle, high)
    return math.ceil(high * labels)


def chance(ratio: float, times: float) -> float:
    """The chance that `times` as many labels more decide a difference of `ratio` standard errors.

    All labels together then have the statistic N(ratio √(1 + times), times).
    """
    mean, spread = ratio * math.sqrt(1 + times), math.sqrt(times)
    return float(scipy.special.ndtr((mean - Z) / spread) + scipy.special.ndtr((-mean - Z) / spread))


def to_hold(needed: int, share: float) -> int:
    """How many labels put `needed` of them into a part that gets each with the probability `share`."""
    return needed + int(scipy.stats.nbinom.ppf(POWER, needed, share)) if needed > 0 else 0
