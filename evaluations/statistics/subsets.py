"""Finds subsets on which the difference of two variants deviates from that on the other examples.

A subset is tested against the rest (the interaction), not against zero, so that a general lead is no finding.
All searched subsets are corrected together (Benjamini and Hochberg 1995).
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics import subset_clusters
from evaluations.statistics.law.normal import uncorrected
from evaluations.statistics.subset_clusters import Labels, Widening
from evaluations.statistics.summary import scale_of
from evaluations.statistics.terms import ALPHA, Interval, Values
from evaluations.values import Direction

FEWEST = 20  # examples, in a subset and in the rest
# largest corrected p; with 0.05, 6 % of simulated tables without reversals had a false finding
REPORTED = 0.04
ROUNDING = 1e-9  # relative to a difference


@dataclass(frozen=True)
class SubsetColumn:
    """A metadata column: `codes` by slot are indices into `names`, -1 for none.

    With `is_number`, names are ranges of a number. With `is_set`, the only name is a member that the lists of a column
    may have: 0 for those that have it, 1 for those that do not.
    """

    name: str
    codes: NDArray[np.signedinteger]
    names: tuple[str, ...]
    is_number: bool = False
    is_set: bool = False

    def label(self, code: int) -> str:
        """The name of a subset as a sentence uses it; one without a letter is not understood without its column."""
        name = self.names[code]
        is_bare = self.is_number or not any(letter.isalpha() for letter in name)
        return f"{self.name} {name}" if is_bare else name


@dataclass(frozen=True)
class Differences:
    """One variant minus the baseline by one evaluator, by slot; NaN without a pair.

    For contributions to a run statistic, `by_subset` gives those to the statistic of each subset, by the codes of a
    column.
    """

    values: Values
    direction: Direction
    by_subset: Callable[[NDArray[np.signedinteger]], Values] | None = None


@dataclass(frozen=True)
class Subset:
    """One value of one column. `difference` and `interval` (95 %, Student) are of its own pairs.

    `difference_outside` is of all other pairs.

    With `is_settled`, both are those of a page of these examples alone, which may have no interval, for a `reason`;
    only then they make a verdict.

    `error` is the standard error of the difference, `label` what a sentence calls the subset, and `code` its index
    among the values of the column, which are ordered if `is_number`. `shrunken` is the difference pulled towards the
    overall one, the more so the fewer pairs it has. `p` is that of the interaction, `p_corrected` over all that were
    searched. A subset that is not `is_distinct` has a clear difference only because it shares examples with a subset
    that deviates more (subset_overlap.py); one that `is_twin` has just the examples of an earlier one. With `is_set` it
    is a member of lists, so subsets of its column overlap.
    """

    key: int
    column: str
    code: int
    name: str
    label: str
    is_number: bool
    n: int
    overall: float
    difference: float
    error: float
    difference_outside: float
    interval: Interval | None
    shrunken: float
    p: float
    p_corrected: float = 1.0
    reported: bool = False
    is_settled: bool = False
    reason: str = ""
    is_distinct: bool = True
    is_twin: bool = False
    is_set: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether its interval excludes zero."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]

    @property
    def reversal(self) -> bool:
        """Whether it `opposes` the overall difference, with the figures of its own page."""
        return self.is_settled and self.opposes

    @property
    def opposes(self) -> bool:
        """Whether it is reported, with an interval on the other side of zero than the overall difference."""
        return self.reported and self.is_clear and self.is_reversed

    @property
    def is_reversed(self) -> bool:
        """Whether its difference has another sign than the overall one."""
        return self.difference < 0 < self.overall or self.overall < 0 < self.difference


def find(
    compared: Mapping[int, Differences], columns: Sequence[SubsetColumn], clusters: Labels | None = None
) -> list[Subset]:
    """Every subset with enough pairs, by importance.

    Examples with equal `clusters` are not independent.
    """
    numbered = subset_clusters.numbered(clusters)
    searched = [
        subset
        for key, differences in compared.items()
        for column in columns
        for subset in _of_column(key, _values(differences, column), column, numbered)
    ]
    corrected = benjamini_hochberg([subset.p for subset in searched])
    return by_importance(
        dataclasses.replace(subset, p_corrected=p, reported=p <= REPORTED)
        for subset, p in zip(searched, corrected, strict=True)
    )


def _values(differences: Differences, column: SubsetColumn) -> Values:
    if differences.by_subset is None:
        return differences.values
    return differences.by_subset(column.codes[: len(differences.values)])


def by_importance(subsets: Iterable[Subset]) -> list[Subset]:
    """Reported subsets with figures of their page first; then reversals, other findings, and the largest deviations."""
    return sorted(
        subsets,
        key=lambda subset: (
            not (subset.reported and subset.is_settled),
            not subset.opposes,
            not subset.reported,
            subset.p,
        ),
    )


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Corrected p values: the smallest false discovery rate at which each is a finding.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(range(len(ps)), key=ps.__getitem__, reverse=True)
    corrected, least = [1.0] * len(ps), 1.0
    for behind, index in enumerate(order):
        least = min(least, ps[index] * len(ps) / (len(ps) - behind))
        corrected[index] = least
    return corrected


def _of_column(key: int, differences: Values, column: SubsetColumn, clusters: Labels | None) -> list[Subset]:
    used = np.isfinite(differences) & (column.codes[: len(differences)] >= 0)
    d, codes = differences[used], column.codes[: len(differences)][used]
    if len(d) < 2 * FEWEST or np.ptp(d) <= ROUNDING * np.abs(d).max():
        return []
    size = scale_of(d)
    d = d / size
    n, sums, squares = _sums(d, codes, len(column.names))
    whole, spread = float(d.mean()), float(d.var(ddof=1))
    large = np.flatnonzero((n >= FEWEST) & (len(d) - n >= FEWEST))
    inside = _moments(n[large], sums[large], squares[large], spread)
    outside = _moments(len(d) - n[large], sums.sum() - sums[large], squares.sum() - squares[large], spread)
    wider = (
        subset_clusters.none(n[large], len(d) - n[large])
        if clusters is None
        else subset_clusters.widening(d, codes, clusters[: len(differences)][used], large)
    )
    p = _tested(inside, outside, spread, float(((d - whole) ** 3).mean()), wider)
    errors = inside.squared_errors * wider.inside
    reach = scipy.special.stdtrit(wider.df, 1 - ALPHA / 2) * np.sqrt(errors)
    shrunken = _shrunken(inside.means, errors, whole)
    figures = (*(size * each for each in (inside.means, np.sqrt(errors), outside.means, reach, shrunken)), p)
    return [
        _subset(key, column, code, int(n[code]), size * whole, row)
        for code, *row in zip(large.tolist(), *(figure.tolist() for figure in figures), strict=True)
        if code < len(column.names)
    ]


def _subset(
    key: int, column: SubsetColumn, code: int, n: int, overall: float, figures: Sequence[float]
) -> Subset:
    difference, error, difference_outside, reach, shrunken, p = figures
    return Subset(
        key=key,
        column=column.name,
        code=code,
        name=column.names[code],
        label=column.label(code),
        is_number=column.is_number,
        is_set=column.is_set,
        n=n,
        overall=overall,
        difference=difference,
        error=error,
        difference_outside=difference_outside,
        interval=(difference - reach, difference + reach),
        shrunken=shrunken,
        p=p,
    )


class Moments(NamedTuple):
    """Means by subset, their squared errors, and the numbers of examples."""

    means: Values
    squared_errors: Values
    n: Values


def _sums(d: Values, codes: NDArray[np.signedinteger], size: int) -> tuple[Values, Values, Values]:
    """For each code, the number of values, their sum, and the sum of their squares."""
    n = np.bincount(codes, minlength=size).astype(np.float64)
    sums = np.bincount(codes, d, size).astype(np.float64)
    return n, sums, np.bincount(codes, d * d, size).astype(np.float64)


def _moments(n: Values, sums: Values, squares: Values, spread: float) -> Moments:
    """Means and errors by subset.

    One example with the overall spread is added, because small subsets can vary little by chance.
    """
    means = sums / n
    variances = (np.maximum(squares - n * means**2, 0) + spread) / n
    return Moments(means, variances / n, n)


def _tested(inside: Moments, outside: Moments, spread: float, third: float, wider: Widening) -> Values:
    """p of the subset against the rest.

    Welch's test, with the error of exchangeable examples if that is larger: a subset without the rare large differences
    has a small spread of its own. The statistic is corrected for skew.
    """
    errors = np.maximum(
        inside.squared_errors + outside.squared_errors, spread * (1 / inside.n + 1 / outside.n)
    )
    df = errors**2 / (inside.squared_errors**2 / wider.df + outside.squared_errors**2 / wider.outside_df)
    errors = errors * wider.joint
    t = (inside.means - outside.means) / np.sqrt(errors)
    skew = third * (1 / inside.n**2 - 1 / outside.n**2) / errors**1.5 / 6
    plain = np.array(
        [uncorrected(abs(r), max(0.0, c if r > 0 else -c)) for r, c in zip(t, skew, strict=True)]
    )
    return np.asarray(2 * scipy.special.stdtr(np.minimum(df, wider.df + wider.outside_df), -plain))


def _shrunken(means: Values, errors: Values, whole: float) -> Values:
    """Empirical Bayes, with the spread between subsets by DerSimonian and Laird (1986)."""
    weights = 1 / errors
    if len(means) < 2:
        return np.full(len(means), whole)
    middle = (weights * means).sum() / weights.sum()
    excess = (weights * (means - middle) ** 2).sum() - (len(means) - 1)
    between = max(excess / (weights.sum() - (weights**2).sum() / weights.sum()), 0.0)
    return np.asarray(whole + between / (between + errors) * (means - whole))


def heterogeneity(subsets: Sequence[Subset]) -> float | None:
    """p of Welch's test (1951) that all subsets of a column have the same difference; None for a single subset."""
    if len(subsets) < 2:
        return None
    k = len(subsets)
    n = np.array([subset.n for subset in subsets])
    errors = np.array([subset.error for subset in subsets])
    size = scale_of(errors)
    means = np.array([subset.difference for subset in subsets]) / size
    weights = (size / errors) ** 2
    total = weights.sum()
    between = (weights * (means - (weights * means).sum() / total) ** 2).sum() / (k - 1)
    spread = ((1 - weights / total) ** 2 / (n - 1)).sum()
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(scipy.special.fdtrc(k - 1, (k**2 - 1) / (3 * spread), f))


