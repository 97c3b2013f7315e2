"""Unseen worst cases: what one, or several, examples with the largest possible loss of the leader would change.

No test sees gains and losses that did not occur, but the range of an evaluator says how large they can be.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from evaluations import long_arrays
from evaluations.statistics.figures import Clustered, Figures
from evaluations.statistics.terms import FEWEST_AGAINST, Interval, Scale

MANY = 2_000  # examples from which the third worst is not searched: one case hardly matters there


def applies(scale: Scale) -> bool:
    """Whether the range is known; pass and fail have an exact test instead."""
    return bool(scale.span) and not scale.binary


def has_few_against(figures: Figures) -> bool:
    """Whether fewer than three examples go against the leader."""
    leads = (figures.difference or 0.0) > 0
    return (figures.falls if leads else figures.rises) < FEWEST_AGAINST


@dataclass(frozen=True)
class Sums:
    """The sum of the units, not negative, the sum of their squares, and the largest possible loss."""

    total: float
    squares: float
    loss: float

    def statistic(self, cases: int = 1) -> float:
        """The statistic R with so many worst cases added; 0 if they turn the sum."""
        squares = self.squares + cases * self.loss**2
        return max(self.total - cases * self.loss, 0.0) / math.sqrt(squares) if squares else 0.0

    def overturned_by(self, critical: float) -> int:
        """The smallest number of worst cases with which R is at most `critical`.

        (S - kW)^2 = q^2 (Q + kW^2) is a quadratic in k; its smaller root is where R falls to q.
        """
        b = 2 * self.total * self.loss + critical**2 * self.loss**2
        c = self.total**2 - critical**2 * self.squares
        root = math.sqrt(max(b * b - 4 * self.loss**2 * c, 0.0))
        least = max(math.ceil(2 * c / (b + root) - 1e-9), 1)
        return next(
            k for k in range(max(least - 1, 1), least + 3) if self.statistic(k) <= critical or k > least + 1
        )


def thirds(figures: Figures) -> Interval | None:
    """The third smallest and third largest difference; None for many or very few examples."""
    differences = figures.row_differences
    if differences is None or not 2 * FEWEST_AGAINST <= figures.n < MANY:
        return None
    ordered = np.partition(differences, (FEWEST_AGAINST - 1, len(differences) - FEWEST_AGAINST))
    return float(ordered[FEWEST_AGAINST - 1]), float(ordered[-FEWEST_AGAINST])


def with_case(figures: Figures, case: float) -> Figures:
    """The figures with one more difference."""
    n = figures.n + 1
    difference = ((figures.difference or 0.0) * figures.n + case) / n
    clustered = figures.clustered and _with_cluster(figures.clustered, case)
    return replace(
        figures, n=n, difference=difference, squares=figures.squares + case**2, clustered=clustered
    )


def _with_cluster(clustered: Clustered, case: float) -> Clustered:
    longer = map(long_arrays.appended, (clustered.sizes, clustered.sums, clustered.changed), (1.0, case, 1.0))
    return Clustered(*longer)
