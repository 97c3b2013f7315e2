"""Filters of a run's examples: conditions on scores, metadata and texts, which must all hold."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations.datasets import live_positions
from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.datasets import search as search_examples
from evaluations.datasets.live_positions import Positions
from evaluations.datasets.metadata import with_values
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import label_counts
from evaluations.labelling import seal
from evaluations.models import Experiment, Output, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.scoring import run_counts
from evaluations.scoring.columns import Slots
from evaluations.statistics import ordering
from evaluations.values import Status

LONGEST_SEARCH = 200
SEARCHED = 1_000_000  # examples whose texts a page of a run reads; it offers to search on behind them


@dataclass(frozen=True)
class Cell:
    """A part of a label table: examples with this reference, read as this answer or outside the labels."""

    reference: str | None = None
    answer: str | None = None
    is_outside: bool = False


class OnScores(Protocol):
    """Conditions on the scores of one evaluator; those that are not set hold everywhere."""

    @property
    def statuses(self) -> tuple[Status, ...]: ...
    @property
    def passed(self) -> bool | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def matching(column: Slots, conditions: OnScores) -> Mask:
    """The slots of a column that meet the conditions."""
    return ordering.matching(
        column.values,
        column.passed,
        column.status,
        statuses=conditions.statuses,
        verdict=conditions.passed,
        low=conditions.low,
        high=conditions.high,
    )


@dataclass(frozen=True)
class ScoreFilter:
    """Conditions on the scores of one evaluator; `cell` only for kinds that read labels."""

    scoring: Scoring
    statuses: tuple[Status, ...] = ()
    passed: bool | None = None
    low: float | None = None
    high: float | None = None
    cell: Cell = Cell()

    @property
    def key(self) -> tuple[Hashable, ...]:
        return self.statuses, self.passed, self.low, self.high, self.cell

    def mask(self, positions: Positions) -> Mask:
        chosen = self.matching(seal.load([self.scoring], positions)[self.scoring.pk])
        return chosen & self._cell_mask(positions) if self.cell != Cell() else chosen

    def _cell_mask(self, positions: Positions) -> Mask:
        read = Recipe.from_version(self.scoring.evaluator_version).read_label
        try:
            counted = run_counts.load(self.scoring, positions)
        except run_counts.NoCounts as reason:
            raise Invalid("no_statistics", str(reason)) from reason
        reference, answer = (
            None if label is None else read(label) for label in (self.cell.reference, self.cell.answer)
        )
        chosen = label_counts.within(counted.counts, reference, answer)
        if self.cell.is_outside:
            chosen &= label_counts.outside(counted.counts, map(read, counted.counting.labels))
        return chosen

    def matching(self, column: Slots) -> Mask:
        return matching(column, self)


@dataclass(frozen=True)
class Filters:
    """`metadata` are columns and values (JSON unless texts); if a column is repeated, one value must match.

    A search looks at the slots from the first of `searched` on, before the second; None means all.
    """

    scores: tuple[ScoreFilter, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    search: str = ""
    searched: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        return bool(self.scores or self.metadata or self.search)

    @property
    def scorings(self) -> list[Scoring]:
        return [condition.scoring for condition in self.scores]

    @property
    def key(self) -> tuple[Hashable, ...]:
        """A cache key, with the stamps of the `scorings` beside it."""
        return self.search, self.searched, self.metadata, tuple(condition.key for condition in self.scores)

    def mask(self, run: Run, positions: Positions) -> Mask:
        """The slots of the run's positions where all conditions hold."""
        chosen = np.ones(len(positions), np.bool_)
        for condition in self.scores:
            chosen &= condition.mask(positions)
        chosen &= with_values(run.examples, self.metadata, positions)
        return chosen & self._with_text(run, positions) if self.search else chosen

    def _with_text(self, run: Run, positions: Positions) -> Mask:
        if self.searched is None:
            return with_text(run, self.search, positions)
        start, stop = self.searched
        first, last = positions.at(np.array([start, stop - 1])).tolist()
        return positions.mask(positions_with_text(run, self.search, first, last))


def with_text(run: Run, text: str, positions: Positions) -> Mask:
    """The slots with the text in the output or in the example."""
    return with_text_in_any([run], text, positions)


def with_text_in_any(runs: Sequence[Run], text: str, positions: Positions) -> Mask:
    """The slots with the text in the example or in any output of these runs (of one dataset version)."""
    return _with_text(runs[0].examples, runs, text, positions)


def with_text_in_experiment(experiment: Experiment, runs: Sequence[Run], text: str) -> Mask:
    """Like `with_text_in_any`, for an experiment, which may have no runs."""
    positions = live_positions.of_version(experiment.dataset, experiment.dataset_version)
    return _with_text(experiment.examples, runs, text, positions)


def positions_with_text(run: Run, text: str, first: int, last: int) -> NDArray[np.int64]:
    """The positions from `first` to `last` with the text in the output or in the example, ascending."""
    outputs, examples = (
        _positions(rows.filter(position__range=(first, last))) for rows in _texts(run.examples, [run], text)
    )
    return np.unique(np.concatenate([outputs, examples]))


def _with_text(examples: ExampleQuerySet, runs: Sequence[Run], text: str, positions: Positions) -> Mask:
    outputs, having = _texts(examples, runs, text)
    return slots_of(outputs, positions) | slots_of(having, positions)


def _texts(
    examples: ExampleQuerySet, runs: Sequence[Run], text: str
) -> tuple[QuerySet[Output], ExampleQuerySet]:
    """The outputs of these runs, and the examples, with the text."""
    if len(text) > LONGEST_SEARCH:
        raise Invalid("search_too_long", f"A search can have at most {LONGEST_SEARCH} characters.")
    return Output.objects.filter(run__in=runs, text__has=text), search_examples(examples, text)


def slots_of(rows: QuerySet[Any], positions: Positions) -> Mask:
    """The slots of these outputs or examples, by their positions."""
    return positions.mask(_positions(rows))


def _positions(rows: QuerySet[Any]) -> NDArray[np.int64]:
    return np.fromiter(rows.values_list("position", flat=True).iterator(), np.int64)
