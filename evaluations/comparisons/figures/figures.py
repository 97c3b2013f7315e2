"""The figures of a comparison: entries against the baseline, the ranking, and examples without a score."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from evaluations.datasets.counterparts import Counterparts, Version
from evaluations.datasets.live_positions import Positions
from evaluations.models import Evaluator, Run
from evaluations.scoring.causes import Cause, Causes
from evaluations.scoring.columns import Slots
from evaluations.statistics.clusters import Clusters
from evaluations.statistics.noise import Noise, of_repetitions
from evaluations.statistics.online import shrunken
from evaluations.statistics.sentence_facts import (
    MIXED_VERSIONS,
    NO_COMMON_EXAMPLES,
    NO_REFERENCE,
    NO_SCORE,
)
from evaluations.statistics.sentences import Part
from evaluations.statistics.terms import Column, Difference, without_verdict
from evaluations.statistics.wording import capitalised, joined
from evaluations.values import Status

from ..alignment.alignment import Aligner
from ..alignment.leftovers import Leftover
from ..alignment.placement import Placement
from ..alignment.sides import Side
from . import sequences
from .basis import Basis
from .entries import Entry, Ranked, Role
from .families import Families
from .family_figures import Measures, Pair, Primary, Scored


class ComparisonFigures(Basis):
    """Runs against a baseline; every figure is computed when it is first read."""

    @cached_property
    def stops(self) -> list[sequences.Stop]:
        """The last interim look at each side whose launch stops early."""
        return (
            sequences.stops(self.sides, self.primary.pk) if self.primary and not self.example_filter else []
        )

    @cached_property
    def _primary(self) -> Primary:
        """All pairs of sides; sides whose launches stop early are compared by their last looks."""
        primary = self.families.primary
        return sequences.applied(primary, self.stops, self.missing) if self.stops else primary

    @cached_property
    def stopped(self) -> list[Part]:
        """Which variants stopped early, and whether the intervals allow for that."""
        looked = [(self.label(self.sides[s.side].run), s) for s in self.stops if s.is_early]
        unlooked = [
            (self.label(side.run), *counts) for side, counts in sequences.unlooked(self.sides, self.stops)
        ]
        return joined([sequences.sentence(looked), sequences.sentence_without_looks(unlooked)])

    @cached_property
    def families(self) -> Families:
        """The families of this comparison; needs a primary evaluator."""
        assert self.primary is not None
        aligner = Aligner(self.dataset, self.sides, self.missing, self.example_filter)
        return Families(aligner, self.dataset, 0, self.primary.pk, self._scales, self.cluster)

    def within(self, column: str, value: str) -> Self:
        """The comparison restricted to the examples with this metadata value, as on the filtered page."""
        other_conditions = [pair for pair in self.example_filter.metadata if pair[0] != column]
        return type(self)(
            self.runs,
            self.baseline.run,
            self._scorings,
            cluster=self.cluster,
            repeats=self.repeats,
            missing=self.missing,
            example_filter=replace(self.example_filter, metadata=(*other_conditions, (column, value))),
        )

    @cached_property
    def entries(self) -> list[Entry]:
        """One entry for each evaluator and side other than the baseline."""
        return [entry for evaluator in self.evaluators for entry in self.entries_of(evaluator)]

    def entry(self, run_id: int, evaluator_id: int) -> Entry:
        return next(e for e in self.entries if (e.run.pk, e.evaluator.pk) == (run_id, evaluator_id))

    def entries_of(self, evaluator: Evaluator) -> list[Entry]:
        """The entries of one evaluator, computed without those of the others."""
        if evaluator.pk not in self._entries:
            self._entries[evaluator.pk] = [
                self.entry_of(evaluator, index) for index in range(1, len(self.sides))
            ]
        return self._entries[evaluator.pk]

    @cached_property
    def _entries(self) -> dict[int, list[Entry]]:
        return {}

    def entry_of(self, evaluator: Evaluator, index: int) -> Entry:
        """One side against the baseline; without a verdict if a verdict would mislead."""
        pair = self._pair(evaluator, index)
        paired = pair.comparison or Difference(
            self.direction(evaluator.pk), reason=capitalised(NO_COMMON_EXAMPLES)
        )
        reason = self.no_verdict(evaluator, [self.baseline, self.sides[index]])
        role: Role = "primary" if evaluator == self.primary else "secondary"
        side, paired = self.sides[index], without_verdict(paired, capitalised(reason)) if reason else paired
        return Entry(side, evaluator, role, paired, pair.leftover, None if reason else pair.few_groups)

    def _pair(self, evaluator: Evaluator, index: int) -> Pair:
        families = self.families
        if evaluator == self.primary:
            return self._primary.against(0, index)
        row = families.secondary.by_evaluator[evaluator.pk]
        return Pair(0, index, row.comparisons[index], row.leftovers[index] or Leftover())

    def no_verdict(self, evaluator: Evaluator, compared: Sequence[Side]) -> str | None:
        """The reason why an evaluator gives these sides no verdict; None if it gives one."""
        versions = set().union(*(side.versions(evaluator.pk) for side in compared))
        if len(versions - {None}) > 1:
            return MIXED_VERSIONS
        by_side = dict(zip(map(id, self.sides), self.scored(evaluator).tallies, strict=True))
        tallies = [by_side[id(side)] for side in compared]
        silent = [side for side, tally in zip(compared, tallies, strict=True) if tally and not tally.scored]
        if not silent:
            return None
        if len(silent) < len(compared):
            names = " and ".join(self.label(side.run) for side in silent)
            return f"no output of {names} has a score."
        without_reference = any(tally and tally.no_reference for tally in tallies)
        return NO_REFERENCE if without_reference and not self.is_outside(evaluator.pk) else NO_SCORE

    def scored(self, evaluator: Evaluator) -> Scored:
        """How many examples of each side an evaluator scored, and why others have no score."""
        if evaluator == self.primary:
            return self.families.primary.scored
        return self.families.secondary.by_evaluator[evaluator.pk].scored

    @cached_property
    def ranking(self) -> list[Ranked]:
        """The sides by the primary evaluator, best first; empty if it gives no verdict."""
        if self.primary is None or self.no_ranking:
            return []
        primary = self._primary
        ranking = primary.ranking
        expected = shrunken(primary.means, list(primary.all.comparisons.values()))
        return [
            Ranked(
                side=self.sides[primary.ranked[index]],
                mean=primary.means[index],
                rank=ranking.ranks[index],
                group=ranking.letters[index],
                lead=ranking.lead_over_next(index),
                shrunken=expected[index],
            )
            for index in ranking.order
        ]

    @cached_property
    def no_ranking(self) -> str | None:
        """The reason why the primary evaluator gives no verdict; None if it gives one."""
        assert self.primary is not None
        if self.stops and self.missing == "exclude":
            return sequences.EXCLUDED
        ranked = [self.sides[index] for index in self.families.primary.ranked]
        if len(ranked) > 1 or not self.other_sides:
            return self.no_verdict(self.primary, ranked)
        return self.no_verdict(self.primary, self.sides)

    @property
    def unranked(self) -> list[Side]:
        """The sides without any score by the primary evaluator."""
        ranked = self.families.primary.ranked if self.primary else []
        return [side for index, side in enumerate(self.sides) if index not in ranked]

    @property
    def family(self) -> Primary:
        """All pairs of sides by the primary evaluator."""
        return self._primary

    @property
    def quality(self) -> list[float | None]:
        """The mean of every side by the primary evaluator, over the examples that all ranked sides have."""
        primary = self._primary
        means = dict(zip(primary.ranked, primary.means, strict=True))
        return [means.get(index) for index in range(len(self.sides))]

    def means(self, evaluator: Evaluator) -> list[float | None]:
        """The mean of every side over the pairs of its entry.

        The baseline's is over its own scores if the pairs differ from entry to entry, and so are those of sides
        without a pair.
        """
        paired = [entry.paired for entry in self.entries_of(evaluator)]
        baselines = {difference.baseline_mean for difference in paired} - {None}
        baseline = baselines.pop() if len(baselines) == 1 else None
        over_pairs = [baseline, *(difference.mean for difference in paired)]
        means = self.scored(evaluator).means
        return [mean if over is None else over for mean, over in zip(means, over_pairs, strict=True)]

    def noise(self, evaluator: Evaluator, index: int) -> Noise | None:
        """How much of a side's interval comes from repeated answers; None without several runs of a variant."""
        if not (self.baseline.is_averaged or self.sides[index].is_averaged):
            return None
        judged = self.families.aligner.judged(evaluator.pk)
        baseline, variant = (
            [np.where(run.causes == Cause.SCORED, run.values, np.nan) for run in judged[side]]
            for side in (0, index)
        )
        return of_repetitions(baseline, variant) if baseline and variant else None

    @property
    def measures(self) -> Measures:
        return self.families.measures

    @property
    def size(self) -> int:
        """How many examples count: those that any side was asked and that match `example_filter`."""
        return self.families.aligner.size if self.primary else 0

    @property
    def full_size(self) -> int:
        """The number of examples that would count without `example_filter`."""
        return self.families.aligner.full_size if self.primary else 0

    @property
    def clusters(self) -> Clusters | None:
        """The clusters that intervals allow for."""
        return self.families.primary.clusters if self.primary else None

    @property
    def has_unanswered(self) -> bool:
        """Whether the treatment of missing outputs affects the primary evaluator."""
        return (
            any(tally and tally.unanswered for tally in self.scored(self.primary).tallies)
            if self.primary
            else False
        )

    def columns(self, evaluator_id: int) -> list[Slots]:
        """For every side, the scores that count, with a slot for each position; absent if the example was not asked."""
        families = self.families
        aligned = families.aligned(evaluator_id)
        if self.primary and evaluator_id == self.primary.pk:
            aligned = aligned.with_common_only()
        return [self._slots(*side) for side in zip(aligned.columns, aligned.causes, strict=True)]

    @property
    def edited(self) -> int:
        """How many examples were edited between the versions of the baseline and of another run of its dataset."""
        aligner = self.families.aligner
        at_home = [run.pk for run in self.runs if not aligner.is_other(run.pk)]
        return max(len(aligner.placement(pk).moved[0]) for pk in at_home)

    @property
    def matched_datasets(self) -> dict[Version, Counterparts]:
        """How examples of other datasets were matched with the baseline's; empty before any run is scored."""
        return self.families.aligner.matched_datasets if self.primary else {}

    @property
    def positions(self) -> Positions:
        """The positions of the comparison, one for each slot of its columns."""
        return self.families.aligner.positions

    def placement(self, run: Run) -> Placement:
        """The placement of a run's examples in the comparison."""
        return self.families.aligner.placement(run.pk)

    def is_of_other_dataset(self, run: Run) -> bool:
        return self.families.aligner.is_other(run.pk)

    def _slots(self, column: Column | None, causes: Causes | None) -> Slots:
        slots, aligner = Slots.absent(len(self.positions)), self.families.aligner
        if causes is not None:
            included = aligner.by_slot(causes, Cause.NOT_ASKED) != Cause.NOT_ASKED
            slots.status[included] = Status.SCORED
        if column is not None:
            slots.values[aligner.rows] = column.values
        return slots
