"""Families of comparisons, each with an error rate of 5 % as a whole: all pairs of variants, or all against a baseline.

Within a family every column sees the same draws. Columns are put into an order that depends on their content alone, and
sums do not depend on the order of rows, so the same data give the same digits under any name, in any order and from
either side.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.process_cache import remembered
from evaluations.statistics import canonical, evidence, figures
from evaluations.statistics.clusters import Grouping
from evaluations.statistics.evidence import Family
from evaluations.statistics.figures import Clustered, Figures, Labels, Rows, Scores, common_span
from evaluations.statistics.law.drawn import Drawn
from evaluations.statistics.law.draws import Source
from evaluations.statistics.law.normal import Normal
from evaluations.statistics.law.table import Table, centred, sparse, without_rounding
from evaluations.statistics.law.terms import Law
from evaluations.statistics.ranking import Ranking
from evaluations.statistics.terms import FEWEST_CHANGES, ColumnSet, Difference, Mask, Scale, Values

MANY = 2_000  # units from which statistics are treated as normal
SAMPLE = 20_000  # rows from which the correlation of columns is computed
WORKERS = 2
Compare = Callable[[Figures, Scale, Family, int | None], Difference]


@dataclass(frozen=True)
class AllPairs:
    """Every variant against every other by one evaluator, over the `n` rows that all of them have.

    With `means`, those of every variant over its own rows, no row has all of them by design: each pair is compared
    over the rows that both have, and `n` counts the rows of any pair.
    """

    variants: int
    n: int
    comparisons: dict[tuple[int, int], Difference]
    means: Sequence[float | None] = ()

    def comparison(self, baseline: int, variant: int) -> Difference:
        """Variant minus baseline."""
        difference = self.comparisons.get((baseline, variant))
        return self.comparisons[variant, baseline].mirrored() if difference is None else difference

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking.from_pairs(self.variants, self.comparison, self.means)


NOTHING = AllPairs(0, 0, {})


@dataclass(frozen=True)
class Counted:
    """The sums of the pairs of a family and its law, from which verdicts or all figures are computed."""

    figures: Sequence[Figures]
    scales: Sequence[Scale]
    laws: Family
    columns: dict[int, int]  # of the law, by number of the pair; pairs with too few changes have none

    def compared(self, compare: Compare = evidence.compare) -> list[Difference]:
        return [
            compare(column, scale, self.laws, self.columns.get(k))
            for k, (column, scale) in enumerate(zip(self.figures, self.scales, strict=True))
        ]


@dataclass(frozen=True)
class CountedPairs:
    """The primary family, counted; `n` and `means` as in `AllPairs`."""

    variants: int
    n: int
    pairs: list[tuple[int, int]]
    counted: Counted
    means: Sequence[float | None] = ()

    def compared(self, compare: Compare = evidence.compare) -> AllPairs:
        compared = dict(zip(self.pairs, self.counted.compared(compare), strict=True))
        return AllPairs(self.variants, self.n, compared, self.means)


def all_pairs(
    columns: ColumnSet, grouping: Grouping | None = None, draws: int | None = None, is_apart: bool = False
) -> AllPairs:
    """The primary family; every variant must have scores. `draws` replaces the usual number.

    With `is_apart` each pair is compared over the rows that both have, because none has all by design.
    """
    return counted_pairs(columns, grouping, draws, is_apart).compared()


def counted_pairs(
    columns: ColumnSet, grouping: Grouping | None = None, draws: int | None = None, is_apart: bool = False
) -> CountedPairs:
    """Like `all_pairs`, before the pairs are compared."""
    present = [column for column in columns.columns if column is not None]
    if len(present) < len(columns.columns):
        raise ValueError("the primary evaluator must have scored every variant")
    values = [column.values for column in present]
    common = _paired(values, is_apart)
    n = int(np.count_nonzero(common))
    where = None if n == len(common) or is_apart else common
    scores = [Scores(column, where) for column in present]
    span = common_span(columns.scale, [Scores(column) for column in present])
    pairs = list(combinations(canonical.order_of_columns(values), 2))
    rows = _rows(len(common)) if is_apart else _rows_among(where, n)
    about = columns.scale, rows, None if grouping is None else grouping.codes, span
    computed = _computed([(scores[i], scores[j]) for i, j in pairs], *about)
    counted, means = _counted(computed, [columns.scale] * len(pairs), draws), [one.mean for one in present]
    return CountedPairs(len(scores), n, pairs, counted, means if is_apart else ())


def _paired(columns: Sequence[Values], is_apart: bool) -> Mask:
    """The rows that count: those that all columns have, or with `is_apart` two of them."""
    if not columns:
        return np.zeros(0, np.bool_)
    if is_apart:
        return np.asarray(np.sum([np.isfinite(column) for column in columns], axis=0) > 1)
    return long_arrays.finite(columns)


def against_baseline(
    sets: Iterable[ColumnSet], baseline: int, grouping: Grouping | None = None
) -> list[list[Difference | None]]:
    """A family of every variant against `baseline` on every evaluator.

    `sets` are read one at a time, and none is kept: whole columns take much memory.
    """
    rows = list(map(partial(_row, baseline, grouping), sets))
    counted = [
        (row.scale, of_variant) for row in rows for of_variant in row.figures if of_variant is not None
    ]
    comparisons = iter(_counted([one for _, one in counted], [scale for scale, _ in counted]).compared())
    return [[None if one is None else next(comparisons) for one in row.figures] for row in rows]


@dataclass(frozen=True)
class _Row:
    """The figures of every variant by one evaluator; None if there is nothing to compare."""

    scale: Scale
    figures: list[Figures | None]


def _row(baseline: int, grouping: Grouping | None, columns: ColumnSet) -> _Row:
    scores = [None if column is None else Scores(column) for column in columns.columns]
    present = [score for score in scores if score]
    n = len(present[0].values) if present else 0
    labels = None if grouping is None else grouping.codes[:n]
    about = columns.scale, _rows(n), labels, common_span(columns.scale, present)
    first = scores[baseline]
    pairs = {
        index: (first, score) for index, score in enumerate(scores) if first and score and index != baseline
    }
    computed = dict(zip(pairs, _computed(list(pairs.values()), *about), strict=True))
    return _Row(columns.scale, [computed.get(index) for index in range(len(scores))])


def _computed(
    pairs: Sequence[tuple[Scores, Scores]], scale: Scale, rows: Rows, labels: Labels | None, span: float
) -> list[Figures]:
    """The figures of pairs; of long ones each in a thread, because numpy releases the interpreter while it sums."""
    if not pairs or len(pairs[0][0].values) <= SAMPLE:
        return figures.compute(pairs, scale, rows, labels, span)
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda pair: figures.compute([pair], scale, rows, labels, span)[0], pairs))


@remembered("rows for correlations", 8)
def _rows(n: int) -> Rows:
    """The rows for correlations: all, or a sample that depends only on their number."""
    if n <= SAMPLE:
        return slice(None)
    return np.sort(np.random.default_rng(n).choice(n, SAMPLE, replace=False))


def _rows_among(where: Mask | None, n: int) -> Rows:
    """Like `_rows`, of the `n` rows that count."""
    rows = _rows(n)
    if where is None:
        return rows
    return where if isinstance(rows, slice) else np.flatnonzero(where)[rows]


def _counted(counted: Sequence[Figures], scales: Sequence[Scale], draws: int | None = None) -> Counted:
    members = [
        k for k, column in enumerate(counted) if column.changed >= FEWEST_CHANGES and not column.too_large
    ]
    binary = np.array([scales[k].binary for k in members], bool)
    laws = _laws([counted[k] for k in members], binary, draws)
    return Counted(counted, scales, laws, {k: number for number, k in enumerate(members)})


def _laws(members: Sequence[Figures], binary: NDArray[np.bool_], draws: int | None) -> Family:
    if not members:
        return Family(None)
    units = np.column_stack(
        [member.row_differences for member in members if member.row_differences is not None]
    )
    if max(member.n for member in members) < MANY and len(units) <= SAMPLE:
        few = sparse([member.changed for member in members], [member.n for member in members])
        by_example: Law = _drawn(Table.of(units, centred(units), ~binary, few), draws)
    else:
        skewness = np.array([member.skewness_of_mean for member in members])
        table = Table.of(units, np.zeros_like(units), ~binary)
        by_example = Normal(table, np.where(binary, 0.0, skewness))
    clustered = [member.clustered for member in members]
    if all(clusters is None for clusters in clustered):
        return Family(by_example)
    return Family(by_example, _by_cluster(clustered, draws))


def _drawn(table: Table, draws: int | None) -> Drawn:
    return Drawn(table, Source(table.seed, draws))


def _by_cluster(clustered: Sequence[Clustered | None], draws: int | None) -> Law:
    present = [clusters for clusters in clustered if clusters is not None]
    is_filled = np.zeros(max(len(clusters.sizes) for clusters in present), np.bool_)
    for clusters in present:
        is_filled[: len(clusters.sizes)] |= clusters.sizes > 0
    centred_sums = [clusters.centred() if clusters else None for clusters in clustered]
    sums = _stacked([clusters.sums if clusters else None for clusters in clustered], is_filled)
    centre, count = _stacked(centred_sums, is_filled), len(sums)
    size = np.max([np.abs(sums[part]).max(axis=0) for part in long_arrays.parts(count)], axis=0)
    for part in long_arrays.parts(count):
        centre[part] = without_rounding(centre[part], size)
    guarded = np.ones(sums.shape[1], bool)
    if count < MANY:
        return _drawn(Table.of(sums, centre, guarded), draws)
    sample = sums[_rows(count)]
    return Normal(Table.of(sample, np.zeros_like(sample), guarded), _skewness(centre))


def _stacked(columns: Sequence[Values | None], where: Mask) -> Values:
    """The columns beside each other, at these rows; 0 where one is shorter or missing."""
    rows = int(np.count_nonzero(where))
    stacked = long_arrays.zeros(rows * len(columns), np.float64).reshape(rows, len(columns))
    for index, column in enumerate(columns):
        if column is not None:
            values = long_arrays.selected(column, where[: len(column)])
            stacked[: len(values), index] = values
    return stacked


def _skewness(centre: Values) -> Values:
    """The skewness of each column's units divided by the square root of their number."""
    n, powers = len(centre), long_arrays.like(centre)
    squares = np.square(centre, out=powers).mean(axis=0)
    cubes = np.power(centre, 3, out=powers).mean(axis=0)
    skewness = np.zeros_like(cubes)
    np.divide(cubes, squares**1.5 * np.sqrt(n), out=skewness, where=squares > 0)
    return np.asarray(skewness)
