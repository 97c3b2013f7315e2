"""The families of a comparison, each corrected together, computed once and cached.

The primary family has all pairs of sides by the primary evaluator; the secondary one has every side against the
baseline by every other evaluator; the measures are the shares of answered examples, latency and cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics import evidence, few_groups
from evaluations.statistics.clusters import Clusters, Grouping, declared, detect
from evaluations.statistics.inference import (
    MANY,
    AllPairs,
    Compare,
    CountedPairs,
    against_baseline,
    all_pairs,
    counted_pairs,
)
from evaluations.statistics.law.draws import MANY_DRAWS
from evaluations.statistics.terms import ColumnSet, Interval, Scale, Values

from ..alignment.aligned import Aligned
from ..alignment.alignment import Aligner
from ..alignment.leftovers import Leftover, leftover
from ..alignment.sides import BASELINE
from ..grouping import clustering
from ..grouping.example_filter import ALL_EXAMPLES
from . import cache
from .family_figures import (
    FewGroupsPair,
    FewGroupsTold,
    FineP,
    FinePs,
    Measure,
    Measures,
    Pair,
    PrimaryFamily,
    Ranks,
    Scored,
    Secondary,
    SecondaryFamily,
    means_of,
    ranked_means,
)
from .measures import Measured, against_its_baseline, mean_intervals
from .read_columns import ReadColumns

AUTO, NONE = "auto", "none"  # The special values of `cluster`; any other is the name of a column.
MOST_FINE = 10  # sides of which p is computed from many draws
T = TypeVar("T")
PLACED = TypeVar("PLACED", PrimaryFamily, Ranks)


@dataclass
class Families:
    """Computes the families of the aligned sides. `scales` are by evaluator id.

    `cluster` is "auto", "none" or a metadata column.
    """

    aligner: Aligner
    primary_id: int
    scales: dict[int, Scale]
    cluster: str
    _counted: CountedPairs | None = field(default=None, init=False)

    @property
    def dataset(self) -> Dataset:
        return self.aligner.dataset

    @cached_property
    def read(self) -> ReadColumns:
        """What is compared, read when it is needed."""
        return ReadColumns(self.aligner, self.scales)

    @cached_property
    def primary(self) -> PrimaryFamily:
        family = self._all_pairs
        if self.cluster != AUTO or len(family.ranked) < 2 or not family.n:
            return family
        if not self.is_final([self.primary_id]):
            return family  # the scores read again could be others
        return family.with_few_groups(self.cached(FewGroupsTold, self._few_groups, [self.primary_id]))

    @cached_property
    def _all_pairs(self) -> PrimaryFamily:
        return self._in_any_order(PrimaryFamily, self._primary)

    def _in_any_order(self, kind: type[PLACED], compute: Callable[[], PLACED]) -> PLACED:
        """Figures of the primary evaluator; another baseline finds them in the cache, for none depends on the order."""
        kept = cache.cached if self.is_final([self.primary_id]) else cache.passing
        key = self._key([self.primary_id], (), self._order)
        return kept(key, kind, lambda: compute().placed(self._places)).placed(self._order)

    @cached_property
    def _places(self) -> list[int]:
        """By side, its place in an order that does not depend on the baseline, if the examples do not either."""
        pks = [side.run.pk for side in self.aligner.sides]
        return [sorted(pks).index(pk) for pk in pks] if self.aligner.is_one_version else [*range(len(pks))]

    @cached_property
    def _order(self) -> list[int]:
        return sorted(range(len(self._places)), key=self._places.__getitem__)

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of the primary family, without what only its figures need."""
        return self._in_any_order(Ranks, self._ranks)

    @cached_property
    def fine_p(self) -> dict[tuple[int, int], float]:
        """By baseline and side, p of the primary family from ten times as many draws; empty for many sides."""
        if len(self.aligner.sides) > MOST_FINE:
            return {}
        return {(p.baseline, p.side): p.p for p in self.cached(FinePs, self._fine_ps, [self.primary_id]).ps}

    @cached_property
    def secondary(self) -> SecondaryFamily:
        return self.cached(SecondaryFamily, self._secondary, list(self.scales))

    @cached_property
    def measures(self) -> Measures:
        return self.cached(Measures, self._measures, [self.primary_id])

    # ---- caching -------------------------------------------------------------------------------------------

    def cached(self, kind: type[T], compute: Callable[[], T], evaluators: Sequence[int], *more: Any) -> T:
        """The cached or computed result; cached for a while only if a scoring is in progress."""
        kept = cache.cached if self.is_final(evaluators) else cache.passing
        return kept(self._key(evaluators, more), kind, compute)

    def cached_result(self, kind: type[T], evaluators: Sequence[int], *more: Any) -> T | None:
        """The cached result; None if there is none or a scoring is in progress."""
        return cache.cached_result(self._key(evaluators, more), kind) if self.is_final(evaluators) else None

    def remembered(
        self, memory: ProcessCache[str, T], compute: Callable[[], T], evaluators: Sequence[int], *more: Any
    ) -> T:
        """The value from the memory of this process, else computed; not stored while a scoring is in progress."""
        if not self.is_final(evaluators):
            return compute()
        key = repr(self._key(evaluators, more))
        value = memory.get(key)
        if value is None:
            memory.put(key, value := compute())
        return value

    def is_final(self, evaluators: Sequence[int]) -> bool:
        """Whether all scorings by these evaluators and the primary one have ended."""
        scorings = [s for pk in (self.primary_id, *evaluators) for s in self.aligner.scorings(pk)]
        return all(scoring.summary is not None for scoring in scorings)

    def _key(self, evaluators: Sequence[int], more: Sequence[Any], order: Sequence[int] | None = None) -> Any:
        """`order` has the indices of the sides if the key does not depend on their order."""
        stamps = [self._stamp(pk, order) for pk in evaluators]
        about = (
            self.dataset.pk,
            self._stamp(self.primary_id, order),
            self.cluster,
            self.aligner.missing,
            self.aligner.example_filter.key,
        )
        return (*more, *about, stamps)

    def _stamp(self, evaluator_id: int, order: Sequence[int] | None) -> Any:
        """The part of the cache key for an evaluator: the stamps of its scorings, its scale, and what is left out."""
        stamps = self.aligner.stamps(evaluator_id)
        if order is not None:
            stamps = [stamps[index] for index in order]
        left_out = self.aligner.left_out(evaluator_id).key
        return evaluator_id, stamps, self.scales[evaluator_id], left_out

    # ---- computing -----------------------------------------------------------------------------------------

    def _primary(self) -> PrimaryFamily:
        aligned, columns, ranked = self._ranked()
        columns, grouping = self._grouped(aligned, columns)
        pairs = self._compared(columns, grouping, is_apart=aligned.is_apart)
        compared = {
            (ranked[i], ranked[j]): pairs.comparison(i, j) for i, j in combinations(range(pairs.variants), 2)
        }
        return PrimaryFamily(
            ranked=ranked,
            n=pairs.n,
            means=ranked_means(pairs, columns),
            pairs=[
                Pair(i, j, compared.get((i, j)), leftover(aligned, i, j, is_ranking=True))
                for i, j in combinations(range(len(aligned.columns)), 2)
            ],
            scored=self._scored(self.primary_id, aligned),
            is_apart=aligned.is_apart,
            clusters=Clusters.from_grouping(grouping),
        )

    def _fine_ps(self) -> FinePs:
        aligned, columns, ranked = self._ranked()
        pairs = all_pairs(*self._grouped(aligned, columns), MANY_DRAWS, aligned.is_apart)
        differences = [(ranked[i], ranked[j], pairs.comparison(i, j)) for i, j in pairs.comparisons]
        ps = [FineP(i, j, d.p_corrected) for i, j, d in differences if d.p_corrected is not None]
        return FinePs(ps + [FineP(fine.side, fine.baseline, fine.p) for fine in ps])

    def _ranks(self) -> Ranks:
        aligned, columns, ranked = self._ranked()
        pairs = self._compared(*self._grouped(aligned, columns), evidence.judge, is_apart=aligned.is_apart)
        return Ranks(ranked, [*pairs.ranking.ranks], self._scored(self.primary_id, aligned))

    def _compared(
        self,
        columns: ColumnSet,
        grouping: Grouping | None,
        compare: Compare = evidence.compare,
        *,
        is_apart: bool,
    ) -> AllPairs:
        """All pairs; what is counted of few examples is kept, because figures may follow ranks.

        While scores still come, the columns that are read for the figures can be more than those of the ranks.
        """
        if len(columns.columns) < 2:
            return AllPairs(len(columns.columns), 0, {})
        counted = self._counted or counted_pairs(columns, grouping, None, is_apart)
        self._counted = counted if counted.n < MANY and self.is_final([self.primary_id]) else None
        return counted.compared(compare)

    def _few_groups(self) -> FewGroupsTold:
        """Of the pairs that sentences name, those whose clear difference few groups explain."""
        family = self._all_pairs
        pairs, ranked = family.ranked_pairs, family.ranked
        tested = few_groups.tested(pairs.variants, pairs.ranking.order)
        clear = [(i, j) for i, j in tested if pairs.comparison(i, j).verdict in ("better", "worse")]
        labels = self._labels(self._candidates()) if clear else {}
        few = {name: column for name, column in labels.items() if few_groups.may_be_few(column)}
        columns = self._common_values(self.read.aligned(self.primary_id)) if few else {}
        told = [
            FewGroupsPair(ranked[i], ranked[j], found)
            for i, j in clear
            if columns and (found := few_groups.told(columns[ranked[j]] - columns[ranked[i]], few))
        ]
        return FewGroupsTold(told)

    def _common_values(self, aligned: Aligned) -> dict[int, Values]:
        """By side, the compared values of the examples that all ranked sides have."""
        compared = self.read.column_set(self.primary_id, aligned.with_common_only())
        return {index: column.values for index, column in enumerate(compared.columns) if column}

    def _ranked(self) -> tuple[Aligned, ColumnSet, list[int]]:
        """The scores of all sides by the primary evaluator; the columns and the indices of those with any score."""
        aligned = self.read.aligned(self.primary_id)
        ranked = [index for index, column in enumerate(aligned.columns) if column is not None]
        return aligned, self._present(aligned), ranked

    def _grouped(self, aligned: Aligned, columns: ColumnSet) -> tuple[ColumnSet, Grouping | None]:
        """The columns with the clusters to allow for, whole clusters left out of contributions to a statistic."""
        grouping = self._chosen_grouping(columns)
        if grouping is not None and columns.scale.is_statistic:
            columns = self._present(aligned, grouping)
        return columns, grouping

    def _present(self, aligned: Aligned, grouping: Grouping | None = None) -> ColumnSet:
        """What the primary family compares, of the sides with any score."""
        compared = self.read.column_set(self.primary_id, aligned, grouping)
        return replace(compared, columns=[column for column in compared.columns if column is not None])

    def _scored(self, evaluator_id: int, aligned: Aligned) -> Scored:
        columns = self.read.column_set(evaluator_id, aligned).columns
        contributed = self.read.contributions(evaluator_id, aligned)
        return Scored.from_aligned(aligned, columns, None if contributed is None else contributed.reason)

    def _chosen_grouping(self, columns: ColumnSet) -> Grouping | None:
        if self.cluster == NONE or len(columns.columns) < 2:
            return None
        if self.cluster != AUTO:
            return self._named_grouping(self.cluster, columns)
        if self.aligner.example_filter:
            return self._grouping_of_all(columns)
        return detect(columns, self._labels(self._candidates()))

    def _candidates(self) -> list[str]:
        return clustering.candidates(self.dataset, self.aligner.positions, self.aligner.variants)

    def _named_grouping(self, column: str, columns: ColumnSet) -> Grouping | None:
        return declared(column, self._labels([column])[column], columns)

    def _grouping_of_all(self, columns: ColumnSet) -> Grouping | None:
        """The clusters of all examples, applied to some: few examples would detect other columns, by chance."""
        used = replace(self, aligner=replace(self.aligner, example_filter=ALL_EXAMPLES))._clusters()
        grouping = self._named_grouping(used.column, columns) if used else None
        return replace(grouping, p=used.p) if used and grouping else None

    def _clusters(self) -> Clusters | None:
        """The clusters that the primary family uses, found without comparing its pairs."""
        key = self._key([self.primary_id], (), self._order)
        if self.is_final([self.primary_id]) and (known := cache.cached_result(key, PrimaryFamily)):
            return known.clusters
        aligned, columns, _ = self._ranked()
        return Clusters.from_grouping(self._grouped(aligned, columns)[1])

    def _labels(self, columns: Sequence[str]) -> dict[str, clustering.Labels]:
        labels = clustering.labels(self.dataset, self.aligner.positions, columns)
        return {name: self.aligner.part(column) for name, column in labels.items()}

    @property
    def cluster_labels(self) -> clustering.Labels | None:
        """Labels, equal for examples of one cluster; None if examples are independent."""
        used = self.primary.clusters
        return None if used is None else self._labels([used.column])[used.column]

    def _grouping(self) -> Grouping | None:
        """The clusters that the primary family uses, for the other families."""
        used = self.primary.clusters
        return None if used is None else self._named_grouping(used.column, self._ranked()[1])

    def _secondary(self) -> SecondaryFamily:
        secondary = [pk for pk in self.scales if pk != self.primary_id]
        scored: dict[int, tuple[list[Leftover | None], Scored]] = {}

        def read(pk: int) -> ColumnSet:
            """Load columns that the caller must not keep, so that only those in use are in memory."""
            aligned = self.aligner.aligned(pk, self.scales[pk])
            scored[pk] = self._leftovers(aligned), self._scored(pk, aligned)
            return self.read.column_set(pk, aligned, grouping)

        grouping = self._grouping() if secondary else None
        self.read.forget()
        self.aligner.warm(secondary)
        comparisons = against_baseline(map(read, secondary), BASELINE, grouping)
        return SecondaryFamily(
            {pk: Secondary(row, *scored[pk]) for pk, row in zip(secondary, comparisons, strict=True)}
        )

    def _leftovers(self, aligned: Aligned) -> list[Leftover | None]:
        return [
            None if index == BASELINE else leftover(aligned, BASELINE, index)
            for index in range(len(aligned.columns))
        ]

    def _measures(self) -> Measures:
        measured = Measured(self.aligner, self.primary_id, self.primary.scored.tallies)
        answers, latency_and_cost = measured.answers(), measured.latency_and_cost()
        shares = answers.columns.columns
        sets = {"answers": answers.columns} | latency_and_cost
        intervals = {name: mean_intervals(columns) for name, columns in latency_and_cost.items()}
        compared = against_its_baseline(sets, self._grouping())
        return Measures(
            answered=[0 if column is None else int((column.values == 1).sum()) for column in shares],
            examples=[0 if column is None else int(np.isfinite(column.values).sum()) for column in shares],
            unread=answers.unread,
            measures=[
                Measure(name, means_of(columns.columns), row, intervals.get(name, [None] * len(row)))
                for (name, columns), row in zip(sets.items(), compared, strict=True)
            ],
            quality=self._quality() if latency_and_cost else [],
        )

    def _quality(self) -> list[Interval | None]:
        aligned = self.read.aligned(self.primary_id).with_common_only()
        return mean_intervals(self.read.column_set(self.primary_id, aligned))
