"""Clusters of dependent examples (of one document or conversation), and repeated outputs for one example."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics import numbering
from evaluations.statistics.numbering import Labels
from evaluations.statistics.terms import ALPHA, Column, ColumnSet, Values

FEWEST_REPEATED = 2  # of these values
FEWEST_VALUES = 10  # distinct values; a column with fewer forms subsets, not clusters
FEW = 10  # fewer clusters cause a warning
PRETEST = 0.20
CHUNK = 32_768


@dataclass(frozen=True)
class Grouping:
    """The clusters in use. `codes` number them in order of appearance.

    `count` clusters hold the primary's pairs; intervals are about `widening` times as wide as for independent examples.
    `p` is that of the F test, None where a user has declared the grouping.
    """

    name: str
    codes: Labels
    count: int
    widening: float
    p: float | None = None

    @property
    def is_few(self) -> bool:
        return self.count < FEW


@dataclass(frozen=True)
class Clusters:
    """The grouping in use without its labels: examples with equal values in `column` are dependent.

    With `is_few`, there are too few values for intervals to be always wide enough. `p` is None if a user chose the
    column.
    """

    column: str
    widening: float
    is_few: bool = False
    count: int = 0
    p: float | None = None

    @classmethod
    def from_grouping(cls, grouping: Grouping | None) -> "Clusters | None":
        if grouping is None:
            return None
        return cls(grouping.name, grouping.widening, grouping.is_few, grouping.count, grouping.p)


@dataclass(frozen=True)
class _Spread:
    """Sums of squares of all pairs of columns, by clusters: `between`, `within` and the jackknife's."""

    n: int
    clusters: int
    between: Values
    within: Values
    jackknife: Values

    def p(self) -> Values:
        """p of the F test, by pair; 1 if the correlation within clusters is not positive."""
        df_between, df_within = self.clusters - 1, self.n - self.clusters
        with np.errstate(divide="ignore", invalid="ignore"):
            f = (self.between / df_between) / (self.within / df_within)
        return np.asarray(
            np.where(f > 1, scipy.special.fdtrc(df_between, df_within, np.where(f > 1, f, 1.0)), 1.0)
        )

    def widening(self) -> float:
        """The factor by which intervals become wider, over all pairs of columns."""
        total = float((self.between + self.within).sum()) / (self.n * max(self.n - 1, 1))
        if total <= 0 or self.clusters < 2:
            return 1.0
        t = [float(scipy.special.stdtrit(units - 1, 1 - ALPHA / 2)) for units in (self.clusters, self.n)]
        return max(1.0, math.sqrt(float(self.jackknife.sum()) / total) * t[0] / t[1])


def detect(primary: ColumnSet, candidates: Mapping[str, Labels]) -> Grouping | None:
    """The candidate that intervals must allow for: of the significant ones, the one that widens intervals most.

    Any two variants may show the correlation within clusters, so all pairs are tested, and the result does not depend
    on the baseline. The test is lenient on purpose: a stricter one would miss clusters.
    """
    common = _common(primary)
    passed = []
    for name, labels in candidates.items():
        here = labels[: len(common)]
        if not _is_candidate(here if common.all() else long_arrays.selected(here, common)):
            continue
        codes = numbering.numbered(here)
        spread = _spread(primary, common, codes)
        if spread is not None and (p := float(spread.p().min())) < PRETEST:
            passed.append(Grouping(name, codes, spread.clusters, spread.widening(), p))
    return max(passed, key=lambda grouping: grouping.widening, default=None)


def declared(name: str, labels: Labels, primary: ColumnSet) -> Grouping | None:
    """A grouping that a user chose: used without a test. None if no cluster has two pairs."""
    common = _common(primary)
    codes = numbering.numbered(labels[: len(common)])
    spread = _spread(primary, common, codes)
    if spread is None or spread.clusters == spread.n:
        return None
    return Grouping(name, codes, spread.clusters, spread.widening())


