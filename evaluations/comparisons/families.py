"""The families of a comparison, each computed once and kept.

The primary family holds all pairs of sides by the primary evaluator, the secondary one every side against the
baseline by every other evaluator, the measures which examples were answered, how long that took and what it cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from evaluations.models import Dataset
from evaluations.statistics.clusters import Grouping, declared, detect
from evaluations.statistics.inference import AllPairs, against_baseline, all_pairs
from evaluations.statistics.ranking import Ranking
from evaluations.statistics.terms import Column, ColumnSet, Difference, Interval, Scale

from . import cache, clustering
from .alignment import Aligned, Aligner, Tally
from .leftovers import Leftover, leftover
from .measures import Measured, mean_interval

AUTO, NONE = "auto", "none"  # The choices of `cluster` beside the name of a column.
T = TypeVar("T")


@dataclass(frozen=True)
class Clusters:
    """The clusters in use: examples with one value in `column` are not independent. `p` is None where declared."""

    column: str
    count: int
    widening: float
    is_few: bool
    p: float | None

    @classmethod
    def from_grouping(cls, grouping: Grouping | None) -> "Clusters | None":
        if grouping is None:
            return None
        return cls(grouping.name, grouping.count, grouping.widening, grouping.is_few, grouping.p)


@dataclass(frozen=True)
class Pair:
    """Two sides by their places on the page, and the examples that make no pair. None: one has no score."""

    baseline: int
    side: int
    comparison: Difference | None
    leftover: Leftover

    def mirrored(self) -> "Pair":
        """Seen from the other side."""
        mirrored = self.comparison and self.comparison.mirrored()
        return Pair(self.side, self.baseline, mirrored, self.leftover.mirrored())


@dataclass(frozen=True)
class Scored:
    """One evaluator's sides: how many examples have which cause, and what a missing output counts as."""

    means: list[float | None]
    tallies: list[Tally | None]
    worst: float | None
    is_bound: bool

    @classmethod
    def from_aligned(cls, aligned: Aligned) -> "Scored":
        return cls(_means(aligned.columns), aligned.tallies, aligned.worst, aligned.is_bound)


@dataclass(frozen=True)
class Primary:
    """All pairs of sides, over the `n` examples in which all of the `ranked` have a score.

    A side without any score is not ranked. `means` of the ranked are over these examples.
    """

    ranked: list[int]
    n: int
    means: list[float | None]
    pairs: list[Pair]
    scored: Scored
    clusters: Clusters | None

    @cached_property
    def all(self) -> AllPairs:
        """The pairs of the ranked sides, by their places among these."""
        place = {side: number for number, side in enumerate(self.ranked)}
        pairs = {(place[p.baseline], place[p.side]): p.comparison for p in self.pairs if p.comparison}
        return AllPairs(len(self.ranked), self.n, pairs)

    @property
    def ranking(self) -> Ranking:
        return self.all.ranking

    def against(self, baseline: int, side: int) -> Pair:
        """A side against a baseline."""
        pair = next(pair for pair in self.pairs if {pair.baseline, pair.side} == {baseline, side})
        return pair if pair.baseline == baseline else pair.mirrored()


@dataclass(frozen=True)
class Secondary:
    """Every side against the baseline by one evaluator; None at the baseline and where there is no score."""

    comparisons: list[Difference | None]
    leftovers: list[Leftover | None]
    scored: Scored


@dataclass(frozen=True)
class SecondaryFamily:
    by_evaluator: dict[int, Secondary]


@dataclass(frozen=True)
class Measure:
    """One measure of all sides: "answers" (0 or 1 for each example), "latency" (ms) or "cost" (in the currency).

    `intervals` are of the means of latency and cost, each alone.
    """

    name: str
    means: list[float | None]
    comparisons: list[Difference | None]
    intervals: list[Interval | None]