def quartiles(values: Values, name: str) -> SubsetColumn:
    """The quarters of a number, such as a length, as a column; fewer if many numbers are equal."""
    codes = long_arrays.filled(len(values), -1, np.int8)
    numbers = long_arrays.selected(values, long_arrays.finite([values]))
    if not len(numbers):
        return SubsetColumn(name, codes, (), is_number=True)
    edges = np.quantile(numbers, [0.25, 0.5, 0.75], overwrite_input=True)
    is_whole = all(bool((numbers[part] % 1 == 0).all()) for part in long_arrays.parts(len(numbers)))
    edges = np.unique(np.floor(edges) if is_whole else edges)
    for part in long_arrays.parts(len(values)):
        here = values[part]
        codes[part] = np.where(np.isfinite(here), np.searchsorted(edges, here, side="left"), -1)
    names = _whole_ranges(edges) if is_whole else _ranges(edges)
    return SubsetColumn(name, codes, names if numbers.max() > edges[-1] else names[:-1], is_number=True)


def _whole_ranges(edges: Values) -> tuple[str, ...]:
    ends = [int(edge) for edge in edges]
    between = (f"{low + 1} to {high}" if low + 1 < high else f"{high}" for low, high in pairwise(ends))
    return (f"up to {ends[0]}", *between, f"above {ends[-1]}")


def _ranges(edges: Values) -> tuple[str, ...]:
    """The names of ranges, with at least three digits, and enough to distinguish the edges."""
    written = [[f"{edge:.{digits}g}" for edge in edges] for digits in range(3, 18)]
    ends = next((labels for labels in written if len(set(labels)) == len(labels)), written[-1])
    between = (f"{low} to {high}" for low, high in pairwise(ends))
    return (f"up to {ends[0]}", *between, f"above {ends[-1]}")