def average_repeats(columns: Sequence[Values]) -> Values:
    """The mean over columns in each slot, without missing values; NaN if all are missing.

    Repeats measure one example more exactly; they are not more examples.
    """
    n, sums = np.zeros(len(columns[0])), np.zeros(len(columns[0]))
    for values in columns:
        scored = np.isfinite(values)
        n += scored
        sums += np.where(scored, values, 0)
    return np.asarray(np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0))


def _common(primary: ColumnSet) -> NDArray[np.bool_]:
    return long_arrays.finite([column.values for column in _present(primary)])


def _present(primary: ColumnSet) -> list[Column]:
    return [column for column in primary.columns if column is not None]


def _is_candidate(labels: Labels) -> bool:
    """Whether there are enough values, of which several repeat. Only a share of the labels is sorted at once.

    One value that repeats beside single ones, as a default beside texts that somebody wrote, parts nothing.
    """
    values = repeated = 0
    for share in numbering.Shares(labels):
        ordered = np.sort(labels[share])
        is_same = ordered[1:] == ordered[:-1]
        values += len(ordered) - int(np.count_nonzero(is_same))
        repeated += int(np.count_nonzero(is_same[1:] > is_same[:-1])) + int(is_same[:1].sum())
        if values >= FEWEST_VALUES and repeated >= FEWEST_REPEATED:
            return True
    return False


@np.errstate(over="ignore", invalid="ignore")  # such columns are too large for a comparison anyway
def _spread(primary: ColumnSet, common: NDArray[np.bool_], codes: Labels) -> _Spread | None:
    """Sums over clusters, from products of columns: the square of a difference is x^2 + y^2 - 2xy."""
    n = int(np.count_nonzero(common))
    if n < 2:
        return None
    used, columns = codes, [column.values for column in _present(primary)]
    if n < len(common):
        used = long_arrays.selected(codes, common)
        columns = [long_arrays.selected(values, common) for values in columns]
        numbering.without_gaps(used)
    middle = [values.mean() for values in columns]
    sizes, sums = _sums_by_cluster(used, columns, middle)
    quotients = long_arrays.like(sums)
    np.divide(sums, sizes[:, None], out=quotients)
    products, between = _products(columns, np.array(middle)), _of_pairs(quotients.T @ sums)
    if len(sizes) < 2:
        return _Spread(n, len(sizes), between, _of_pairs(products), between)
    np.subtract(n, sizes, out=sizes)
    without = np.divide(sums, sizes[:, None], out=quotients)
    jackknife = _of_pairs(without.T @ without) * (len(sizes) - 1) / len(sizes)
    return _Spread(n, len(sizes), between, np.maximum(_of_pairs(products) - between, 0), jackknife)


def _sums_by_cluster(
    codes: Labels, columns: Sequence[Values], middle: Sequence[np.floating]
) -> tuple[Values, Values]:
    """By cluster, its size, and the sum of each column's distances from its middle."""
    count = int(codes.max()) + 1
    sizes = long_arrays.zeros(count, np.float64)
    sums = long_arrays.zeros(count * len(columns), np.float64).reshape(count, len(columns))
    for part in long_arrays.parts(len(codes)):
        np.add.at(sizes, codes[part], 1.0)
        for index, values in enumerate(columns):
            np.add.at(sums[:, index], codes[part], values[part] - middle[index])
    return sizes, sums


def _products(columns: Sequence[Values], middle: Values) -> Values:
    products = np.zeros((len(columns), len(columns)))
    for start in range(0, len(columns[0]), CHUNK):
        part = np.column_stack([values[start : start + CHUNK] for values in columns]) - middle
        products += part.T @ part
    return products


def _of_pairs(products: Values) -> Values:
    """The sums of squares of the differences of all pairs of columns."""
    squares_of_columns = np.diag(products)
    squares = squares_of_columns[:, None] + squares_of_columns[None, :] - 2 * products
    return np.maximum(squares[np.triu_indices(len(products), 1)], 0.0)
