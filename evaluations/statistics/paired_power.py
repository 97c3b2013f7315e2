"""What a comparison could have seen: 80 % power at a two-sided 5 %, before any correction for a family.

Seen means seen on its own side: a verdict of "worse" about a better run is no success.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

ALPHA = 0.05
POWER = 0.80
NORMAL_DF = 500  # from here on the normal distribution stands for Student's
NORMAL_DISCORDANT = 5_000  # and for the exact binomial
MOST_EXAMPLES = 10**12


def smallest_difference(standard_error: float, df: float) -> float:
    """The smallest mean difference that a t test with this standard error sees four times in five."""
    shift = optimize.brentq(lambda shift: _power_t(shift, df) - POWER, 0, _enough(df))
    return standard_error * float(shift)


def examples_needed(difference: float, sd: float, independent: float = 1.0) -> int | None:
    """How many examples a t test needs to see `difference`, with `sd` of the differences per example.

    `independent` is the number of independent units per example, below 1 where examples come in clusters.
    None where no number will do: no difference, no spread to plan with, or beyond 10**12.
    """
    if difference == 0 or sd == 0:
        return None
    return _fewest(lambda n: _power_t(abs(difference) / sd * math.sqrt(n), max(n * independent - 1, 1)))


def smallest_rate_difference(n: int, discordant: float) -> float | None:
    """The smallest difference of two paired pass rates that McNemar's exact test on `n` examples sees.

    `discordant` is the share of examples on which the runs disagree; it grows with a difference that exceeds
    it. None where even a change of every example would not be seen.
    """
    if _power_mcnemar(1.0, n, discordant) < POWER:
        return None
    rate = optimize.brentq(lambda rate: _power_mcnemar(rate, n, discordant) - POWER, 1e-9, 1, rtol=1e-4)
    return float(rate)


def examples_needed_for_rate(difference: float, discordant: float) -> int | None:
    """How many examples McNemar's exact test needs to see `difference` between two paired pass rates."""
    if not 0 < abs(difference) <= 1:
        return None
    return _fewest(lambda n: _power_mcnemar(abs(difference), n, discordant))


def _power_t(shift: float, df: float) -> float:
    if df > NORMAL_DF:
        critical = special.ndtri(1 - ALPHA / 2)
        return float(special.ndtr(shift - critical))
    shift, critical = min(shift, _enough(df)), special.stdtrit(df, 1 - ALPHA / 2)
    return float(1 - special.nctdtr(df, shift, critical))


def _enough(df: float) -> float:
    """A shift, in standard errors, seen more than four times in five; scipy gives NaN for far larger ones."""
    return 2 * float(special.stdtrit(df, 1 - ALPHA / 2)) + 2


def _power_mcnemar(difference: float, n: int, discordant: float) -> float:
    share = max(discordant, difference)
    if n * share > NORMAL_DISCORDANT:
        critical = special.ndtri(1 - ALPHA / 2) * math.sqrt(share)
        spread = math.sqrt(share - difference**2)
        return float(special.ndtr((difference * math.sqrt(n) - critical) / spread)) if spread else 1.0
    disagreements = _likely(n, share)
    lost = _allowed(disagreements)
    behind = (share - difference) / (2 * share)
    seen = np.where(lost >= 0, special.bdtr(np.maximum(lost, 0), disagreements, behind), 0.0)
    return float((_binomial(disagreements, n, share) * seen).sum())


def _allowed(disagreements: np.ndarray) -> np.ndarray:
    """The most losses among so many disagreements that the exact test still calls better, -1 for never.

    The normal approximation is within two of it, so five candidates are tried.
    """
    first = np.floor((disagreements - special.ndtri(1 - ALPHA / 2) * np.sqrt(disagreements)) / 2) - 2
    candidates = first[:, None] + np.arange(5)
    chances = 2 * special.bdtr(np.maximum(candidates, 0), disagreements[:, None], 0.5)
    return first - 1 + ((chances <= ALPHA) | (candidates < 0)).sum(axis=1)


def _likely(n: int, share: float) -> np.ndarray:
    """The numbers of disagreements that weigh anything: within nine standard deviations and ten more."""
    middle, reach = n * share, 9 * math.sqrt(n * share * (1 - share)) + 10
    return np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)


def _binomial(k: np.ndarray, n: int, share: float) -> np.ndarray:
    choices = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.exp(choices + special.xlogy(k, share) + special.xlog1py(n - k, -share))


def _fewest(power: Callable[[int], float]) -> int | None:
    """The number of examples at which a growing power crosses POWER, by doubling and halving."""
    high = 2
    while power(high) < POWER:
        high *= 2
        if high > MOST_EXAMPLES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
