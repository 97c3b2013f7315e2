"""Filters of a run's examples: conditions on scores, metadata and texts, which must all hold."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.datasets.metadata import with_values
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import label_counts
from evaluations.labelling import seal
from evaluations.models import Run, Scoring
from evaluations.scoring import run_counts
from evaluations.scoring.columns import Slots
from evaluations.statistics import ordering
from evaluations.statistics.ordering import Verdict
from evaluations.values import Status

from . import answered, searching
from .searching import Stretch


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
    def passed(self) -> Verdict | None: ...
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
    passed: Verdict | None = None
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

    A search looks only at the slots of `searched`; None means all. `answers`: "answered" or "failed" ones, or examples
    with "no answer" yet.
    """

    scores: tuple[ScoreFilter, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    search: str = ""
    searched: Stretch | None = None
    answers: str = ""

    def __bool__(self) -> bool:
        return bool(self.scores or self.metadata or self.search or self.answers)

    @property
    def scorings(self) -> list[Scoring]:
        return [condition.scoring for condition in self.scores]

    @property
    def key(self) -> tuple[Hashable, ...]:
        """A cache key, with the stamps of the `scorings` beside it."""
        conditions = tuple(condition.key for condition in self.scores)
        return self.search, self.searched, self.metadata, self.answers, conditions

    def mask(self, run: Run, positions: Positions) -> Mask:
        """The slots of the run's positions where all conditions hold."""
        chosen = np.ones(len(positions), np.bool_)
        for condition in self.scores:
            chosen &= condition.mask(positions)
        chosen &= with_values(run.examples, self.metadata, positions)
        if self.answers:
            chosen &= answered.mask(run, self.answers, positions)
        if not self.search:
            return chosen
        where = None if self.searched is None else self.searched.mask
        return chosen & searching.with_text(self.search, [run], run.examples, positions, where)
