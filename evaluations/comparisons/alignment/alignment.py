"""Aligns the sides of a comparison: matches their examples, and loads one evaluator's scores slot by slot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets import counterparts, identities, live_positions
from evaluations.datasets.counterparts import Counterparts, Version
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.labelling import seal
from evaluations.models import Dataset, Output, Run, Scoring
from evaluations.scoring import causes, column_cache, columns, coverage
from evaluations.scoring.causes import Cause, Causes, Mask
from evaluations.scoring.columns import Slots
from evaluations.statistics.missing import bound, worst_values
from evaluations.statistics.terms import Column, Scale
from evaluations.values import Missing, Status

from ..grouping.example_filter import ALL_EXAMPLES, ExampleFilter
from . import silence
from .aligned import Aligned, Judged, Tally, Worst, column_of
from .placement import Placement
from .sealed import Sealed
from .sides import Sides


@dataclass
class Aligner:
    """Loads the scores of sides, evaluator by evaluator, for the examples in `example_filter`."""

    sides: Sides
    missing: Missing
    example_filter: ExampleFilter = ALL_EXAMPLES
    _recipes: dict[int, Recipe] = field(default_factory=dict)
    _placements: dict[Version, Placement] = field(default_factory=dict)

    @property
    def dataset(self) -> Dataset:
        return self.sides.dataset

    @property
    def variants(self) -> list[str]:
        """The names of the sides' variants."""
        return [side.run.variant for side in self.sides]

    # ---- examples ------------------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> Positions:
        """The positions of the baseline's version, then the first positions of further examples: one slot each."""
        numbers = sorted({number for dataset, number in self._versions.values() if dataset == self.dataset})
        of_versions = [live_positions.of_version(self.dataset, number) for number in numbers]
        if len(of_versions) == 1 or all(version.is_whole for version in of_versions):
            return max(of_versions, key=len)
        positions_by_version = [
            identities.in_version(self.dataset, number, self.version[1]) for number in numbers
        ]
        return Positions.from_array(np.unique(np.concatenate(positions_by_version)))

    @cached_property
    def rows(self) -> slice | Mask:
        """The slots of the examples that count; a slice if all do, so that nothing is copied."""
        if not self.example_filter:
            return self._all_rows
        rows = np.zeros(len(self.positions), np.bool_)
        rows[self._all_rows] = True
        return rows & self.example_filter.mask(self.dataset, self.version[1], self.positions)

    @cached_property
    def _all_rows(self) -> slice | Mask:
        """The slots of the examples that any side was asked."""
        whole = {self._versions[run.pk] for run in self._runs if run.asked_rows is None}
        if whole.issuperset(version for version in self._versions.values() if version[0] == self.dataset):
            return slice(len(self.positions))
        rows = np.zeros(len(self.positions), np.bool_)
        for run in self._differently_asked():
            placement = self.placement(run.pk)
            rows |= placement.to_shared(coverage.is_asked(run, placement.positions.every), False)
        return rows

    def _differently_asked(self) -> Iterable[Run]:
        """One run for each distinct set of asked examples."""
        return {(self._versions[run.pk], bytes(run.asked_rows or b"")): run for run in self._runs}.values()

    @property
    def _runs(self) -> Sequence[Run]:
        return self.sides.runs

    @cached_property
    def _versions(self) -> dict[int, Version]:
        """The dataset and the version of each run."""
        return {run.pk: (self._dataset_of(run), run.experiment.dataset_version) for run in self._runs}

    def _dataset_of(self, run: Run) -> Dataset:
        return self.dataset if run.experiment.dataset_id == self.dataset.pk else run.experiment.dataset

    @property
    def version(self) -> Version:
        """The baseline's dataset and version, by whose positions the comparison is aligned."""
        return self._versions[self.sides.baseline.run.pk]

    @cached_property
    def matched_datasets(self) -> dict[Version, Counterparts]:
        """How examples of other datasets were matched with the baseline's."""
        versions = dict.fromkeys(version for version in self._versions.values() if version[0] != self.dataset)
        return {version: counterparts.between(version, self.version) for version in versions}

    @cached_property
    def is_one_version(self) -> bool:
        """Whether all runs are of one version, so that no baseline changes the examples."""
        return len({*self._versions.values()}) == 1

    def is_other(self, run_id: int) -> bool:
        """Whether a run belongs to another dataset than the baseline."""
        return self._versions[run_id][0] != self.dataset

    @property
    def edited(self) -> int:
        """How many examples were edited between the versions of the baseline and of another run of its dataset."""
        at_home = [run.pk for run in self._runs if not self.is_other(run.pk)]
        return max(len(self.placement(pk).moved[0]) for pk in at_home)

    @cached_property
    def length(self) -> int:
        """The number of slots of the longest column."""
        return max(len(live_positions.of_version(*version)) for version in set(self._versions.values()))

    def placement(self, run_id: int) -> Placement:
        """The placement of a run's dataset version among the examples of the comparison."""
        version = self._versions[run_id]
        if version not in self._placements:
            self._placements[version] = self._placed(version)
        return self._placements[version]

    def _placed(self, version: Version) -> Placement:
        version_positions, shared = live_positions.of_version(*version), self.positions
        if matched := self.matched_datasets.get(version):
            return Placement(
                version_positions,
                shared,
                version_positions.slots(matched.positions),
                shared.slots(matched.other_positions),
            )
        if version_positions.key == shared.key or (version_positions.is_whole and shared.is_whole):
            return Placement.unmoved(version_positions, shared)
        positions = identities.in_version(self.dataset, version[1], self.version[1])
        return Placement(version_positions, shared, slice(None), shared.slots(positions))

    @cached_property
    def size(self) -> int:
        """The number of examples that count."""
        return len(self.part(np.empty(len(self.positions), np.bool_)))

    @cached_property
    def full_size(self) -> int:
        """The number of examples that would count without `example_filter`."""
        return len(np.empty(len(self.positions), np.bool_)[self._all_rows])

    def part(self, slots: NDArray[Any]) -> NDArray[Any]:
        """The values at `rows`, out of an array with a slot for each position."""
        return slots[self.rows]

    def part_of(self, run_id: int, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """Like `part`, for an array with a slot for each position of a run; `nothing` for examples it lacks."""
        return self.part(self.placement(run_id).to_shared(slots, nothing))

    def by_slot(self, rows: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """The inverse of `part`: an array with a slot for each position, `nothing` for those outside `rows`.

        The very same array if all count, because copies of long columns take much memory.
        """
        if isinstance(self.rows, slice):
            return rows
        slots = long_arrays.filled(len(self.positions), nothing, rows.dtype.type)
        slots[self.rows] = rows
        return slots

    # ---- scores --------------------------------------------------------------------------------------------

    def warm(self, evaluators: Iterable[int]) -> None:
        """Load the columns of several evaluators, with one query per dataset version, if the cache can hold all."""
        scorings = [scoring for pk in evaluators for scoring in self.scorings(pk)]
        if column_cache.fits(len(scorings), self.length):
            for positions, scorings_of_version in self._by_version(scorings):
                column_cache.warm(scorings_of_version, positions)

    def slots(self, scorings: Iterable[Scoring]) -> dict[int, Slots]:
        """The columns of scorings by id, each with a slot for each position of its own run."""
        columns_by_id: dict[int, Slots] = {}
        for positions, scorings_of_version in self._by_version(scorings):
            columns_by_id |= column_cache.load(scorings_of_version, positions)
        return columns_by_id

    def _by_version(self, scorings: Iterable[Scoring]) -> Iterable[tuple[Positions, list[Scoring]]]:
        by_version: dict[Version, list[Scoring]] = {}
        for scoring in scorings:
            by_version.setdefault(self._versions[scoring.run_id], []).append(scoring)
        return [
            (live_positions.of_version(*version), scorings_of_version)
            for version, scorings_of_version in by_version.items()
        ]

    def stamps(self, evaluator_id: int) -> list[list[Any]]:
        """By side, the stamps of its scorings, which the keys of all figures repeat."""
        if evaluator_id not in self._stamps:
            self._stamps[evaluator_id] = [
                [scoring.stamp for scoring in side.scorings.get(evaluator_id, [])] for side in self.sides
            ]
        return self._stamps[evaluator_id]

    @cached_property
    def _stamps(self) -> dict[int, list[list[Any]]]:
        return {}

    def scorings(self, evaluator_id: int) -> list[Scoring]:
        return [scoring for side in self.sides for scoring in side.scorings.get(evaluator_id, [])]

    def aligned(self, evaluator_id: int, scale: Scale) -> Aligned:
        """The scores of all sides by one evaluator."""
        judged = self.judged(evaluator_id)
        states = [_best([judged_run.causes for judged_run in side]) if side else None for side in judged]
        tallies = [None if state is None else Tally.from_causes(state) for state in states]
        worst = self._worst(scale, [judged_run for side in judged for judged_run in side])
        is_known = not isinstance(worst, np.ndarray) or any(tally and tally.scored for tally in tallies)
        if worst is not None and is_known:
            tallies = [
                tally and self._judged_as_worst(tally, side)
                for tally, side in zip(tallies, judged, strict=True)
            ]
        columns: list[Column | None] = []
        for tally in tallies:
            side = judged.pop(0)  # so that no side is in memory both as it was read and as it counts
            columns.append(column_of(side, worst) if tally and tally.is_compared else None)
        return Aligned(columns, states, tallies, not isinstance(worst, np.ndarray))

    def _judged_as_worst(self, tally: Tally, side: Sequence["Judged"]) -> Tally:
        """The tally of a side; one without a score counts as worst if it answered, but not if it never said a word.

        Nor does one of which most answers wait for their scores: nobody has read them.
        """
        if tally.scored or tally.unanswered <= tally.failed:
            return tally
        runs = [judged_run.scoring.run_id for judged_run in side]
        said = Output.objects.filter(run__in=runs, text__isnull=False)
        return replace(tally, is_worst=(said.filter(error=None) | said.filter(error="")).exists())

    def judged(self, evaluator_id: int) -> list[list["Judged"]]:
        """For every side, the scores of each run that the evaluator scored, loaded at once."""
        scorings = self.scorings(evaluator_id)
        is_kept = column_cache.fits(len(scorings), self.length)
        complete = [] if is_kept else [scoring for scoring in scorings if self._is_complete(scoring)]
        judged = self._without_causes(complete)
        slots = self.slots([scoring for scoring in scorings if scoring.pk not in judged])
        judged |= {
            scoring.pk: self._judged(scoring, slots[scoring.pk])
            for scoring in scorings
            if scoring.pk in slots
        }
        closed = self.part(self.left_out(evaluator_id).slots)
        return [
            [judged[scoring.pk].without(closed) for scoring in side.scorings.get(evaluator_id, [])]
            for side in self.sides
        ]

    # ---- the seal ------------------------------------------------------------------------------------------

    def sealed(self, evaluator_id: int) -> Sealed:
        """The examples with a score of any side that the seal hides."""
        if evaluator_id not in self._sealed:
            scorings = self.scorings(evaluator_id)
            hidden = seal.hidden(scorings)
            runs = {scoring.pk: scoring.run_id for scoring in scorings}
            slots = [self._hidden_slots(runs[pk], positions) for pk, positions in hidden.items()]
            self._sealed[evaluator_id] = (
                Sealed.from_slots(np.logical_or.reduce(slots)) if slots else self._nothing_sealed
            )
        return self._sealed[evaluator_id]

    def _hidden_slots(self, run_id: int, positions: Sequence[int]) -> Mask:
        placement = self.placement(run_id)
        return placement.to_shared(seal.slots_of(positions, placement.positions), False)

    def left_out(self, evaluator_id: int) -> Sealed:
        """The slots whose scores do not count because of the seal: those of parts of the examples, never of all.

        The figures of two parts that differ by one example would tell its score.
        """
        return self.sealed(evaluator_id) if self.example_filter else self._nothing_sealed

    @cached_property
    def _nothing_sealed(self) -> Sealed:
        return Sealed(np.zeros(len(self.positions), np.bool_))

    @cached_property
    def _sealed(self) -> dict[int, Sealed]:
        return {}

    def _judged(self, scoring: Scoring, slots: Slots) -> "Judged":
        values = self.part_of(scoring.run_id, slots.values, np.nan)
        return Judged(scoring, values, self._causes(scoring, slots))

    def _without_causes(self, scorings: Sequence[Scoring]) -> dict[int, "Judged"]:
        """The scorings without missing scores, whose columns share one array of causes."""
        by_id = {scoring.pk: scoring for scoring in scorings}
        read = columns.read_values(by_id, self.positions)
        return {pk: Judged(by_id[pk], self.part(values), self._all_scored) for pk, values in read}

    @cached_property
    def _all_scored(self) -> Causes:
        return long_arrays.filled(self.size, Cause.SCORED, np.uint8)

    def _is_complete(self, scoring: Scoring) -> bool:
        """Whether every row has a score according to the summary, so that only values need to be read."""
        is_scored = (scoring.summary or {}).get("counts", {}).get("scored") == self.full_size
        return is_scored and scoring.run_id not in self._failed and self.placement(scoring.run_id).is_same

    def _causes(self, scoring: Scoring, slots: Slots) -> Causes:
        failed = self._failed.get(scoring.run_id)
        status = self.part_of(scoring.run_id, slots.status, Status.ABSENT)
        if failed is None and not status.any():  # Status.SCORED is 0.
            return status
        positions = self.placement(scoring.run_id).positions
        by_slot = causes.remembered(scoring, self._recipe(scoring), slots, failed, positions)
        return self.part_of(scoring.run_id, by_slot, Cause.NOT_ASKED)

    @cached_property
    def _failed(self) -> dict[int, Mask]:
        return causes.failed_outputs({run.pk: self.placement(run.pk).positions for run in self._runs})

    def failed(self, run: Run) -> Mask:
        """By slot, whether the answer of a run failed: it was sent with an error."""
        slots = self._failed.get(run.pk)
        if slots is None:
            return np.zeros(len(self.positions), np.bool_)
        return self.by_slot(self.part_of(run.pk, slots, False), False)

    def _recipe(self, scoring: Scoring) -> Recipe:
        version = scoring.evaluator_version
        if version.pk not in self._recipes:
            self._recipes[version.pk] = Recipe.from_version(version)
        return self._recipes[version.pk]

    def _worst(self, scale: Scale, judged: Sequence["Judged"]) -> Worst | None:
        """The score of a missing output, where any is missing; None if none is."""
        silent = [judged_run for judged_run in judged if judged_run.has_unanswered]
        if self.missing == "exclude" or not silent:
            return None
        if (end := bound(scale)) is not None:
            return end
        rows = np.flatnonzero(np.logical_or.reduce([one.causes == Cause.VARIANT for one in silent]))
        # in this order, so that few long arrays are in memory at once
        natural = self._natural(silent, scale)[rows]
        answered = [one.scored_values(rows) for one in judged]
        found = worst_values(scale, np.concatenate([one.scores for one in judged]), answered, natural)
        worst = np.full(self.size, np.nan)
        worst[rows] = found
        return worst

    def _natural(self, silent: Sequence["Judged"], scale: Scale) -> NDArray[np.float64]:
        """The natural bound of each example that a run left unanswered; NaN if there is none."""
        natural = np.full(self.size, np.nan)
        worse = np.fmin if scale.direction == "maximize" else np.fmax
        for alike in self._of_one_bound(silent):
            scoring, run_id = alike[0].scoring, alike[0].scoring.run_id
            unanswered = np.logical_or.reduce([one.causes == Cause.VARIANT for one in alike])
            placement, recipe = self.placement(run_id), self._recipe(scoring)
            unknown = unanswered if silence.is_sent(recipe) else unanswered & np.isnan(natural)
            slots = placement.to_version(self.by_slot(unknown, False), False)
            run = next(run for run in self._runs if run.pk == run_id)
            bounds = silence.natural(run, recipe, placement.positions, slots)
            natural = worse(natural, self.part_of(run_id, bounds, np.nan))
        return natural

    def _of_one_bound(self, silent: Sequence["Judged"]) -> Iterable[list["Judged"]]:
        """The runs whose bounds are the same, because these depend on the example and the evaluator alone.

        What a file gave to empty outputs depends on the run.
        """
        groups: dict[tuple[Version, int, int], list[Judged]] = {}
        for one in silent:
            of_run = one.scoring.run_id if silence.is_sent(self._recipe(one.scoring)) else 0
            key = self._versions[one.scoring.run_id], one.scoring.evaluator_version_id, of_run
            groups.setdefault(key, []).append(one)
        return groups.values()


def _best(states: Sequence[Causes]) -> Causes:
    """The cause for each example over the runs of a side: scored if any run has a score."""
    return np.minimum.reduce(states) if len(states) > 1 else states[0]
