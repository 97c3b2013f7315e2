"""Leave-one-out columns of run statistics, by which inference about a statistic works as for a mean.

Example i contributes d_i = θ + (n − 1)(m − θ_i): θ is the statistic of all n examples, θ_i that of all but example i,
and m the mean of the θ_i. The mean of the d_i is θ, and the variance of their mean is that of the jackknife (Tukey
1958; Efron and Stein 1981). For a mean, d_i is the score itself. Where examples belong to clusters, a whole cluster is
left out (Cameron and Miller 2015): the contributions of its examples are moved by the same amount, so that they sum to
n_g θ + (n − n_g)(m − θ_g).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.terms import Values

Rows = NDArray[np.intp]
Labels = NDArray[np.int64]
Of = Callable[[Values], Values]
AT_ONCE = 4_000_000  # numbers in one batch of sums


@dataclass(frozen=True)
class Estimate:
    """A statistic of `n` examples with the standard deviation and skewness of the contributions to it."""

    n: int
    value: float
    sd: float | None
    skewness: float | None


def estimate(vectors: Values, index: Rows, of: Of) -> Estimate | None:
    """The statistic of the sums of `vectors[index]`; None without examples."""
    n = len(index)
    if not n:
        return None
    times = np.bincount(index, minlength=len(vectors)).astype(np.float64)
    values = _distinct(vectors, times, of)
    mean = float(times @ values) / n
    if n < 2:
        return Estimate(n, mean, None, None)
    distances = np.where(times > 0, values - mean, 0.0)
    variance = float(times @ distances**2) / n
    skewness = float(times @ distances**3) / n / variance**1.5 if variance > 0 else None
    return Estimate(n, mean, math.sqrt(variance * n / (n - 1)), skewness)


def contributions(vectors: Values, index: Rows, of: Of, clusters: Labels | None = None) -> Values:
    """The d_i of the examples `vectors[index]`, whose mean is the statistic."""
    if not len(index):
        return np.zeros(0)
    times = np.bincount(index, minlength=len(vectors)).astype(np.float64)
    values = _distinct(vectors, times, of)[index]
    return values if clusters is None else _by_cluster(values, vectors, index, of, clusters)


def _distinct(vectors: Values, times: Values, of: Of) -> Values:
    """The contribution of each distinct vector, which occurs so many times."""
    n, total = float(times.sum()), (times @ vectors)[None, :]
    [theta] = of(total)
    without = np.concatenate([of(total - part) for part in _batches(vectors)])
    return np.asarray(theta + (n - 1) * (float(times @ without) / n - without))


def _by_cluster(values: Values, vectors: Values, index: Rows, of: Of, clusters: Labels) -> Values:
    codes = np.unique(clusters, return_inverse=True)[1].ravel()
    sizes = np.bincount(codes).astype(np.float64)
    n, total = len(index), _total(vectors, index)
    if len(sizes) < 2:
        return values
    [theta] = of(total)
    without = np.concatenate([of(total - sums) for sums in _cluster_sums(vectors, index, codes, len(sizes))])
    weights = n - sizes
    middle = float(weights @ without) / float(weights.sum())
    targets = sizes * theta + weights * (middle - without)
    return np.asarray(values + ((targets - np.bincount(codes, values)) / sizes)[codes])


def _cluster_sums(vectors: Values, index: Rows, codes: Labels, count: int) -> Iterable[Values]:
    """The sums of the clusters, some at a time."""
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(count + 1))
    at_once = max(AT_ONCE // vectors.shape[1], 1)
    for first in range(0, count, at_once):
        last = min(first + at_once, count)
        sums = np.zeros((last - first, vectors.shape[1]))
        rows = order[ends[first] : ends[last]]
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            np.add.at(sums, codes[part] - first, vectors[index[part]])
        yield sums


def _total(vectors: Values, index: Rows) -> Values:
    times = np.bincount(index, minlength=len(vectors)).astype(np.float64)
    return np.asarray(times @ vectors)[None, :]


def _batches(vectors: Values) -> Iterable[Values]:
    at_once = max(AT_ONCE // vectors.shape[1], 1)
    for first in range(0, len(vectors), at_once):
        yield vectors[first : first + at_once]
