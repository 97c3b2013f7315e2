"""The sums over one pair of columns from which all other figures are computed; data is read once, in chunks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.terms import Column, Mask, Scale, Values

# examples per chunk: fits the processor's cache, and keeps threads from waiting for each other
CHUNK = 131_072
LARGEST = 1e100  # the cubes of larger differences overflow
SMALLEST = 1e-100  # the cubes of smaller differences vanish; they count as none
ROUNDING = 1e-12  # scores that are equal on paper differ by less, relatively

Labels = NDArray[np.int64]
Rows = NDArray[np.intp] | slice


class Scores:
    """A column with values that all its pairs need, computed once. `values` have the rows in `order`."""

    def __init__(self, column: Column, order: NDArray[np.intp] | None = None):
        self.column = column
        self.values = column.values if order is None else column.values[order]
        self.imputed = column.imputed if order is None or column.imputed is None else column.imputed[order]

    @cached_property
    def finite(self) -> Mask | None:
        """The mask of slots with a score; None if all slots have one."""
        return None if all(map(math.isfinite, self._ends)) else np.isfinite(self.values)

    @cached_property
    def mean(self) -> float:
        """The mean, if all slots have a score."""
        return float(self.values.mean())

    @cached_property
    def extent(self) -> tuple[float, float]:
        return self._ends if self.finite is None else _extent(self.values[self.finite])

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return _extent(self.values)


def _extent(values: Values) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)


@dataclass(frozen=True)
class Clustered:
    """The differences by cluster: count, sum, and number of non-zero differences."""

    sizes: Values
    sums: Values
    changed: Values

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.sizes))

    @cached_property
    def _powers(self) -> tuple[float, float, float, float, float]:
        """For cluster sums S and sizes n: the sums of n, S, S^2, nS and n^2."""
        order = np.lexsort((self.sizes, self.sums))  # so that sums do not depend on the order of clusters,
        order = order[self.sizes[order] > 0]  # nor on empty ones
        n, sums = self.sizes[order], self.sums[order]
        return float(n.sum()), float(sums.sum()), float(sums @ sums), float(n @ sums), float(n @ n)

    @property
    def total_and_squares(self) -> tuple[float, float]:
        """The size of the sum over all clusters, and the sum of the squares of their sums."""
        _, total, squares, *_ = self._powers
        return abs(total), squares

    @property
    def effective(self) -> float:
        """The effective number of clusters of equal size (Carter, Schnepel and Steigerwald 2017)."""
        n, *_, squares = self._powers
        return n * n / squares

    def standard_error(self) -> float:
        """The standard error of the mean, from deviations of cluster sums from those expected by size."""
        n, total, squares, mixed, sizes = self._powers
        mean, count = total / n, self.count
        spread = max(squares - 2 * mean * mixed + mean * mean * sizes, 0.0)
        return math.sqrt(spread * count / (count - 1)) / n

    def ends(self, below: float, above: float) -> tuple[float, float]:
        """The means at which R, of the clusters' distances from the mean, equals a critical value.

        (S - mn)^2 = q^2 (sum of squared distances) is a quadratic in m: zero is outside exactly if R exceeds q.
        """
        if self._powers[1] < 0:
            low, high = replace(self, sums=-self.sums).ends(above, below)
            return 0.0 - high, 0.0 - low
        return self._near_end(below), self._far_end(above)

    def _near_end(self, q: float) -> float:
        """The end nearer to zero, for a mean that is not negative."""
        if math.isinf(q):
            return -math.inf
        a, b, c = self._quadratic(q)
        root = math.sqrt(max(b * b - a * c, 0.0))
        return c / (b + root) if c > 0 else (b - root) / a if a > 0 else -math.inf

    def _far_end(self, q: float) -> float:
        a, b, c = self._quadratic(q) if math.isfinite(q) else (0.0, 0.0, 0.0)
        return (b + math.sqrt(max(b * b - a * c, 0.0))) / a if a > 0 else math.inf

    def _quadratic(self, q: float) -> tuple[float, float, float]:
        n, total, squares, mixed, sizes = self._powers
        return n * n - q * q * sizes, total * n - q * q * mixed, total * total - q * q * squares

    def centred(self) -> Values:
        """The sums of differences minus the mean of the non-zero ones, by cluster."""
        count = max(self.changed.sum(), 1.0)
        return np.asarray(self.sums - self.changed * (self._powers[1] / count))


@dataclass(frozen=True)
class Figures:
    """The sums of n differences d.

    `rises` and `falls` count positive and negative ones, `squares` and `cubes` are power sums.

    `row_differences` are those of the requested rows, 0 for no pair. `span` is the largest possible difference.
    """

    n: int
    imputed: int = 0
    mean: float | None = None
    baseline_mean: float | None = None
    difference: float | None = None
    squares: float = 0.0
    cubes: float = 0.0
    rises: int = 0
    falls: int = 0
    above: int = 0
    below: int = 0
    span: float = 0.0
    row_differences: NDArray[np.floating] | None = None
    clustered: Clustered | None = None
    too_large: bool = False

    @property
    def changed(self) -> int:
        return self.rises + self.falls

    @cached_property
    def sd(self) -> float:
        """The sample standard deviation; 0 if all differences are equal."""
        if self.n < 2 or self.difference is None:
            return 0.0
        spread = self.squares - self.n * self.difference**2
        return math.sqrt(spread / (self.n - 1)) if spread > 1e-13 * self.squares else 0.0

    @property
    def skewness_of_mean(self) -> float:
        """The skewness of the differences divided by the square root of n."""
        if not self.sd or self.difference is None:
            return 0.0
        n, mean = self.n, self.difference
        variance = self.squares / n - mean**2
        third = self.cubes / n - 3 * mean * self.squares / n + 2 * mean**3
        return float(third / variance**1.5 / math.sqrt(n))


def common_span(scale: Scale, scores: Sequence[Scores]) -> float:
    """The largest possible difference: by the bounds of the scale, or without these by all scores of the family."""
    extents = [score.extent for score in scores if len(score.values)]
    observed = max((high for _, high in extents), default=0.0) - min((low for low, _ in extents), default=0.0)
    return max(scale.span or 0.0, observed)


def compute(
    baseline: Scores, variant: Scores, scale: Scale, rows: Rows, labels: Labels | None, span: float
) -> Figures:
    """The figures of variant minus baseline, over the slots in which both have a score.

    `rows` are given in the order of the columns, `labels` in that of the scores.
    """
    both = _common(baseline, variant)
    n = len(variant.values) if both is None else int(np.count_nonzero(both))
    imputed = _imputed(baseline, variant, both)
    low, high = _common_extent(baseline, variant) if n else (0.0, 0.0)
    if n == 0 or max(-low, high) > LARGEST:
        return Figures(
            n, imputed, too_large=n > 0, row_differences=np.zeros(len(variant.column.values[rows]))
        )
    a = baseline.values if both is None else baseline.values[both]
    b = variant.values if both is None else variant.values[both]
    tiny = max(ROUNDING * max(-low, high), SMALLEST)
    total, squares, cubes, *counts = sums(a, b, (tiny, max(scale.tie, tiny))).tolist()
    rises, falls, above, below = map(int, _behind(baseline.column, variant.column, scale.tie) or counts)
    return Figures(
        n,
        imputed,
        mean=variant.mean if both is None else float(b.mean()),
        baseline_mean=baseline.mean if both is None else float(a.mean()),
        difference=total / n,
        span=span,
        row_differences=_row_differences(baseline, variant, rows, tiny),
        clustered=None if labels is None else _clustered(b - a, labels, both, tiny),
        squares=squares,
        cubes=cubes,
        rises=rises,
        falls=falls,
        above=above,
        below=below,
    )


def _behind(baseline: Column, variant: Column, tie: float) -> list[int] | None:
    """Of contributions to a statistic: how many answers differ, by the side where they count, then wins and losses by
    the scores of the examples. None for scores."""
    if baseline.behind is None or variant.behind is None:
        return None
    both = np.isfinite(baseline.values) & np.isfinite(variant.values)
    changed = both & (baseline.behind.codes != variant.behind.codes)
    rises = changed & (variant.values > baseline.values)
    gains = variant.behind.values[both] - baseline.behind.values[both]
    counts = (rises, changed & ~rises, gains > tie, gains < -tie)
    return [int(np.count_nonzero(mask)) for mask in counts]


def _common_extent(baseline: Scores, variant: Scores) -> tuple[float, float]:
    (low, high), (other_low, other_high) = baseline.extent, variant.extent
    return min(low, other_low), max(high, other_high)


def _common(baseline: Scores, variant: Scores) -> Mask | None:
    if baseline.finite is None or variant.finite is None:
        return variant.finite if baseline.finite is None else baseline.finite
    return baseline.finite & variant.finite


def _imputed(baseline: Scores, variant: Scores, both: Mask | None) -> int:
    masks = [mask for mask in (baseline.imputed, variant.imputed, both) if mask is not None]
    if baseline.imputed is None and variant.imputed is None:
        return 0
    imputed_in_any = np.logical_or.reduce([m for m in (baseline.imputed, variant.imputed) if m is not None])
    return int(np.count_nonzero(imputed_in_any if both is None else imputed_in_any & masks[-1]))


def _row_differences(baseline: Scores, variant: Scores, rows: Rows, tiny: float) -> NDArray[np.floating]:
    """The differences of `rows`; for a sample, 32 bits are precise enough for a correlation."""
    differences = variant.column.values[rows] - baseline.column.values[rows]
    differences[~(np.abs(differences) > tiny)] = 0.0
    return differences if isinstance(rows, slice) else differences.astype(np.float32)


def sums(a: Values, b: Values, limits: Sequence[float]) -> Values:
    """Of d = b - a: the sums of d, d^2 and d^3, and for each limit, how many d are above it and below its negative.

    Summed pairwise: in halves, halves of these, and so on down to the size of the processor's cache. numpy halves long
    sums at the same points, so the results are equal to the last bit.
    """
    if len(a) > CHUNK:
        half = len(a) // 2
        half -= half % 8
        return sums(a[:half], b[:half], limits) + sums(a[half:], b[half:], limits)
    d = b - a
    square = d * d
    powers = [d.sum(), square.sum(), np.multiply(square, d, out=square).sum()]
    counts = [np.count_nonzero(beyond) for limit in limits for beyond in (d > limit, d < -limit)]
    return np.array([*powers, *counts])


def _clustered(differences: Values, labels: Labels, both: Mask | None, tiny: float) -> Clustered:
    """The differences by cluster, indexed by label; a cluster without differences has size 0."""
    cluster, count = labels if both is None else labels[both], int(labels.max(initial=-1)) + 1
    sizes = np.bincount(cluster, minlength=count)
    sums = np.bincount(cluster, differences, count).astype(np.float64, copy=False)
    changed = np.bincount(cluster[np.abs(differences) > tiny], minlength=count)
    return Clustered(sizes.astype(np.float64), sums, changed.astype(np.float64))
