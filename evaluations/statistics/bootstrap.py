"""The symmetric studentised bootstrap (Hall 1988) of a mean difference."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evaluations.statistics.intervals import LEVEL, Interval

RESAMPLES = 2_000


def interval(differences: NDArray[np.float64], n: int, chance: np.random.Generator) -> Interval:
    """The 95 % interval of the mean of `n` differences, all but the given ones 0; n >= 2, not all are equal.

    Each resample's distance from the mean is measured in its own standard error, so skewed differences get
    the width they need; a share 1/n of the sample's variance keeps resamples without any spread from dividing
    by zero. Never narrower than Student's interval, which small samples of two or three values would
    otherwise undercut.
    """
    m = len(differences)
    mean, variance = _moments(differences.sum(), np.square(differences).sum(), n)
    drawn = chance.binomial(n, m / n, RESAMPLES)
    picks = chance.integers(0, m, (RESAMPLES, drawn.max()), dtype=np.int32)
    sample = differences[picks]
    sample *= np.arange(drawn.max()) < drawn[:, None]
    means, variances = _moments(sample.sum(axis=1), np.einsum("ij,ij->i", sample, sample), n)
    distances = np.abs(means - mean) / np.sqrt((variances * (n - 1) + variance) / n)
    reach = max(float(np.quantile(distances, LEVEL)), special.stdtrit(n - 1, (1 + LEVEL) / 2) / math.sqrt(n))
    half = reach * math.sqrt(variance)
    return float(mean - half), float(mean + half)


def _moments(total, squares, n: int):
    mean = total / n
    return mean, np.maximum(squares - n * mean * mean, 0) / (n - 1)
