"""The studentised bootstrap (Efron 1982; Hall 1988) of a mean difference."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evaluations.statistics.intervals import LEVEL, Interval

RESAMPLES = 2_000


def interval(differences: NDArray[np.float64], n: int, chance: np.random.Generator) -> Interval:
    """The 95 % interval of the mean of `n` differences, all but the given ones 0; n >= 2, not all are equal.

    Each resample's distance from the mean is measured in its own standard error, and the two tails of these
    distances give the two ends, so skewed differences get the reach they need on the side where they need it;
    a share 1/n of the sample's variance keeps resamples without any spread from dividing by zero. It is never
    inside Student's interval, which small samples of two or three values would otherwise undercut.

    Simulated at n = 20 it holds the truth 95 to 98 times in 100 for differences as scores have them, and 91 to
    93 for the tails of a lognormal; one reach for both sides held those 88 to 90 times.
    """
    m = len(differences)
    mean, variance = _moments(differences.sum(), np.square(differences).sum(), n)
    drawn = chance.binomial(n, m / n, RESAMPLES)
    picks = chance.integers(0, m, (RESAMPLES, drawn.max()), dtype=np.int32)
    sample = differences[picks]
    sample *= np.arange(drawn.max()) < drawn[:, None]
    means, variances = _moments(sample.sum(axis=1), np.einsum("ij,ij->i", sample, sample), n)
    distances = (means - mean) / np.sqrt((variances * (n - 1) + variance) / n)
    below, above = np.quantile(distances, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    student = special.stdtrit(n - 1, (1 + LEVEL) / 2) / math.sqrt(n)
    sd = math.sqrt(variance)
    return float(mean - max(above, student) * sd), float(mean + max(-below, student) * sd)


def _moments(total, squares, n: int):
    mean = total / n
    return mean, np.maximum(squares - n * mean * mean, 0) / (n - 1)
