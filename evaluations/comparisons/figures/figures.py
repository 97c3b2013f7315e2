"""The figures of a comparison, computed from its sides: entries against the baseline, and the ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.models import Evaluator, EvaluatorVersion
from evaluations.scoring import counted
from evaluations.scoring.causes import Cause, Causes
from evaluations.scoring.columns import Slots
from evaluations.statistics.clusters import Clusters
from evaluations.statistics.noise import Noise, of_repetitions
from evaluations.statistics.online import needs_more_draws, shrunken
from evaluations.statistics.sentence_facts import (
    MIXED_VERSIONS,
    NO_COMMON_EXAMPLES,
    NO_REFERENCE,
    NO_SCORE,
    NOT_PAID,
)
from evaluations.statistics.terms import Column, Difference, without_verdict
from evaluations.statistics.wording import capitalised
from evaluations.values import Missing, Status

from .. import file_raters
from ..alignment.alignment import Aligner
from ..alignment.leftovers import Leftover
from ..alignment.sides import BASELINE, Side, Sides
from ..people import standing
from ..people.standing import Standing
from . import helped, sequences
from .entries import Entry, Ranked, Role
from .evaluators import Evaluators
from .families import AUTO, Families
from .family_figures import Measures, Pair, PrimaryFamily, Scored

Estimate = Literal["helped", "labels"]


@dataclass(frozen=True, eq=False)
class Figures:
    """Every side against the baseline; every figure is computed when it is first read.

    `cluster` names a metadata column that groups examples; "auto" detects one, "none" treats all as independent. Where
    people's labels decide, `estimate` says whether an evaluator checked against them may help. `numbered` are the
    numbers of comparisons by run, where they were read for several comparisons at once.
    """

    sides: Sides
    evaluators: Evaluators
    aligner: Aligner
    cluster: str = AUTO
    estimate: Estimate = "helped"
    numbered: Mapping[int, int] | None = None

    @property
    def primary(self) -> Evaluator:
        """The primary evaluator; raises `LookupError` if no run is scored."""
        if self.evaluators.primary is None:
            raise LookupError("no run of this comparison is scored")
        return self.evaluators.primary

    @cached_property
    def families(self) -> Families:
        return Families(self.aligner, self.primary.pk, self.evaluators.scales, self.cluster)

    @cached_property
    def primary_family(self) -> PrimaryFamily:
        """All pairs of sides; sides whose launches stop early are compared by their last looks."""
        family = self.families.primary
        if self.stops:
            return sequences.applied(family, self.stops, self.aligner.missing)
        return helped.applied(family, self.people) if self.people else family

    @cached_property
    def people(self) -> helped.People | None:
        """The labels of people as the primary evaluator, helped by another; None if nothing helps."""
        if self.evaluators.primary is None or not self.sides.others:
            return None
        is_helped = self.estimate != "labels"
        return helped.of(self.evaluators, self.aligner, self.primary, self._widening, is_helped=is_helped)

    def _widening(self) -> float:
        """By how much clusters widen the intervals of estimates from people's labels."""
        return max(1.0, self.clusters.widening) if self.clusters else 1.0

    def helped_by(
        self, evaluator: Evaluator, helper: EvaluatorVersion | None, index: int
    ) -> Difference | None:
        """A side against the baseline by labels of people that a version helps; None where it cannot.

        Without a version, by labels that are weighed by the parts of their sample.
        """
        found = helped.of(self.evaluators, self.aligner, evaluator, self._widening, helper)
        pair = found.of(BASELINE, index) if found else None
        paired = self.entry_of(evaluator, index).paired
        return helped.difference(paired, pair) if pair and (paired.verdict or helper is None) else None

    @cached_property
    def standings(self) -> dict[int, Standing]:
        """By evaluator, what stands behind its scores."""
        known = standing.of(self._versions.values())
        return {pk: known[version.pk] for pk, version in self._versions.items() if version.pk in known}

    @cached_property
    def _versions(self) -> dict[int, EvaluatorVersion]:
        """By evaluator, the version that scored the baseline, else the first side with scores."""
        return {e.pk: self.evaluators.scoring(e.pk).evaluator_version for e in self.evaluators}

    def standing_in_words(self, evaluator: Evaluator) -> str:
        is_helped = self.people is not None and evaluator == self.evaluators.primary
        helper = self.people.helper_name if self.people and is_helped else ""
        version = self._versions[evaluator.pk]
        said = standing.in_words(self.standings.get(evaluator.pk), version, helper)
        raters = "" if said else file_raters.of(self.sides.experiment, version)
        return f"{raters}, from the file" if raters else said

    def source_in_words(self, evaluator: Evaluator) -> str:
        """Who gave the scores, for a table of its own: also "the file" of scores that came with the outputs."""
        is_of_file = file_raters.is_of_file(self._versions[evaluator.pk])
        return self.standing_in_words(evaluator) or ("the file" if is_of_file else "computed by Evalsite")

    @cached_property
    def stops(self) -> list[sequences.Stop]:
        """The last interim look at each side whose launch stops early."""
        primary = self.evaluators.primary
        return sequences.stops(self.sides, primary.pk) if primary and not self.aligner.example_filter else []

    def within(self, column: str, value: str) -> "Figures":
        """The figures of the examples with this metadata value, as on the filtered page."""
        example_filter = self.aligner.example_filter
        other_conditions = [pair for pair in example_filter.metadata if pair[0] != column]
        conditions = (*other_conditions, (column, value))
        aligner = replace(self.aligner, example_filter=replace(example_filter, metadata=conditions))
        return replace(self, aligner=aligner)

    @cached_property
    def other_missing(self) -> "Figures":
        """The figures with the other treatment of unanswered examples."""
        opposite: Missing = "exclude" if self.aligner.missing == "worst" else "worst"
        return replace(self, aligner=replace(self.aligner, missing=opposite))

    @property
    def depends_on_missing(self) -> bool:
        """Whether the ranking depends on the treatment of unanswered examples."""
        if not self.has_unanswered or self.stops:
            return False
        ranks = {ranked.side.run.pk: ranked.rank for ranked in self.ranking}
        self.families.read.forget()  # so that the columns of both treatments are not in memory at once
        return ranks != self.other_missing.ranks

    @property
    def ranks(self) -> dict[int, tuple[int, int]]:
        """The possible ranks by run, without the figures of a ranking."""
        if self.people:
            return {ranked.side.run.pk: ranked.rank for ranked in self.ranking}
        found = self.families.ranks if self.evaluators else None
        self.families.read.forget()
        if found is None or self._no_ranking(found.ranked, found.scored):
            return {}
        return {self.sides[i].run.pk: rank for i, rank in zip(found.ranked, found.ranks, strict=True)}

    # ---- entries -------------------------------------------------------------------------------------------

    @cached_property
    def entries(self) -> list[Entry]:
        """One entry for each evaluator and side other than the baseline."""
        return [entry for evaluator in self.evaluators for entry in self.entries_of(evaluator)]

    def entry(self, run_id: int, evaluator_id: int) -> Entry:
        return next(e for e in self.entries if (e.run.pk, e.evaluator.pk) == (run_id, evaluator_id))

    @property
    def numbered_entries(self) -> list[Entry]:
        """The entries, each with the number of its comparison."""
        return [self._numbered(entry) for entry in self.entries]

    def _numbered(self, entry: Entry) -> Entry:
        number, most = self.comparisons_made.get(entry.run.pk), self.sides.dataset.most_comparisons
        numbered = replace(entry, comparisons_made=number, most_comparisons=most)
        if entry.role == "secondary" or not needs_more_draws(entry.paired.p_corrected, number, most):
            return numbered
        return replace(numbered, fine_p=self.fine_p(BASELINE, self.sides.every.index(entry.side)))

    def fine_p(self, baseline: int, side: int) -> float | None:
        """The corrected p of a pair by the primary evaluator, from many draws; None where it has no more exact one."""
        pair = self.primary_family.against(baseline, side).comparison
        is_drawn = pair is not None and pair.method is not None and pair.method.startswith("flips")
        return self.families.fine_p.get((baseline, side)) if is_drawn else None

    @cached_property
    def comparisons_made(self) -> Mapping[int, int]:
        """By run, the number of its comparison among all ever made on the dataset."""
        if self.numbered is not None:
            return self.numbered
        return counted.numbers(self.sides.dataset.pk)

    def entries_of(self, evaluator: Evaluator) -> list[Entry]:
        """The entries of one evaluator, computed without those of the others."""
        if evaluator.pk not in self._entries:
            self._entries[evaluator.pk] = [
                self.entry_of(evaluator, index) for index in range(BASELINE + 1, len(self.sides))
            ]
        return self._entries[evaluator.pk]

    @cached_property
    def _entries(self) -> dict[int, list[Entry]]:
        return {}

    def entry_of(self, evaluator: Evaluator, index: int) -> Entry:
        """One side against the baseline; without a verdict if a verdict would mislead."""
        entry = self.tested(evaluator, index)
        if entry.role == "primary" or not self._is_judge_beside_people(evaluator):
            return entry
        return replace(entry, paired=standing.alone(entry.paired, entry.standing))

    def _is_judge_beside_people(self, evaluator: Evaluator) -> bool:
        return standing.is_judge(self._versions[evaluator.pk]) and standing.speak(self._versions.values())

    def tested(self, evaluator: Evaluator, index: int) -> Entry:
        """Like `entry_of`, but a judge has the verdict of its own scores also beside people's labels."""
        pair = self._pair(evaluator, index)
        paired = pair.comparison or Difference(
            self.evaluators.direction(evaluator.pk), reason=capitalised(NO_COMMON_EXAMPLES)
        )
        reason = self.no_verdict(evaluator, [self.sides.baseline, self.sides[index]])
        role: Role = "primary" if evaluator == self.evaluators.primary else "secondary"
        side, paired = self.sides[index], without_verdict(paired, capitalised(reason)) if reason else paired
        few_groups = None if reason else pair.few_groups
        statistic = self.evaluators.headline(evaluator.pk)
        known = self.standings.get(evaluator.pk)
        entry = Entry(
            side, evaluator, role, paired, pair.leftover, few_groups, statistic=statistic, standing=known
        )
        if role == "secondary" or not (self.people and (one := self.people.of(BASELINE, index))):
            return entry
        return replace(entry, helped=one.helped, helper=self.people.helper)

    def _pair(self, evaluator: Evaluator, index: int) -> Pair:
        families = self.families
        if evaluator == self.primary:
            return self.primary_family.against(BASELINE, index)
        row = families.secondary.by_evaluator[evaluator.pk]
        return Pair(BASELINE, index, row.comparisons[index], row.leftovers[index] or Leftover())

    def no_verdict(self, evaluator: Evaluator, compared: Sequence[Side]) -> str | None:
        """The reason why an evaluator gives these sides no verdict; None if it gives one."""
        return self._no_verdict(evaluator, compared, self.scored(evaluator))

    def _no_verdict(self, evaluator: Evaluator, compared: Sequence[Side], scored: Scored) -> str | None:
        version = self._versions[evaluator.pk]
        if standing.is_for_reading(version):
            return standing.FOR_READING
        is_weighed = evaluator == self.primary and self.people is not None
        if standing.is_weighted(version) and not is_weighed:
            return standing.WEIGHTED
        versions = set().union(*(side.versions(evaluator.pk) for side in compared))
        if len(versions - {None}) > 1:
            return MIXED_VERSIONS
        if any(side.is_partly_embedded(evaluator.pk) for side in compared):
            return NOT_PAID
        if scored.no_verdict is not None:
            return scored.no_verdict
        tallies = [scored.tallies[self._places[id(side)]] for side in compared]
        if all(tally is None or tally.scored for tally in tallies):
            return None
        if any(tally is None or tally.scored for tally in tallies):
            sides = zip(compared, tallies, strict=True)
            silent = [self.sides.label(side.run) for side, tally in sides if tally and not tally.is_compared]
            return f"no output of {' and '.join(silent)} has a score." if silent else None
        if tallies and all(tally and tally.is_worst and not tally.failed for tally in tallies):
            # as the line about unread answers says it, which here is the whole reason
            told = self.evaluators.unread_as(evaluator.pk)
            return f"{told[:1].lower()}{told[1:]} any answer."
        without_reference = any(tally and tally.no_reference for tally in tallies)
        return (
            NO_REFERENCE if without_reference and not self.evaluators.is_outside(evaluator.pk) else NO_SCORE
        )

    @cached_property
    def _places(self) -> dict[int, int]:
        """The index of each side by its identity."""
        return {id(side): index for index, side in enumerate(self.sides)}

    def scored(self, evaluator: Evaluator) -> Scored:
        """How many examples of each side an evaluator scored, and why others have no score."""
        if evaluator == self.primary:
            return self.families.primary.scored
        return self.families.secondary.by_evaluator[evaluator.pk].scored

    @cached_property
    def ranking(self) -> list[Ranked]:
        """The sides by the primary evaluator, best first; empty if it gives no verdict."""
        if not self.evaluators or self.no_ranking:
            return []
        family = self.primary_family
        ranking = family.ranking
        expected = shrunken(family.means, list(family.ranked_pairs.comparisons.values()))
        return [
            Ranked(
                side=self.sides[family.ranked[index]],
                mean=family.means[index],
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
        if self.stops and self.aligner.missing == "exclude":
            return sequences.EXCLUDED
        return self._no_ranking(self.families.primary.ranked, self.scored(self.primary))

    def _no_ranking(self, ranked: Sequence[int], scored: Scored) -> str | None:
        if len(ranked) > 1 or not self.sides.others:
            return self._no_verdict(self.primary, [self.sides[index] for index in ranked], scored)
        return self._no_verdict(self.primary, self.sides.every, scored)

    @property
    def unranked(self) -> list[Side]:
        """The sides without any score by the primary evaluator."""
        ranked = self.families.primary.ranked if self.evaluators else []
        return [side for index, side in enumerate(self.sides) if index not in ranked]

    @property
    def quality(self) -> list[float | None]:
        """The mean of every side by the primary evaluator, over the examples that all ranked sides have."""
        family = self.primary_family
        means = dict(zip(family.ranked, family.means, strict=True))
        return [means.get(index) for index in range(len(self.sides))]

    def means(self, evaluator: Evaluator) -> list[float | None]:
        """The mean of every side over the pairs of its entry.

        The baseline's is over its own scores if the pairs differ from entry to entry, and so are those of sides
        without a pair, and of all where no example was asked of all sides.
        """
        return [mean for mean, _ in self.means_over(evaluator)]

    def means_over(self, evaluator: Evaluator) -> list[tuple[float | None, int]]:
        """The `means`, each with the number of examples that it is over."""
        if self.families.primary.is_apart:
            return self._own_means(evaluator)
        paired = [entry.paired for entry in self.entries_of(evaluator)]
        baselines = {(one.baseline_mean, one.n) for one in paired if one.baseline_mean is not None}
        baseline = baselines.pop() if len(baselines) == 1 else (None, 0)
        over_pairs = [baseline, *((one.mean, one.n) for one in paired)]
        return [
            own if over[0] is None else over
            for own, over in zip(self._own_means(evaluator), over_pairs, strict=True)
        ]

    def unread(self, evaluator: Evaluator) -> list[int]:
        """By side, on how many answered examples the evaluator found nothing to score, which count as worst.

        A run's own page leaves them out of its mean, so whoever shows the mean of a comparison says how many these are.
        """
        if self.aligner.missing != "worst":
            return [0] * len(self.sides)
        unanswered = (
            size - answered
            for size, answered in zip(self.measures.examples, self.measures.answered, strict=True)
        )
        return [
            max(0, tally.unanswered - without) if tally else 0
            for tally, without in zip(self.scored(evaluator).tallies, unanswered, strict=True)
        ]

    def _own_means(self, evaluator: Evaluator) -> list[tuple[float | None, int]]:
        """The mean of every side over its own examples, and how many these are."""
        scored, counts_missing = self.scored(evaluator), self.aligner.missing == "worst"
        sizes = [tally.scored + tally.unanswered * counts_missing if tally else 0 for tally in scored.tallies]
        return [*zip(scored.means, sizes, strict=True)]

    def noise(self, evaluator: Evaluator, index: int) -> Noise | None:
        """How much of a side's interval comes from repeated answers; None without several runs of a variant."""
        if not (self.sides.baseline.is_averaged or self.sides[index].is_averaged):
            return None
        judged = self.aligner.judged(evaluator.pk)
        baseline, variant = ([run.scored_values() for run in judged[side]] for side in (BASELINE, index))
        return of_repetitions(baseline, variant) if baseline and variant else None

    @property
    def measures(self) -> Measures:
        return self.families.measures

    @property
    def size(self) -> int:
        """How many examples count: those that any side was asked and that match `example_filter`."""
        return self.aligner.size if self.evaluators else 0

    @property
    def full_size(self) -> int:
        """The number of examples that would count without `example_filter`."""
        return self.aligner.full_size if self.evaluators else 0

    @property
    def clusters(self) -> Clusters | None:
        """The clusters that intervals allow for."""
        return self.families.primary.clusters if self.evaluators else None

    @property
    def has_unanswered(self) -> bool:
        """Whether the treatment of missing outputs affects the primary evaluator."""
        tallies = self.scored(self.primary).tallies if self.evaluators else []
        return any(tally and tally.unanswered for tally in tallies)

    def columns(self, evaluator_id: int) -> list[Slots]:
        """For every side, the scores that count, with a slot for each position; absent if the example was not asked."""
        aligned = self.families.read.aligned(evaluator_id)
        if evaluator_id == self.primary.pk:
            aligned = aligned.with_common_only()
        return [self._slots(*side) for side in zip(aligned.columns, aligned.causes, strict=True)]

    def as_worst(self, evaluator_id: int) -> list[NDArray[np.bool_]]:
        """For every side, the slots without a score of its own, which may count as worst."""
        causes = self.families.read.aligned(evaluator_id).causes
        none = long_arrays.filled(len(self.aligner.positions), False, np.bool_)
        return [
            none if of_side is None else self.aligner.by_slot(of_side, Cause.NOT_ASKED) == Cause.VARIANT
            for of_side in causes
        ]

    def _slots(self, column: Column | None, causes: Causes | None) -> Slots:
        aligner = self.aligner
        size = len(aligner.positions)
        values = (
            long_arrays.filled(size, np.nan, np.float64)
            if column is None
            else aligner.by_slot(column.values, np.nan)
        )
        status = long_arrays.filled(size, Status.ABSENT, np.uint8)
        if causes is not None:
            by_slot = aligner.by_slot(causes, Cause.NOT_ASKED)
            for part in long_arrays.parts(size):
                status[part][by_slot[part] != Cause.NOT_ASKED] = Status.SCORED
        return Slots(values, long_arrays.filled(size, -1, np.int8), status)
