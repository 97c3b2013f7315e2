"""The figures of each family of a comparison, in the form in which they are cached."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from evaluations.scoring.causes import Cause
from evaluations.statistics.clusters import Clusters
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.inference import AllPairs
from evaluations.statistics.ranking import Ranking
from evaluations.statistics.terms import Column, ColumnSet, Difference, Interval

from ..alignment.aligned import Aligned, Tally
from ..alignment.leftovers import Leftover


@dataclass(frozen=True)
class Pair:
    """Two sides by their indices, their comparison, and the examples that make no pair.

    `comparison` is None if a side has no score. `few_groups` is a column under which a clear verdict would not survive,
    if its values are a sample.
    """

    baseline: int
    side: int
    comparison: Difference | None
    leftover: Leftover
    few_groups: FewGroups | None = None

    def mirrored(self) -> "Pair":
        """The same figures with the sides swapped."""
        mirrored, few = self.comparison and self.comparison.mirrored(), self.few_groups
        if few:
            few = replace(few, interval=(0.0 - few.interval[1], 0.0 - few.interval[0]))
        return Pair(self.side, self.baseline, mirrored, self.leftover.mirrored(), few)


@dataclass(frozen=True)
class Scored:
    """The sides by one evaluator: their examples by cause.

    `without_reference` and `failed` examples lack a score of any compared side for this cause. `is_bound` says that a
    missing output counts as the worst end of the scale, `no_verdict` why a run statistic gives none.
    """

    means: list[float | None]
    tallies: list[Tally | None]
    is_bound: bool
    without_reference: int = 0
    failed: int = 0
    no_verdict: str | None = None

    @classmethod
    def from_aligned(cls, aligned: Aligned, columns: Sequence[Column | None], reason: str | None) -> "Scored":
        without, failed = (aligned.lacking(cause) for cause in (Cause.DATASET, Cause.EVALUATOR))
        return cls(means_of(columns), aligned.tallies, aligned.is_bound, without, failed, reason)

    def placed(self, places: Sequence[int]) -> "Scored":
        """The same with every side at another place, given by its present one."""
        back = sorted(range(len(places)), key=places.__getitem__)
        return replace(
            self, means=[self.means[side] for side in back], tallies=[self.tallies[side] for side in back]
        )


@dataclass(frozen=True)
class PrimaryFamily:
    """All pairs of sides by the primary evaluator, over the `n` examples for which all `ranked` sides have a score.

    A side without any score is not ranked. `means` of the ranked are over these examples; with `is_apart` over all of
    their own, because no example was asked of all sides, and `n` counts the examples of any pair.
    """

    ranked: list[int]
    n: int
    means: list[float | None]
    pairs: list[Pair]
    scored: Scored
    clusters: Clusters | None
    is_apart: bool = False

    @cached_property
    def ranked_pairs(self) -> AllPairs:
        """The differences of all pairs of ranked sides, by their indices among these."""
        index = {side: number for number, side in enumerate(self.ranked)}
        pairs = {(index[p.baseline], index[p.side]): p.comparison for p in self.pairs if p.comparison}
        return AllPairs(len(self.ranked), self.n, pairs, self.means if self.is_apart else ())

    @property
    def ranking(self) -> Ranking:
        return self.ranked_pairs.ranking

    def placed(self, places: Sequence[int]) -> "PrimaryFamily":
        """The same figures with every side at another place, given by its present one."""
        if [*places] == sorted(places):
            return self
        order = sorted(range(len(self.ranked)), key=lambda number: places[self.ranked[number]])
        pairs = [replace(pair, baseline=places[pair.baseline], side=places[pair.side]) for pair in self.pairs]
        turned = [pair if pair.baseline < pair.side else pair.mirrored() for pair in pairs]
        return replace(
            self,
            ranked=[places[self.ranked[number]] for number in order],
            means=[self.means[number] for number in order],
            pairs=sorted(turned, key=lambda pair: (pair.baseline, pair.side)),
            scored=self.scored.placed(places),
        )

    def with_few_groups(self, told: "FewGroupsTold") -> "PrimaryFamily":
        if not told.pairs:
            return self
        found = {(one.baseline, one.side): one.few_groups for one in told.pairs}
        pairs = [replace(pair, few_groups=found.get((pair.baseline, pair.side))) for pair in self.pairs]
        return replace(self, pairs=pairs)

    def against(self, baseline: int, side: int) -> Pair:
        """A side against a baseline."""
        pair = next(pair for pair in self.pairs if {pair.baseline, pair.side} == {baseline, side})
        return pair if pair.baseline == baseline else pair.mirrored()


@dataclass(frozen=True)
class Ranks:
    """Of the sides with any score, by their indices, the best and the worst possible rank."""

    ranked: list[int]
    ranks: list[tuple[int, int]]
    scored: Scored

    def placed(self, places: Sequence[int]) -> "Ranks":
        """The same ranks with every side at another place, given by its present one."""
        moved = sorted(zip([places[side] for side in self.ranked], self.ranks, strict=True))
        return Ranks([side for side, _ in moved], [rank for _, rank in moved], self.scored.placed(places))


@dataclass(frozen=True)
class FewGroupsPair:
    """Two sides, and the column under which their clear difference would not survive."""

    baseline: int
    side: int
    few_groups: FewGroups


@dataclass(frozen=True)
class FewGroupsTold:
    pairs: list[FewGroupsPair]


@dataclass(frozen=True)
class FineP:
    """The corrected p of a side against a baseline, from many draws."""

    baseline: int
    side: int
    p: float


@dataclass(frozen=True)
class FinePs:
    ps: list[FineP]


@dataclass(frozen=True)
class Secondary:
    """Every side against the baseline by one evaluator; None for the baseline, and for sides without a score."""

    comparisons: list[Difference | None]
    leftovers: list[Leftover | None]
    scored: Scored


@dataclass(frozen=True)
class SecondaryFamily:
    by_evaluator: dict[int, Secondary]


@dataclass(frozen=True)
class Measure:
    """One measure of all sides: "answers" (0 or 1 per example), "latency" (ms), "cost" (in the currency), "tokens" of
    the answers or "prompt_tokens" of what was asked.

    `intervals` are those of the means of latency and cost, uncorrected.
    """

    name: str
    means: list[float | None]
    comparisons: list[Difference | None]
    intervals: list[Interval | None]


@dataclass(frozen=True)
class Measures:
    """The measures of all sides, and how many of its `examples` each side `answered`.

    From `unread` of these answers the primary evaluator could read nothing. `quality` has the uncorrected intervals of
    its means, if latency or cost is known.
    """

    answered: list[int]
    examples: list[int]
    unread: list[int]
    measures: list[Measure]
    quality: list[Interval | None] = field(default_factory=list)

    def measure(self, name: str) -> Measure | None:
        return next((measure for measure in self.measures if measure.name == name), None)


def means_of(columns: Sequence[Column | None]) -> list[float | None]:
    """The mean of each column over all its scores."""
    return [None if column is None else column.mean for column in columns]


def ranked_means(pairs: AllPairs, columns: ColumnSet) -> list[float | None]:
    """The means of the ranked sides over the examples that all of them have, as in the pairs, else over their own."""
    if pairs.variants < 2 or pairs.means:
        return means_of(columns.columns)
    return [pairs.comparison(0 if index else 1, index).mean for index in range(pairs.variants)]
