"""The contributions of examples to a run statistic of the sides of a comparison (statistics/jackknife.py).

The mean of a side's contributions is its statistic, so families, ranks and intervals work as for means. Compared are
the examples that every side has; an unanswered one has the counts of an empty answer. Every statistic of a comparison
is computed here: headlines, and those that stand beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.statistic import FEWEST_REFERENCES, MEAN, Counting, Counts, Statistic
from evaluations.scoring import run_counts
from evaluations.scoring.causes import Cause, Mask
from evaluations.scoring.run_counts import NoCounts, RunCounts
from evaluations.statistics import jackknife
from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.terms import Behind, Column, Scale, Values

from .aligned import Aligned, Judged
from .alignment import Aligner

Codes = NDArray[np.int64]


@dataclass
class Contributions:
    """Computes the columns of all sides by one statistic of an evaluator, its headline if none is named.

    `aligned` has the scores of the single examples.
    """

    aligner: Aligner
    evaluator_id: int
    recipe: Recipe
    aligned: Aligned
    name: str | None = None

    def columns(self, clusters: Codes | None = None) -> list[Column | None]:
        """By side, what each example contributes; by whole clusters if there are any."""
        if not self.counts:
            return [None if column is None else _nothing(column) for column in self.aligned.columns]
        return [
            None if column is None else self._column(column, side, clusters)
            for column, side in zip(self.aligned.columns, self.counts, strict=True)
        ]

    def within(self, index: int, codes: NDArray[np.signedinteger]) -> Values:
        """The contributions of a side's examples to the statistic of their own subset; NaN outside of any."""
        values = np.full(len(codes), np.nan)
        for code in np.unique(codes[codes >= 0]).tolist():
            members = self.used & (codes == code)
            runs = [self._values(counts, members, None) for counts in self.counts[index]]
            values[members] = average_repeats(runs)[members]
        return values

    def _column(self, column: Column, side: Sequence[Counts], clusters: Codes | None) -> Column:
        values = average_repeats([self._values(counts, self.used, clusters) for counts in side])
        return Column(values, column.imputed, Behind(column.values, _fingerprints(side)))

    def _values(self, counts: Counts, members: Mask, clusters: Codes | None) -> Values:
        """The contributions of one run's examples; NaN for those that it does not count."""
        rows = np.flatnonzero(members & (counts[:, 0] >= 0))
        values = np.full(len(counts), np.nan)
        tallies = self.counting.tallies(counts[rows])
        of, labels = self.statistic.of, None if clusters is None else clusters[rows]
        values[rows] = jackknife.contributions(tallies.vectors, tallies.index, of, labels)
        return values

    @property
    def statistic(self) -> Statistic:
        return self.counting.statistic(self.name or self.recipe.headline or MEAN)

    @cached_property
    def counting(self) -> Counting:
        """Over the labels of all runs."""
        return self.recipe.counting(self._counted.labels)

    @property
    def counts(self) -> list[list[Counts]]:
        """By side and run, a row of counts for each example; empty if any run has none."""
        return self._counted.sides

    @property
    def missing(self) -> str | None:
        """The sentence that says why there are no counts."""
        return self._counted.missing

    @cached_property
    def reason(self) -> str | None:
        """Why there is no verdict, as a part of a sentence; None if there can be one."""
        return self._rare_label() if self.missing is None else self.missing[:1].lower() + self.missing[1:]

    @cached_property
    def used(self) -> Mask:
        """The examples that count: those of which every compared side has a value and counts."""
        used = self.aligned.common.copy()
        for column, side in zip(self.aligned.columns, self.counts, strict=True):
            if column is not None:
                used &= np.logical_or.reduce([counts[:, 0] >= 0 for counts in side])
        return used

    @cached_property
    def _counted(self) -> "_Counted":
        labels, sides = dict[str, None](), list[list[Counts]]()
        try:
            for side in self.aligner.judged(self.evaluator_id):
                sides.append([])
                for judged in side:
                    read = self._load(judged)
                    labels |= dict.fromkeys(read.counting.labels)
                    sides[-1].append(self._placed(judged, read.counts))
        except NoCounts as reason:
            return _Counted([], [], str(reason))
        return _Counted(sides, [*labels])

    def _load(self, judged: Judged) -> RunCounts:
        run_id = judged.scoring.run_id
        placement = self.aligner.placement(run_id)
        unanswered = self.aligner.by_slot(judged.causes == Cause.VARIANT, False)
        silent = np.asarray(placement.to_version(unanswered, False), np.bool_)
        return run_counts.load(judged.scoring, placement.positions, silent=silent)

    def _placed(self, judged: Judged, counts: Counts) -> Counts:
        """The counts of a run, rearranged to the examples of the comparison."""
        slots = self.aligner.part_of(judged.scoring.run_id, np.arange(len(counts), dtype=np.int64), -1)
        placed = np.asarray(counts[slots], np.int32)
        placed[slots < 0] = -1
        return placed

    def _rare_label(self) -> str | None:
        """No verdict where a label with few references decides as much as any other."""
        sides = [side for side in self.counts if side]
        if not sides or self.statistic.rare is None or not self.used.any():
            return None
        counts = sides[0][0]
        tallies = self.counting.tallies(counts[self.used & (counts[:, 0] >= 0)])
        fewest = self.statistic.rare(tallies.total)
        if fewest >= FEWEST_REFERENCES:
            return None
        return f"a label has {fewest:.0f} references; a verdict by {self.statistic.title} needs ten."


@dataclass(frozen=True)
class _Counted:
    """The counts of all runs by side, and their labels; `missing` says why there are none."""

    sides: list[list[Counts]]
    labels: list[str]
    missing: str | None = None


def scale_of(scale: Scale, recipe: Recipe) -> Scale:
    """The scale of the headline: that of the examples' scores, with the bounds of the statistic."""
    statistic = recipe.statistic(recipe.headline or MEAN)
    bounds = statistic.low, statistic.high
    return Scale(statistic.direction, False, *bounds, scale.margin, scale.tied_within, is_statistic=True)


def _nothing(column: Column) -> Column:
    return Column(np.full(len(column.values), np.nan))


def _fingerprints(side: Sequence[Counts]) -> Codes:
    """A number for each example, equal where the counts of all runs are equal."""
    chance = np.random.default_rng(1)
    codes = np.zeros(len(side[0]), np.int64)
    for counts in side:
        factors = chance.integers(1, 2**31, counts.shape[1])
        codes = codes * 1_000_003 + counts.astype(np.int64) @ factors
    return codes
