"""The contributions of examples to a headline that is a run statistic (statistics/jackknife.py).

The mean of a side's contributions is its statistic, so families, ranks and intervals work as for means. Compared are
the examples that every side has; an unanswered one has the counts of an empty answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    """Computes the columns of all sides by one evaluator; `aligned` has the scores of the single examples."""

    aligner: Aligner
    evaluator_id: int
    recipe: Recipe
    aligned: Aligned
    reason: str | None = field(default=None, init=False)

    def columns(self, clusters: Codes | None = None) -> list[Column | None]:
        """By side, what each example contributes; by whole clusters if there are any. `reason` says why there is no
        verdict."""
        if not self._counts:
            return [None if column is None else _nothing(column) for column in self.aligned.columns]
        return [
            None if column is None else self._column(column, side, clusters)
            for column, side in zip(self.aligned.columns, self._counts, strict=True)
        ]

    def within(self, index: int, codes: NDArray[np.signedinteger]) -> Values:
        """The contributions of a side's examples to the statistic of their own subset; NaN outside of any."""
        values = np.full(len(codes), np.nan)
        for code in np.unique(codes[codes >= 0]).tolist():
            members = self._used & (codes == code)
            runs = [self._values(counts, members, None) for counts in self._counts[index]]
            values[members] = average_repeats(runs)[members]
        return values

    def _column(self, column: Column, side: Sequence[Counts], clusters: Codes | None) -> Column:
        values = average_repeats([self._values(counts, self._used, clusters) for counts in side])
        return Column(values, column.imputed, Behind(column.values, _fingerprints(side)))

    def _values(self, counts: Counts, members: Mask, clusters: Codes | None) -> Values:
        """The contributions of one run's examples; NaN for those that it does not count."""
        rows = np.flatnonzero(members & (counts[:, 0] >= 0))
        values = np.full(len(counts), np.nan)
        tallies = self._counting.tallies(counts[rows])
        of, labels = self._statistic.of, None if clusters is None else clusters[rows]
        values[rows] = jackknife.contributions(tallies.vectors, tallies.index, of, labels)
        return values

    @property
    def _statistic(self) -> Statistic:
        assert self.recipe.headline is not None
        return self._counting.statistic(self.recipe.headline)

    @cached_property
    def _counting(self) -> Counting:
        """Over the labels of all runs."""
        labels = dict.fromkeys(label for read in self._read.values() for label in read.counting.labels)
        return self.recipe.counting([*labels])

    @cached_property
    def _read(self) -> dict[int, RunCounts]:
        """The counts by scoring."""
        return {
            judged.scoring.pk: self._load(judged)
            for side in self.aligner.judged(self.evaluator_id)
            for judged in side
        }

    def _load(self, judged: Judged) -> RunCounts:
        run_id = judged.scoring.run_id
        placement = self.aligner.placement(run_id)
        unanswered = self.aligner.by_slot(judged.causes == Cause.VARIANT, False)
        silent = np.asarray(placement.to_version(unanswered, False), np.bool_)
        return run_counts.load(judged.scoring, placement.positions, silent=silent)

    @cached_property
    def _counts(self) -> list[list[Counts]]:
        """By side and run, a row of counts for each example; empty if any run has none."""
        try:
            sides = [
                [self._placed(judged) for judged in side] for side in self.aligner.judged(self.evaluator_id)
            ]
        except NoCounts as reason:
            self.reason = _sentence(str(reason))
            return []
        self._used = self.aligned.common.copy()
        for column, side in zip(self.aligned.columns, sides, strict=True):
            if column is not None:
                self._used &= np.logical_or.reduce([counts[:, 0] >= 0 for counts in side])
        self._check_rare([side for side in sides if side])
        return sides

    def _placed(self, judged: Judged) -> Counts:
        counts = self._read[judged.scoring.pk].counts
        run_id = judged.scoring.run_id
        slots = self.aligner.part_of(run_id, np.arange(len(counts), dtype=np.int64), -1)
        placed = np.asarray(counts[slots], np.int32)
        placed[slots < 0] = -1
        return placed

    def _check_rare(self, sides: Sequence[Sequence[Counts]]) -> None:
        """No verdict where a label with few references decides as much as any other."""
        if self._statistic.rare is None or not sides or not self._used.any():
            return
        counts = sides[0][0]
        tallies = self._counting.tallies(counts[self._used & (counts[:, 0] >= 0)])
        fewest = self._statistic.rare(tallies.total)
        if fewest < FEWEST_REFERENCES:
            title = self._statistic.title
            self.reason = f"a label has {fewest:.0f} references; a verdict by {title} needs ten."


def scale_of(scale: Scale, recipe: Recipe) -> Scale:
    """The scale of the headline: that of the examples' scores, with the bounds of the statistic."""
    statistic = recipe.statistic(recipe.headline or MEAN)
    return Scale(statistic.direction, False, statistic.low, statistic.high, scale.margin, is_statistic=True)


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


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:]
