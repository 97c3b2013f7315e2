"""What the reuse of one test set costs: a stricter limit for each further comparison, and leads pulled towards none.

Of forty changes without any effect, the best looks better in a quarter to a third of all histories. Each comparison may
spend a part of one error of 5 % for "better" over the whole history; "worse" needs no correction.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluations.statistics.terms import ALPHA, Difference

TOTAL = 2 * ALPHA  # two-sided, so ALPHA for "better"
SPENT, OFFSET, POWER = 0.107, 4, 1.5  # the sum over all t is `TOTAL`
FINE_P = 0.001  # corrected p below which the usual draws can be too few for a strict limit
FINE_LEVEL = 0.0005
FEWEST = 3  # ranked variants whose means can be pulled together


def allowed(number: int, most: int | None = None) -> float:
    """The largest corrected p that confirms "better" in the comparison with this number, from 1.

    Where at most `most` comparisons were declared before the first, each of them may spend an equal part, and no
    further one anything.

    >>> [round(allowed(t), 4) for t in (1, 5, 10, 20, 40)]
    [0.0096, 0.004, 0.002, 0.0009, 0.0004]
    >>> [allowed(t, most=20) for t in (1, 20, 21)]
    [0.005, 0.005, 0.0]
    """
    if most is not None:
        return min(ALPHA, TOTAL / most) if number <= most else 0.0
    return min(ALPHA, SPENT / math.pow(number + OFFSET, POWER))


def needs_more_draws(p_corrected: float | None, number: int | None, most: int | None = None) -> bool:
    """Whether the usual draws are too few to tell if "better" is confirmed.

    >>> needs_more_draws(0.0001, 31), needs_more_draws(0.0001, 32), needs_more_draws(0.01, 32)
    (False, True, False)
    """
    if p_corrected is None or number is None or p_corrected >= FINE_P:
        return False
    return 0 < allowed(number, most) < FINE_LEVEL


def p_online(p_corrected: float | None, number: int | None, most: int | None = None) -> float | None:
    """The corrected p on the scale of 5 %: at most 0.05 where "better" is confirmed.

    >>> p_online(0.0095, 1) <= 0.05, p_online(0.0096, 5) > 0.05, p_online(None, 3)
    (True, True, None)
    """
    if p_corrected is None or number is None:
        return None
    limit = allowed(number, most)
    return min(1.0, p_corrected * ALPHA / limit) if limit else 1.0


@dataclass(frozen=True)
class Confirmation:
    """Whether a lead of "better" is confirmed in the comparison with this number, of `most` that were declared.

    `p` is `p_corrected` of the lead on the scale of 5 %. `at_once` is how many variants were compared with the baseline
    before any result was known, if this is one of them; else it is 0. `over` is the variant that the lead is over, of
    more than two.
    """

    number: int
    most: int | None
    p: float
    p_corrected: float
    at_once: int = 0
    over: str = ""

    @property
    def is_confirmed(self) -> bool:
        return self.p <= ALPHA


def confirmation(
    lead: Difference | None,
    number: int | None,
    most: int | None = None,
    fine_p: float | None = None,
    *,
    at_once: int = 0,
    over: str = "",
) -> Confirmation | None:
    """`fine_p` is the corrected p of the lead from more draws, if it was computed.

    None where nothing is to be confirmed: no lead, no counted comparison, or the first of a number not declared, unless
    others were compared `at_once` with it.
    """
    if lead is None or lead.verdict != "better" or number is None:
        return None
    if number < 2 and most is None and not at_once:
        return None
    p_corrected = lead.p_corrected if fine_p is None else fine_p
    p = p_online(p_corrected, number, most)
    if p is None or p_corrected is None:
        return None
    return Confirmation(number, most, p, p_corrected, at_once if most is None else 0, over)


def shrunken(means: Sequence[float | None], pairs: Sequence[Difference]) -> list[float | None]:
    """The means expected on fresh examples: pulled towards their average, as far as they differ by chance.

    `pairs` are all differences of the ranked variants. Of the variance of the means, half the average squared standard
    error of a difference is chance (empirical Bayes). None for fewer than three variants, and without standard errors.
    """
    known = [mean for mean in means if mean is not None]
    errors = [pair.standard_error**2 / 2 for pair in pairs if pair.standard_error is not None]
    if len(known) < FEWEST or len(known) < len(means) or not errors:
        return [None] * len(means)
    spread, centre = float(np.var(known, ddof=1)), float(np.mean(known))
    kept = max(0.0, 1 - float(np.mean(errors)) / spread) if spread else 0.0
    return [centre + kept * (mean - centre) for mean in known]
