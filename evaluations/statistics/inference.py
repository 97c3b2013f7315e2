"""Families of comparisons, each with an error rate of 5 % as a whole: all pairs of variants, or all against a baseline.

Within a family every column sees the same draws. Rows and columns are put into an order that depends on their content
alone, so the same data give the same digits under any name, in any order and from either side.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluations.process_cache import remembered
from evaluations.statistics import canonical, evidence, figures
from evaluations.statistics.clusters import Grouping, Labels
from evaluations.statistics.evidence import Family
from evaluations.statistics.figures import Clustered, Figures, Rows, Scores, common_span
from evaluations.statistics.law.drawn import Drawn
from evaluations.statistics.law.draws import Source
from evaluations.statistics.law.normal import Normal
from evaluations.statistics.law.table import Table, centred, sparse, without_rounding
from evaluations.statistics.law.terms import Law
from evaluations.statistics.ranking import Ranking
from evaluations.statistics.terms import FEWEST_CHANGES, Column, ColumnSet, Difference, Scale, Values

MANY = 2_000  # units from which statistics are treated as normal
SAMPLE = 20_000  # rows from which the correlation of columns is computed
WORKERS = 2


@dataclass(frozen=True)
class AllPairs:
    """Every variant against every other by one evaluator, over the `n` rows that all of them have."""

    variants: int
    n: int
    comparisons: dict[tuple[int, int], Difference]

    def comparison(self, baseline: int, variant: int) -> Difference:
        """Variant minus baseline."""
        difference = self.comparisons.get((baseline, variant))
        return self.comparisons[variant, baseline].mirrored() if difference is None else difference

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking.from_pairs(self.variants, self.comparison)


NOTHING = AllPairs(0, 0, {})


def all_pairs(columns: ColumnSet, grouping: Grouping | None = None, draws: int | None = None) -> AllPairs:
    """The primary family; every variant must have scores. `draws` replaces the usual number."""
    present = [column for column in columns.columns if column is not None]
    if len(present) < len(columns.columns):
        raise ValueError("the primary evaluator must have scored every variant")
    common, labels = _common(present, grouping)
    n = len(common[0].values) if common else 0
    rows, by_content = canonical.order([column.values for column in common])
    scores = [Scores(column, rows) for column in common]
    span = common_span(columns.scale, [Scores(column) for column in present])
    pairs = list(combinations(by_content, 2))
    about = (columns.scale, _rows(n), None if labels is None else labels[rows], span)
    work = [partial(figures.compute, scores[i], scores[j], *about) for i, j in pairs]
    comparisons = _family(_run(work), [columns.scale] * len(pairs), draws)
    return AllPairs(len(scores), n, dict(zip(pairs, comparisons, strict=True)))


def against_baseline(
    sets: Iterable[ColumnSet], baseline: int, grouping: Grouping | None = None
) -> list[list[Difference | None]]:
    """A family of every variant against `baseline` on every evaluator.

    `sets` are read one at a time, the next while the figures of one are computed; at most two are held at once.
    There is only one worker thread, because a second one would compete with the reader for the interpreter.
    """
    rows: list[list[Future[Figures] | None]] = []
    scales: list[Scale] = []
    unread = iter(sets)
    with ThreadPoolExecutor(1) as pool:
        while row := _begun(pool, next(unread, None), baseline, grouping):
            wait(future for future in (rows[-1] if rows else []) if future)
            rows.append(row.figures)
            scales += [row.scale] * sum(figure is not None for figure in row.figures)
    comparisons = iter(_family([future.result() for row in rows for future in row if future], scales))
    return [[next(comparisons) if future else None for future in row] for row in rows]


@dataclass(frozen=True)
class _Row:
    """The figures of every variant by one evaluator, once computed; None if there is nothing to compare."""

    scale: Scale
    figures: list[Future[Figures] | None]


def _begun(
    pool: ThreadPoolExecutor, columns: ColumnSet | None, baseline: int, grouping: Grouping | None
) -> _Row | None:
    if columns is None:
        return None
    present = [column for column in columns.columns if column is not None]
    rows, _ = canonical.order([column.values for column in present])
    scores = [None if column is None else Scores(column, rows) for column in columns.columns]
    baseline_scores = scores[baseline]
    n = len(rows)
    labels = None if grouping is None else grouping.codes[:n][rows]
    about = (
        columns.scale,
        _rows(n),
        labels,
        common_span(columns.scale, [score for score in scores if score]),
    )
    return _Row(
        columns.scale,
        [
            pool.submit(figures.compute, baseline_scores, score, *about)
            if baseline_scores and score and k != baseline
            else None
            for k, score in enumerate(scores)
        ],
    )


def _run(work: Sequence[Callable[[], Figures]]) -> list[Figures]:
    """The figures, computed in threads, because numpy releases the interpreter while it sums."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda task: task(), work))


@remembered("rows for correlations", 8)
def _rows(n: int) -> Rows:
    """The rows for correlations: all, or a sample that depends only on their number."""
    if n <= SAMPLE:
        return slice(None)
    return np.sort(np.random.default_rng(n).choice(n, SAMPLE, replace=False))


def _common(columns: Sequence[Column], grouping: Grouping | None) -> tuple[list[Column], Labels | None]:
    """The columns and labels, restricted to rows in which every column has a score."""
    both = np.logical_and.reduce([np.isfinite(column.values) for column in columns])
    labels = None if grouping is None else grouping.codes[: len(both)]
    if both.all():
        return list(columns), labels
    cut = [column.at(both) for column in columns]
    return cut, None if labels is None else labels[both]


def _family(
    counted: Sequence[Figures], scales: Sequence[Scale], draws: int | None = None
) -> list[Difference]:
    members = [
        k for k, column in enumerate(counted) if column.changed >= FEWEST_CHANGES and not column.too_large
    ]
    columns = {k: number for number, k in enumerate(members)}
    binary = np.array([scales[k].binary for k in members], bool)
    laws = _laws([counted[k] for k in members], binary, draws)
    return [
        evidence.compare(column, scale, laws, columns.get(k))
        for k, (column, scale) in enumerate(zip(counted, scales, strict=True))
    ]


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
    length = max(len(clusters.sizes) for clusters in clustered if clusters is not None)
    sizes, sums, centre = (
        np.column_stack([_padded(of(clusters) if clusters else None, length) for clusters in clustered])
        for of in (lambda c: c.sizes, lambda c: c.sums, Clustered.centred)
    )
    filled = sizes.any(axis=1)
    sums, centre, count = sums[filled], centre[filled], int(np.count_nonzero(filled))
    centre = without_rounding(centre, np.abs(sums).max(axis=0))
    guarded = np.ones(sums.shape[1], bool)
    if count < MANY:
        return _drawn(Table.of(sums, centre, guarded), draws)
    sample = sums[_rows(count)]
    return Normal(Table.of(sample, np.zeros_like(sample), guarded), _skewness(centre))


def _padded(values: Values | None, count: int) -> Values:
    padded = np.zeros(count)
    if values is not None:
        padded[: len(values)] = values
    return padded


def _skewness(centre: Values) -> Values:
    """The skewness of each column's units divided by the square root of their number."""
    n, squares = len(centre), np.square(centre).mean(axis=0)
    cubes = (centre**3).mean(axis=0)
    skewness = np.zeros_like(cubes)
    np.divide(cubes, squares**1.5 * np.sqrt(n), out=skewness, where=squares > 0)
    return np.asarray(skewness)
