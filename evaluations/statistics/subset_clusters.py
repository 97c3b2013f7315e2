"""Larger standard errors for subsets of dependent examples, from sums by cluster."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.terms import Values

FEW = 10  # clusters; standard errors from fewer are too small, and that from one is zero
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Widening:
    """Factors (at least 1) for squared errors, and degrees of freedom, for each subset.

    `joint` is for the difference between subset and rest, which is small if clusters have examples in both.
    """

    inside: Values
    joint: Values
    df: Values
    outside_df: Values


def none(n: Values, n_outside: Values) -> Widening:
    """No widening: examples are independent."""
    return Widening(np.ones(len(n)), np.ones(len(n)), n - 1, n_outside - 1)


def numbered(labels: Labels | None) -> Labels | None:
    """The labels renumbered from 0."""
    return None if labels is None else np.unique(labels, return_inverse=True)[1]


def widening(
    d: Values, codes: NDArray[np.signedinteger], cluster: Labels, large: NDArray[np.intp]
) -> Widening:
    """The widening for the subsets with the codes `large`; `cluster` comes from `numbered`."""
    whole = _Sums.of_examples(d, cluster, int(cluster.max()) + 1)
    overall = _ratio(whole.residuals, whole.clusters, whole.squares)
    rows = [_of_subset(d, cluster, whole, codes == code, overall) for code in large]
    return Widening(*np.array(rows, np.float64).reshape(len(large), 4).T)


@dataclass(frozen=True)
class _Sums:
    """Counts and sums by cluster, over some of the examples; `squares` is the sum of squared deviations."""

    sizes: Labels
    sums: Values
    squares: float

    @classmethod
    def of_examples(cls, d: Values, cluster: Labels, count: int) -> "_Sums":
        return cls(
            np.bincount(cluster, minlength=count),
            np.asarray(np.bincount(cluster, d, count), np.float64),
            float(((d - d.mean()) ** 2).sum()),
        )

    def without(self, part: "_Sums") -> "_Sums":
        outside = _Sums(self.sizes - part.sizes, self.sums - part.sums, 0.0)
        between = part.n * outside.n / self.n * (part.mean - outside.mean) ** 2
        return _Sums(outside.sizes, outside.sums, max(self.squares - part.squares - between, 0.0))

    @property
    def n(self) -> int:
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.n)

    @property
    def clusters(self) -> int:
        return int(np.count_nonzero(self.sizes))

    @property
    def residuals(self) -> Values:
        """The deviation of each cluster's sum from the one expected by its size."""
        return np.asarray(self.sums - self.mean * self.sizes)


def _of_subset(
    d: Values, cluster: Labels, whole: _Sums, is_inside: NDArray[np.bool_], overall: float
) -> tuple[float, float, int, int]:
    inside = _Sums.of_examples(d[is_inside], cluster[is_inside], len(whole.sizes))
    outside = whole.without(inside)
    both = inside.residuals / inside.n - outside.residuals / outside.n
    alone = inside.squares / inside.n**2 + outside.squares / outside.n**2
    least = overall if inside.clusters < FEW else 1.0
    return (
        max(least, _ratio(inside.residuals, inside.clusters, inside.squares)),
        max(least, _ratio(both, whole.clusters, alone)),
        max(inside.clusters, 2) - 1,
        max(outside.clusters, 2) - 1,
    )


def _ratio(by_cluster: Values, clusters: int, alone: float) -> float:
    """The variance of a sum by clusters divided by that of independent examples; at least 1."""
    if alone <= 0 or clusters < 2:
        return 1.0
    return max(1.0, float((by_cluster**2).sum()) * clusters / (clusters - 1) / alone)
