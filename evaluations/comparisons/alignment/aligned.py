"""The scores of one evaluator with one slot per example: for one run, and for all sides aligned."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.models import Scoring
from evaluations.scoring.causes import Cause, Causes, Mask
from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.missing import with_worst
from evaluations.statistics.terms import Column

MOST_TOGETHER = 3  # sides from which on pairs can have examples of their own
Worst = float | NDArray[np.float64]  # the score of silence: the same for all examples, or one for each


@dataclass(frozen=True)
class Tally:
    """The number of a side's examples that are scored, and of those without a score by cause.

    With `is_worst` it has no score, but answers that the evaluator cannot read, so that all count as worst.
    """

    scored: int = 0
    unanswered: int = 0
    no_reference: int = 0
    failed: int = 0
    is_worst: bool = False

    @classmethod
    def from_causes(cls, side: Causes) -> "Tally":
        if not side.any():
            return cls(len(side))
        scored, unanswered, no_reference, failed = map(int, long_arrays.tally(side)[: Cause.EVALUATOR + 1])
        return cls(scored, unanswered, no_reference, failed)

    @property
    def is_compared(self) -> bool:
        """Whether the side has a column."""
        return self.scored > 0 or self.is_worst

    @property
    def examples(self) -> int:
        return self.scored + self.unanswered + self.no_reference + self.failed


@dataclass(frozen=True)
class Aligned:
    """One evaluator's scores of all sides, one slot for each example.

    `columns` hold the scores that count, with the worst for missing outputs; None for a side without any score.
    `is_bound` says that the worst is the end of the evaluator's scale, not an answer to the same example.
    """

    columns: list[Column | None]
    causes: list[Causes | None]
    tallies: list[Tally | None]
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
        present = [column.values for column in self.columns if column is not None]
        return long_arrays.finite(present) if present else np.zeros(self.size, np.bool_)

    @cached_property
    def have_all(self) -> list[bool]:
        """By side, whether its column has a value for every example."""
        return [column is not None and not np.isnan(column.values).any() for column in self.columns]

    def lacking(self, cause: Cause) -> int:
        """How many examples any side with a column lacks for this cause; of all sides if none has a column."""
        compared = [
            causes for causes, column in zip(self.causes, self.columns, strict=True) if column is not None
        ]
        states = [state for state in compared or self.causes if state is not None]
        return sum(
            int(np.count_nonzero(np.logical_or.reduce([state[part] == cause for state in states])))
            for part in long_arrays.parts(self.size if states else 0)
        )

    @cached_property
    def is_apart(self) -> bool:
        """Whether three or more sides were each asked other examples, so that no example was asked of all.

        Then every pair is compared over its own examples. Silence does not lead here, only what was never asked.
        """
        sides = [
            (tally, state)
            for tally, state, column in zip(self.tallies, self.causes, self.columns, strict=True)
            if tally is not None and state is not None and column is not None
        ]
        if len(sides) < MOST_TOGETHER or sum(self.size - tally.examples for tally, _ in sides) < self.size:
            return False
        return all(
            bool(np.logical_or.reduce([state[part] == Cause.NOT_ASKED for _, state in sides]).all())
            for part in long_arrays.parts(self.size)
        )

    def with_common_only(self) -> "Aligned":
        """The same columns, without the values of examples that a side lacks, unless no example has all by design."""
        if self.is_apart:
            return self
        return replace(self, columns=[column and _within(column, self.common) for column in self.columns])


def _within(column: Column, mask: Mask) -> Column:
    if mask.all():
        return column
    values = long_arrays.filled(len(mask), np.nan, np.float64)
    np.copyto(values, column.values, where=mask)
    return replace(column, values=values)


@dataclass(frozen=True)
class Judged:
    """The scores of one run by one evaluator, one slot for each example."""

    scoring: Scoring
    values: NDArray[np.float64]
    causes: Causes

    @cached_property
    def is_complete(self) -> bool:
        return not self.causes.any()

    @property
    def has_unanswered(self) -> bool:
        return not self.is_complete and bool((self.causes == Cause.VARIANT).any())

    def without(self, closed: Mask) -> "Judged":
        """As if these examples were not asked."""
        if not closed.any():
            return self
        values = np.where(closed, np.nan, self.values)
        return replace(self, values=values, causes=np.where(closed, np.uint8(Cause.NOT_ASKED), self.causes))

    def filled(self, worst: Worst | None) -> Column:
        """The scores that count, with `worst` for every missing output; if it is None, missing outputs do not count."""
        if self.is_complete:
            return Column(self.values)
        values = self.scored_values()
        return Column(values) if worst is None else with_worst(values, self.causes == Cause.VARIANT, worst)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores alone."""
        return long_arrays.selected(self.values, (self.causes == Cause.SCORED) & np.isfinite(self.values))

    def scored_values(self, rows: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.float64]:
        """A new array with the values of these rows, NaN for those without a score."""
        causes = self.causes[rows]
        values = long_arrays.filled(len(causes), np.nan, np.float64)
        np.copyto(values, self.values[rows], where=causes == Cause.SCORED)
        return values


def column_of(judged: Sequence[Judged], worst: Worst | None) -> Column:
    """The column of a side: each run filled with `worst`, then the mean over runs."""
    columns = [judged_run.filled(worst) for judged_run in judged]
    if len(columns) == 1:
        return columns[0]
    imputed = [column.imputed for column in columns if column.imputed is not None]
    values = average_repeats([column.values for column in columns])
    return Column(values, np.logical_or.reduce(imputed) if imputed else None)
