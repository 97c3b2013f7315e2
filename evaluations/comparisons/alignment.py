"""How runs stand beside each other: sides, repeats, versions, and one evaluator's scores slot by slot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import counterparts, datasets, identities
from evaluations.datasets.counterparts import Counterparts, Version
from evaluations.datasets.identities import Places
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.about import identity
from evaluations.models import Dataset, Run, Scoring
from evaluations.scoring import causes, column_cache, columns, coverage
from evaluations.scoring.causes import Cause, Causes, Mask
from evaluations.scoring.columns import Slots
from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.missing import with_worst, worst_value
from evaluations.statistics.terms import Column, Scale
from evaluations.values import Status

from .among import EVERYTHING, Among

Missing = Literal["worst", "exclude"]
Scorings = Mapping[int, Sequence[Scoring]]


@dataclass(frozen=True)
class Side:
    """One column: a run, or all runs of its variant, of which the newest stands for it.

    `scorings` are those of the runs by evaluator id.
    """

    run: Run
    runs: Sequence[Run]
    scorings: dict[int, list[Scoring]]

    @classmethod
    def from_runs(cls, runs: Sequence[Run], scorings: Scorings) -> "Side":
        by_evaluator: dict[int, list[Scoring]] = {}
        for scoring in (scoring for run in runs for scoring in scorings[run.pk]):
            by_evaluator.setdefault(scoring.evaluator_version.evaluator_id, []).append(scoring)
        return cls(max(runs, key=lambda run: run.pk), runs, by_evaluator)

    @property
    def is_averaged(self) -> bool:
        return len(self.runs) > 1

    def versions(self, evaluator_id: int) -> set[int | None]:
        """The versions of an evaluator that scored its runs; None where it did not score one."""
        numbers = {s.run_id: s.evaluator_version.number for s in self.scorings.get(evaluator_id, [])}
        return {numbers.get(run.pk) for run in self.runs}


def sides(runs: Sequence[Run], scorings: Scorings, repeats: bool) -> list[Side]:
    """A column for each run, or with `repeats` for each variant of an experiment, in the order they came in.

    Runs of one name about which different things are said are different variants.
    """
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.experiment_id, *identity(run)) if repeats else run.pk, []).append(run)
    return [Side.from_runs(group, scorings) for group in groups.values()]


@dataclass(frozen=True)
class Tally:
    """How many examples of a side have which cause."""

    scored: int = 0
    unanswered: int = 0
    no_reference: int = 0
    failed: int = 0

    @classmethod
    def from_causes(cls, side: Causes) -> "Tally":
        if not side.any():
            return cls(len(side))
        counts = np.bincount(side, minlength=4)
        return cls(*map(int, counts[: Cause.EVALUATOR + 1]))

    @property
    def examples(self) -> int:
        return self.scored + self.unanswered + self.no_reference + self.failed


@dataclass(frozen=True)
class Aligned:
    """One evaluator's scores of all sides, one slot for each example.

    `columns` hold what counts, with `worst` in the place of missing outputs; None where the evaluator did not score
    the side, or gave it no score at all. `is_bound` says that `worst` is the end of the evaluator's scale.
    """

    columns: list[Column | None]
    causes: list[Causes | None]
    tallies: list[Tally | None]
    worst: float | None = None
    is_bound: bool = True

    @property
    def size(self) -> int:
        return max((len(state) for state in self.causes if state is not None), default=0)

    @cached_property
    def is_complete(self) -> bool:
        """Whether every side has a score for every example."""
        return all(tally is not None and tally.scored == self.size for tally in self.tallies)

    @cached_property
    def common(self) -> Mask:
        """The examples for which every side with a column has a value."""
        present = [~np.isnan(column.values) for column in self.columns if column is not None]
        return np.logical_and.reduce(present) if present else np.zeros(self.size, np.bool_)

    def without_rest(self) -> "Aligned":
        """The same columns, with no value where not all sides have one."""
        return replace(self, columns=[column and _within(column, self.common) for column in self.columns])


def _within(column: Column, mask: Mask) -> Column:
    return replace(column, values=np.where(mask, column.values, np.nan))


@dataclass
class Aligner:
    """Reads the scores of sides, evaluator by evaluator, of the examples of `among`."""

    dataset: Dataset
    sides: Sequence[Side]
    missing: Missing
    among: Among = EVERYTHING
    _recipes: dict[int, Recipe] = field(default_factory=dict)
    _moves: dict[Version, tuple[Places, Places]] = field(default_factory=dict)

    @cached_property
    def rows(self) -> slice | Mask:
        """The slots of the examples that count; a slice where they have no gaps, to copy nothing."""
        if not self.among:
            return self._all_rows
        rows = np.zeros(self.dataset.last_position, np.bool_)
        rows[self._all_rows] = True
        return rows & self.among.mask(self.dataset, self.sides[0].run.experiment.dataset_version)

    @cached_property
    def _all_rows(self) -> slice | Mask:
        """Those of the examples that any side was asked."""
        known = {
            (dataset.pk, version): datasets.positions(dataset, version)
            for dataset, version in set(self._versions.values())
        }
        has_sample = all(run.asked_rows is not None for run in self._runs)
        if not (has_sample or self.others) and all(isinstance(each, range) for each in known.values()):
            return slice(max(map(len, known.values())))
        rows = np.zeros(self.dataset.last_position, np.bool_)
        for run in self._differently_asked():
            included = np.zeros(self.length_of(run.pk), np.bool_)
            positions = np.asarray(known[run.experiment.dataset_id, run.experiment.dataset_version])
            included[positions - 1] = coverage.among(run, positions)
            rows |= self.laid(run.pk, included, False)
        return rows

    def _differently_asked(self) -> Iterable[Run]:
        """One of all runs that were asked the same examples of one version."""
        return {(self._versions[run.pk], bytes(run.asked_rows or b"")): run for run in self._runs}.values()

    @cached_property
    def _runs(self) -> list[Run]:
        return [run for side in self.sides for run in side.runs]

    @cached_property
    def _versions(self) -> dict[int, Version]:
        """The dataset and the version of each run."""
        return {run.pk: (self._dataset_of(run), run.experiment.dataset_version) for run in self._runs}

    def _dataset_of(self, run: Run) -> Dataset:
        return self.dataset if run.experiment.dataset_id == self.dataset.pk else run.experiment.dataset

    @property
    def version(self) -> Version:
        """Those of the baseline, whose positions count."""
        return self._versions[self.sides[0].run.pk]

    @cached_property
    def others(self) -> dict[Version, Counterparts]:
        """How examples of other datasets were found to be the baseline's."""
        versions = dict.fromkeys(each for each in self._versions.values() if each[0] != self.dataset)
        return {each: counterparts.between(each, self.version) for each in versions}

    def is_other(self, run_id: int) -> bool:
        """Whether a run is of another dataset."""
        return self._versions[run_id][0] != self.dataset

    def length_of(self, run_id: int) -> int:
        """How many positions the dataset of a run has."""
        return self._versions[run_id][0].last_position

    @cached_property
    def length(self) -> int:
        """Enough slots for every run."""
        return max(dataset.last_position for dataset, _ in self._versions.values())

    def moves(self, version: Version) -> tuple[Places, Places]:
        """Where the examples that were edited stand in a version, and in that of the baseline.

        Of another dataset all examples that have a counterpart; what is not named there is not there.
        """
        if version not in self._moves:
            self._moves[version] = self._moved_since(version)
        return self._moves[version]

    def _moved_since(self, version: Version) -> tuple[Places, Places]:
        if matched := self.others.get(version):
            return matched.own - 1, matched.other - 1
        return identities.moves(self.dataset.pk, version[1], self.version[1])

    def moves_of(self, run_id: int) -> tuple[Places, Places]:
        return self.moves(self._versions[run_id])

    def laid(self, run_id: int, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """An array with a slot for each position of a run, over the positions of the baseline."""
        length = self.dataset.last_position if self.is_other(run_id) else None
        return identities.moved(slots, *self.moves_of(run_id), nothing, length)

    def taken_up(self, run_id: int, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """The other way round: over the positions of the run."""
        own, baseline = self.moves_of(run_id)
        length = self.length_of(run_id) if self.is_other(run_id) else None
        return identities.moved(slots, baseline, own, nothing, length)

    def places_of(self, run_id: int, positions: Sequence[int]) -> dict[int, int]:
        """Where a run has the examples at positions of the baseline; those that its dataset lacks are left out."""
        own, baseline = self.moves_of(run_id)
        wanted = np.isin(baseline, np.array(positions, np.intp) - 1)
        places = {} if self.is_other(run_id) else {position: position for position in positions}
        return places | dict(zip((baseline[wanted] + 1).tolist(), (own[wanted] + 1).tolist(), strict=True))

    @cached_property
    def size(self) -> int:
        """How many examples there are."""
        return len(self.part(np.empty(self.dataset.last_position, np.bool_)))

    @cached_property
    def full_size(self) -> int:
        """How many there are without `among`."""
        return len(np.empty(self.dataset.last_position, np.bool_)[self._all_rows])

    def part(self, slots: NDArray[Any]) -> NDArray[Any]:
        """The entries of `rows` of an array with one slot for each position."""
        return slots[self.rows] if isinstance(self.rows, slice) else slots[: len(self.rows)][self.rows]

    def by_position(self, rows: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """The other way round: one slot for each position, `nothing` where there is no row."""
        slots = np.full(self.dataset.last_position, nothing, rows.dtype)
        slots[self.rows] = rows
        return slots

    def warm(self, evaluators: Iterable[int]) -> None:
        """Read the columns of several evaluators with one query, if all can be kept."""
        column_cache.warm([s for pk in evaluators for s in self.scorings(pk)], self.length)

    def scorings(self, evaluator_id: int) -> list[Scoring]:
        return [scoring for side in self.sides for scoring in side.scorings.get(evaluator_id, [])]

    def aligned(self, evaluator_id: int, scale: Scale) -> Aligned:
        """All sides by one evaluator."""
        judged = self.judged(evaluator_id)
        states = [_best([one.causes for one in side]) if side else None for side in judged]
        tallies = [None if state is None else Tally.from_causes(state) for state in states]
        worst, is_bound = self._worst(scale, [one for side in judged for one in side])
        columns = [
            _column(side, worst) if tally and tally.scored else None
            for side, tally in zip(judged, tallies, strict=True)
        ]
        return Aligned(columns, states, tallies, worst, is_bound)

    def judged(self, evaluator_id: int) -> list[list["Judged"]]:
        """For every side the scores of each run that the evaluator scored, read at once."""
        scorings, length = self.scorings(evaluator_id), self.length
        is_kept = column_cache.fits(len(scorings), length)
        lean = [] if is_kept else [scoring for scoring in scorings if self._is_complete(scoring)]
        judged = self._without_causes(lean)
        slots = column_cache.load([one for one in scorings if one.pk not in judged], length)
        judged |= {one.pk: self._judged(one, slots[one.pk]) for one in scorings if one.pk in slots}
        return [[judged[one.pk] for one in side.scorings.get(evaluator_id, [])] for side in self.sides]

    def _judged(self, scoring: Scoring, slots: Slots) -> "Judged":
        values = self.part(self.laid(scoring.run_id, slots.values, np.nan))
        return Judged(scoring, values, self._causes(scoring, slots))

    def _without_causes(self, scorings: Sequence[Scoring]) -> dict[int, "Judged"]:
        """Of columns without a gap, which share one array of causes."""
        by_id = {scoring.pk: scoring for scoring in scorings}
        read = columns.read_values(by_id, self._length)
        return {pk: Judged(by_id[pk], self.part(values), self._all_scored) for pk, values in read}

    @property
    def _length(self) -> int:
        """Up to which slot there are examples that count."""
        return self.size if isinstance(self.rows, slice) else len(self.rows)

    @cached_property
    def _all_scored(self) -> Causes:
        return np.full(self.size, Cause.SCORED, np.uint8)

    def _is_complete(self, scoring: Scoring) -> bool:
        """Whether the summary says that every row has a score, so that nothing else of the column needs a look."""
        is_scored = (scoring.summary or {}).get("counts", {}).get("scored") == self.full_size
        stays = not self.is_other(scoring.run_id) and not len(self.moves_of(scoring.run_id)[0])
        return is_scored and scoring.run_id not in self._failed and stays

    def _causes(self, scoring: Scoring, slots: Slots) -> Causes:
        failed = self._failed.get(scoring.run_id)
        status = self.part(self.laid(scoring.run_id, slots.status, Status.ABSENT))
        if failed is None and not status.any():  # Status.SCORED is 0.
            return status
        own = causes.classify(scoring, self._recipe(scoring), slots, failed)
        return self.part(self.laid(scoring.run_id, own, Cause.NOT_ASKED))

    @cached_property
    def _failed(self) -> dict[int, Mask]:
        return causes.failed_outputs(self._runs, self.length)

    def _recipe(self, scoring: Scoring) -> Recipe:
        version = scoring.evaluator_version
        if version.pk not in self._recipes:
            self._recipes[version.pk] = Recipe.from_version(version)
        return self._recipes[version.pk]

    def _worst(self, scale: Scale, judged: Sequence["Judged"]) -> tuple[float | None, bool]:
        """What a missing output counts as; nothing is computed where none is missing."""
        if self.missing == "exclude" or not any(one.has_unanswered for one in judged):
            return None, True
        return worst_value(scale, [one.values[one.causes == Cause.SCORED] for one in judged])


@dataclass(frozen=True)
class Judged:
    """One run by one evaluator, one slot for each example."""

    scoring: Scoring
    values: NDArray[np.float64]
    causes: Causes

    @cached_property
    def is_complete(self) -> bool:
        return not self.causes.any()

    @property
    def has_unanswered(self) -> bool:
        return not self.is_complete and bool((self.causes == Cause.VARIANT).any())

    def filled(self, worst: float | None) -> Column:
        """The scores that count, with `worst` for every missing output; without it they count nowhere."""
        if self.is_complete:
            return Column(self.values)
        values = np.where(self.causes == Cause.SCORED, self.values, np.nan)
        unanswered = self.causes == Cause.VARIANT
        return Column(values) if worst is None else with_worst(values, unanswered, worst)


def _column(judged: Sequence[Judged], worst: float | None) -> Column:
    """One column of a side: filled run by run, then averaged."""
    columns = [one.filled(worst) for one in judged]
    if len(columns) == 1:
        return columns[0]
    imputed = [column.imputed for column in columns if column.imputed is not None]
    values = average_repeats([column.values for column in columns])
    return Column(values, np.logical_or.reduce(imputed) if imputed else None)


def _best(states: Sequence[Causes]) -> Causes:
    """The cause of an example over the runs of a side: scored, where it is scored in any."""
    return np.minimum.reduce(states) if len(states) > 1 else states[0]
