"""The sums over one pair of columns from which all other figures are computed; data is read once, in chunks.

They are the same to the last bit in any order of the rows, so columns are neither sorted nor copied.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics.fixed_point import FixedPoints, SumsByGroup
from evaluations.statistics.terms import Column, Mask, Scale, Values

# examples per chunk: fits the processor's cache, and keeps threads from waiting for each other
CHUNK = 131_072
LARGEST = 1e100  # the cubes of larger differences overflow
SMALLEST = 1e-100  # the cubes of smaller differences vanish; they count as none
ROUNDING = 1e-12  # scores that are equal on paper differ by less, relatively

Labels = NDArray[np.int64]
Rows = NDArray[np.intp] | Mask | slice
Item = TypeVar("Item", bound=np.generic)


class Scores:
    """A column with figures that all its pairs need, computed once.

    Only the slots `where` count, which all have a score; None means all slots with a score.
    """

    def __init__(self, column: Column, where: Mask | None = None):
        self.column, self._where = column, where

    @property
    def values(self) -> Values:
        return self.column.values

    @cached_property
    def finite(self) -> Mask | None:
        """The mask of slots that count and have a score; None if all slots do."""
        if self._where is None and not all(map(math.isfinite, self._ends)):
            return np.isfinite(self.values)
        return self._where

    def mean_of(self, rows: Mask | None, n: int) -> float:
        """The mean over `n` rows with a score; None means all rows."""
        return (self._sum if rows is self.finite else self._sum_over(rows)) / n

    @cached_property
    def _sum(self) -> float:
        return self._sum_over(self.finite)

    def _sum_over(self, rows: Mask | None) -> float:
        total = FixedPoints([max(map(abs, self.extent))])
        for part in _parts(len(self.values)):
            total.add(_cut(self.values, part, rows)[None])
        return total.values[0]

    @cached_property
    def extent(self) -> tuple[float, float]:
        if self.finite is None:
            return self._ends
        if not self.finite.any():
            return 0.0, 0.0
        low = self.values.min(where=self.finite, initial=math.inf)
        return float(low), float(self.values.max(where=self.finite, initial=-math.inf))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return (float(self.values.min()), float(self.values.max())) if self.values.size else (0.0, 0.0)


def _parts(length: int) -> Iterator[slice]:
    return (slice(first, first + CHUNK) for first in range(0, length, CHUNK))


def _cut(values: NDArray[Item], part: slice, rows: Mask | None) -> NDArray[Item]:
    """The values of a part, of these rows only."""
    return values[part] if rows is None else values[part][rows[part]]


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
        is_filled = self.sizes > 0
        n, sums = long_arrays.selected(self.sizes, is_filled), long_arrays.selected(self.sums, is_filled)
        # Sorted, so that sums do not depend on the order of clusters; in place, by the real part and then the other.
        pairs = long_arrays.zeros(len(n), np.complex128)
        pairs.real, pairs.imag = sums, n
        pairs.sort()
        n[:], sums[:] = pairs.imag, pairs.real
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
            mirrored = np.negative(self.sums, out=long_arrays.like(self.sums))
            low, high = replace(self, sums=mirrored).ends(above, below)
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
        centred = np.multiply(self.changed, self._powers[1] / count, out=long_arrays.like(self.sums))
        return np.asarray(np.subtract(self.sums, centred, out=centred))


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


@dataclass(frozen=True)
class _Pair:
    """Two columns, and the `n` slots in which `both` have a score (None: all).

    No score is larger than `size`, no difference than `largest`; differences up to `tiny` count as none.
    """

    baseline: Scores
    variant: Scores
    both: Mask | None
    n: int
    size: float
    largest: float
    tiny: float

    @classmethod
    def of(cls, baseline: Scores, variant: Scores) -> "_Pair":
        both = _common(baseline, variant)
        n = len(variant.values) if both is None else int(np.count_nonzero(both))
        low, high = _common_extent(baseline, variant) if n else (0.0, 0.0)
        size = max(-low, high)
        return cls(baseline, variant, both, n, size, high - low, max(ROUNDING * size, SMALLEST))

    @property
    def is_summed(self) -> bool:
        return self.n > 0 and self.size <= LARGEST


@dataclass(frozen=True)
class _Sums:
    """The sums of the differences d, d^2 and d^3; how many d rise, fall, and do so beyond the tie tolerance."""

    powers: Sequence[float]
    counts: Sequence[int]


def compute(
    pairs: Sequence[tuple[Scores, Scores]], scale: Scale, rows: Rows, labels: Labels | None, span: float
) -> list[Figures]:
    """For each baseline and variant, the figures of variant minus baseline over the slots in which both have a score.

    `rows` are those of the differences by row. Short columns are summed together, as many as make a chunk, because each
    step of numpy takes a moment of its own.
    """
    measured = [_Pair.of(baseline, variant) for baseline, variant in pairs]
    summed = [pair for pair in measured if pair.is_summed]
    at_once = max(CHUNK // max(map(len, (pair.variant.values for pair in summed)), default=1), 1)
    sums = iter(
        [one for k in range(0, len(summed), at_once) for one in _sums(summed[k : k + at_once], scale.tie)]
    )
    return [
        _figures(pair, next(sums) if pair.is_summed else None, scale, rows, labels, span) for pair in measured
    ]


def _figures(
    pair: _Pair, sums: _Sums | None, scale: Scale, rows: Rows, labels: Labels | None, span: float
) -> Figures:
    baseline, variant, both, n = pair.baseline, pair.variant, pair.both, pair.n
    imputed = _imputed(baseline, variant, both)
    if sums is None:
        return Figures(n, imputed, too_large=n > 0, row_differences=np.zeros(len(variant.values[rows])))
    rises, falls, above, below = _behind(baseline.column, variant.column, both, scale.tie) or sums.counts
    limits = pair.tiny, pair.largest
    return Figures(
        n,
        imputed,
        mean=variant.mean_of(both, n),
        baseline_mean=baseline.mean_of(both, n),
        difference=sums.powers[0] / n,
        span=span,
        row_differences=_row_differences(baseline, variant, rows, pair.tiny),
        clustered=None if labels is None else _clustered(baseline, variant, labels, both, limits),
        squares=sums.powers[1],
        cubes=sums.powers[2],
        rises=rises,
        falls=falls,
        above=above,
        below=below,
    )


def _behind(baseline: Column, variant: Column, rows: Mask | None, tie: float) -> list[int] | None:
    """Of contributions to a statistic: how many answers differ, by the side where they count, then wins and losses by
    the scores of the examples. None for scores."""
    if baseline.behind is None or variant.behind is None:
        return None
    both = np.ones(len(baseline.values), np.bool_) if rows is None else rows
    changed = both & (baseline.behind.codes != variant.behind.codes)
    rises = changed & (variant.values > baseline.values)
    gains = variant.behind.values[both] - baseline.behind.values[both]
    counts = (rises, changed & ~rises, gains > tie, gains < -tie)
    return [int(np.count_nonzero(mask)) for mask in counts]


def _common_extent(baseline: Scores, variant: Scores) -> tuple[float, float]:
    (low, high), (other_low, other_high) = baseline.extent, variant.extent
    return min(low, other_low), max(high, other_high)


def _common(baseline: Scores, variant: Scores) -> Mask | None:
    if baseline.finite is None or variant.finite is baseline.finite:
        return variant.finite
    if variant.finite is None:
        return baseline.finite
    return baseline.finite & variant.finite


def _imputed(baseline: Scores, variant: Scores, both: Mask | None) -> int:
    imputed = [score.column.imputed for score in (baseline, variant) if score.column.imputed is not None]
    if not imputed:
        return 0
    in_any = np.logical_or.reduce(imputed)
    return int(np.count_nonzero(in_any if both is None else in_any & both))


def _row_differences(baseline: Scores, variant: Scores, rows: Rows, tiny: float) -> NDArray[np.floating]:
    """The differences of `rows`; for a sample, 32 bits are precise enough for a correlation."""
    differences = variant.values[rows] - baseline.values[rows]
    differences[~(np.abs(differences) > tiny)] = 0.0
    return (
        differences if isinstance(rows, slice) or rows.dtype == np.bool_ else differences.astype(np.float32)
    )


def _sums(pairs: Sequence[_Pair], tie: float) -> list[_Sums]:
    """The sums of pairs of equally long columns; differences are counted beyond what is tiny, and beyond `tie`."""
    totals = [FixedPoints([pair.largest**power for pair in pairs]) for power in (1, 2, 3)]
    tiny = np.array([[pair.tiny] for pair in pairs])
    limits, counts = (tiny, np.maximum(tiny, tie)), np.zeros((4, len(pairs)), np.int64)
    for part in _parts(len(pairs[0].variant.values)):
        d = np.stack([_difference(pair, part) for pair in pairs])
        squares = d * d
        for total, power in zip(totals, (d, squares, squares * d), strict=True):
            total.add(power)
        beyond = [mask for limit in limits for mask in (d > limit, d < -limit)]
        counts += [np.count_nonzero(mask, axis=1) for mask in beyond]
    powers = zip(*(total.values for total in totals), strict=True)
    return [
        _Sums(of_pair, pair_counts) for of_pair, pair_counts in zip(powers, counts.T.tolist(), strict=True)
    ]


def _difference(pair: _Pair, part: slice) -> Values:
    """The differences in a part, 0 where one has no score."""
    columns = pair.variant.values[part], pair.baseline.values[part]
    if pair.both is None:
        return np.subtract(*columns)
    return np.subtract(*columns, out=np.zeros(len(columns[0])), where=pair.both[part])


def _clustered(
    baseline: Scores, variant: Scores, labels: Labels, both: Mask | None, limits: tuple[float, float]
) -> Clustered:
    """The differences by cluster, indexed by label; a cluster without differences has size 0.

    `limits` are the largest difference that counts as none, and the largest of all.
    """
    count = int(labels.max(initial=-1)) + 1
    sizes, changed = (long_arrays.zeros(count, np.float64) for _ in range(2))
    sums = SumsByGroup(count, limits[1])
    for part in _parts(len(baseline.values)):
        differences = _cut(variant.values, part, both) - _cut(baseline.values, part, both)
        cluster = _cut(labels, part, both)
        np.add.at(sizes, cluster, 1.0)
        np.add.at(changed, cluster[np.abs(differences) > limits[0]], 1.0)
        sums.add(differences, cluster)
    return Clustered(sizes, sums.values, changed)
