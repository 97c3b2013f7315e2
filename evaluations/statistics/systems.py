"""Agreement of two evaluators on the order of systems (variants), by the measures of the WMT metrics task.

Scores have the shape (systems, examples), higher is better. Random draws are arguments, so results are reproducible.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Masks = NDArray[np.bool_]
NOISE = 1e-12  # relative to the largest mean: equal sums in another order differ by less


def pairwise_accuracy(first: Scores, second: Scores) -> float:
    """The share of pairs of systems in the same order by both; tied by both counts as that (Deutsch et al. 2023)."""
    a, b = _pairs(len(first))
    orders = [np.sign(_but_noise(means[a] - means[b], means)) for means in (first, second)]
    return float(np.equal(*orders).mean())


def soft_pairwise_accuracy(first: Scores, second: Scores, swaps: Masks) -> float:
    """The mean of 1 − |p − p'| over pairs of systems, p by one-sided paired permutation (Thompson et al. 2024).

    `swaps` are draws by examples: whether the two systems are swapped in an example.
    """
    return float(1 - np.abs(p_values(first, swaps) - p_values(second, swaps)).mean())


def p_values(scores: Scores, swaps: Masks) -> Scores:
    """For each pair of systems, the share of draws in which the first leads by at least its observed lead."""
    first, second = _pairs(len(scores))
    differences = (scores[first] - scores[second]).T
    signs = np.where(swaps, -1.0, 1.0)
    observed = differences.sum(axis=0)
    tolerance = 1e-9 * np.abs(differences).sum(axis=0)
    reached: Scores = (signs @ differences >= observed - tolerance).mean(axis=0)
    return reached


def correlation(first: Scores, second: Scores) -> float:
    """Pearson's r of the systems' means; 0 if one evaluator's means are all equal."""
    a, b = (_but_noise(means - means.mean(), means) for means in (first, second))
    norm = float(np.sqrt(a @ a) * np.sqrt(b @ b))
    return float(a @ b) / norm if norm else 0.0


def _but_noise(differences: Scores, means: Scores) -> Scores:
    return np.where(np.abs(differences) > NOISE * np.abs(means).max(), differences, 0.0)


def perm_both(human: Scores, first: Scores, second: Scores, swaps: Iterable[Masks]) -> tuple[float, float]:
    """How much closer one evaluator is to the human scores than the other, by correlation of the systems, and p.

    PERM-BOTH (Deutsch, Dror and Roth 2021): both are standardized, and scores are swapped between them; `swaps`
    are draws by systems by examples. p is two-sided.
    """
    means, a, b = human.mean(axis=1), _standardized(first), _standardized(second)
    difference = correlation(means, a.mean(axis=1)) - correlation(means, b.mean(axis=1))
    swapped = [
        correlation(means, np.where(mask, b, a).mean(axis=1))
        - correlation(means, np.where(mask, a, b).mean(axis=1))
        for mask in swaps
    ]
    reached = int(np.count_nonzero(np.abs(swapped) >= abs(difference) - 1e-12))
    return difference, (1 + reached) / (1 + len(swapped))


def _standardized(scores: Scores) -> Scores:
    deviation = float(scores.std())
    standardized: Scores = (scores - scores.mean()) / (deviation if deviation > 0 else 1.0)
    return standardized


def _pairs(systems: int) -> tuple[list[int], list[int]]:
    pairs = list(combinations(range(systems), 2))
    return [first for first, _ in pairs], [second for _, second in pairs]