@dataclass(frozen=True)
class Measures:
    """How many of its `examples` each side `answered`, and the comparisons of its measures.

    `quality` are the intervals of the primary evaluator's means, each alone, where time or money is known.
    """

    answered: list[int]
    examples: list[int]
    measures: list[Measure]
    quality: list[Interval | None] = field(default_factory=list)

    def measure(self, name: str) -> Measure | None:
        return next((measure for measure in self.measures if measure.name == name), None)


@dataclass
class Families:
    """The families of some sides. `scales` are by evaluator id, `baseline` is a place among the sides.

    `cluster` is "auto", "none" or a metadata column.
    """

    aligner: Aligner
    dataset: Dataset
    baseline: int
    primary_id: int
    scales: dict[int, Scale]
    cluster: str
    _read: dict[int, Aligned] = field(default_factory=dict)

    @cached_property
    def primary(self) -> Primary:
        return self.kept(Primary, self._primary, [self.primary_id])

    @cached_property
    def secondary(self) -> SecondaryFamily:
        return self.kept(SecondaryFamily, self._secondary, list(self.scales), self.baseline)

    @cached_property
    def measures(self) -> Measures:
        return self.kept(Measures, self._measures, [self.primary_id], self.baseline)

    def aligned(self, evaluator_id: int) -> Aligned:
        """All sides by one evaluator; the one read last stays at hand."""
        if evaluator_id not in self._read:
            self._read = {}  # Let go of the one before first: of a million examples each takes much memory.
            self._read = {evaluator_id: self.aligner.aligned(evaluator_id, self.scales[evaluator_id])}
        return self._read[evaluator_id]

    # ---- keeping -------------------------------------------------------------------------------------------

    def kept(self, kind: type[T], compute: Callable[[], T], evaluators: Sequence[int], *more: Any) -> T:
        """From the cache, unless a scoring still goes on."""
        return (
            cache.kept(self._key(evaluators, more), kind, compute) if self.is_final(evaluators) else compute()
        )

    def known(self, kind: type[T], evaluators: Sequence[int], *more: Any) -> T | None:
        """The same, computing nothing."""
        return cache.known(self._key(evaluators, more), kind) if self.is_final(evaluators) else None

    def is_final(self, evaluators: Sequence[int]) -> bool:
        """Whether no scoring by these, or by the primary, still goes on."""
        scorings = [s for pk in (self.primary_id, *evaluators) for s in self.aligner.scorings(pk)]
        return all(scoring.summary is not None for scoring in scorings)

    def _key(self, evaluators: Sequence[int], more: Sequence[Any]) -> Any:
        stamps = [self._stamp(pk) for pk in evaluators]
        about = (
            self.dataset.pk,
            self._stamp(self.primary_id),
            self.cluster,
            self.aligner.missing,
            self.aligner.among.key,
        )
        return (*more, *about, stamps)

    def _stamp(self, evaluator_id: int) -> Any:
        """Names the scorings of every side, the jobs that computed them, and the scale of their scores."""
        jobs = [
            [(s.pk, s.job_id, s.created_at.isoformat()) for s in side.scorings.get(evaluator_id, [])]
            for side in self.aligner.sides
        ]
        return evaluator_id, jobs, self.scales[evaluator_id]

    # ---- computing -----------------------------------------------------------------------------------------

    def _primary(self) -> Primary:
        aligned, columns, ranked = self._ranked()
        grouping = self._chosen_grouping(columns)
        pairs = all_pairs(columns, grouping) if len(ranked) > 1 else AllPairs(len(ranked), 0, {})
        compared = {
            (ranked[i], ranked[j]): pairs.comparison(i, j) for i, j in combinations(range(pairs.variants), 2)
        }
        return Primary(
            ranked=ranked,
            n=pairs.n,
            means=_ranked_means(pairs, columns),
            pairs=[
                Pair(i, j, compared.get((i, j)), leftover(aligned, i, j, is_ranking=True))
                for i, j in combinations(range(len(aligned.columns)), 2)
            ],
            scored=Scored.from_aligned(aligned),
            clusters=Clusters.from_grouping(grouping),
        )

    def _ranked(self) -> tuple[Aligned, ColumnSet, list[int]]:
        """The primary evaluator's sides, and those of them that have any score."""
        aligned = self.aligned(self.primary_id)
        ranked = [place for place, column in enumerate(aligned.columns) if column is not None]
        columns = [column for column in aligned.columns if column is not None]
        return aligned, ColumnSet(self.scales[self.primary_id], columns), ranked

    def _chosen_grouping(self, columns: ColumnSet) -> Grouping | None:
        if self.cluster == NONE or len(columns.columns) < 2:
            return None
        if self.cluster == AUTO:
            return detect(columns, self._labels(clustering.candidates(self.dataset)))
        return declared(self.cluster, self._labels([self.cluster])[self.cluster], columns)

    def _labels(self, columns: Sequence[str]) -> dict[str, clustering.Labels]:
        labels = clustering.labels(self.dataset, self.aligner.positions, columns)
        return {name: self.aligner.part(column) for name, column in labels.items()}

    @property
    def cluster_labels(self) -> clustering.Labels | None:
        """Equal for examples of one cluster; None where they are independent."""
        used = self.primary.clusters
        return None if used is None else self._labels([used.column])[used.column]

    def _grouping(self) -> Grouping | None:
        """The grouping that the primary family uses, for the other families."""
        used = self.primary.clusters
        if used is None:
            return None
        return declared(used.column, self._labels([used.column])[used.column], self._ranked()[1])

    def _secondary(self) -> SecondaryFamily:
        others = [pk for pk in self.scales if pk != self.primary_id]
        scored: dict[int, tuple[list[Leftover | None], Scored]] = {}

        def read(pk: int) -> ColumnSet:
            """Not to be kept: only pairs that wait for their figures hold the columns."""
            aligned = self.aligner.aligned(pk, self.scales[pk])
            scored[pk] = self._leftovers(aligned), Scored.from_aligned(aligned)
            return ColumnSet(self.scales[pk], aligned.columns)

        grouping = self._grouping() if others else None
        self._read = {}
        self.aligner.warm(others)
        comparisons = against_baseline(map(read, others), self.baseline, grouping)
        return SecondaryFamily(
            {pk: Secondary(row, *scored[pk]) for pk, row in zip(others, comparisons, strict=True)}
        )

    def _leftovers(self, aligned: Aligned) -> list[Leftover | None]:
        return [
            None if place == self.baseline else leftover(aligned, self.baseline, place)
            for place in range(len(aligned.columns))
        ]

    def _measures(self) -> Measures:
        measured = Measured(self.aligner, self.primary_id, self.primary.scored.tallies)
        answers, taken = measured.answers(), measured.taken()
        sets = {"answers": answers} | taken
        intervals = {name: _intervals(columns) for name, columns in taken.items()}
        compared = against_baseline(sets.values(), self.baseline, self._grouping())
        return Measures(
            answered=[0 if one is None else int((one.values == 1).sum()) for one in answers.columns],
            examples=[0 if one is None else int(np.isfinite(one.values).sum()) for one in answers.columns],
            measures=[
                Measure(name, _means(columns.columns), row, intervals.get(name, [None] * len(row)))
                for (name, columns), row in zip(sets.items(), compared, strict=True)
            ],
            quality=self._quality() if taken else [],
        )

    def _quality(self) -> list[Interval | None]:
        aligned = self.aligned(self.primary_id).without_rest()
        return _intervals(ColumnSet(self.scales[self.primary_id], aligned.columns))


def _ranked_means(pairs: AllPairs, columns: ColumnSet) -> list[float | None]:
    """As in the pairs: over the examples that all have."""
    if pairs.variants < 2:
        return _means(columns.columns)
    return [pairs.comparison(0 if place else 1, place).mean for place in range(pairs.variants)]


def _means(columns: Sequence[Column | None]) -> list[float | None]:
    """The mean of each column over all its scores."""
    return [None if column is None else column.mean for column in columns]


def _intervals(columns: ColumnSet) -> list[Interval | None]:
    """Of the mean of each column, alone."""
    scale = columns.scale
    return [None if column is None else mean_interval(column, scale) for column in columns.columns]
