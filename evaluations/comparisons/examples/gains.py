"""How much better or worse each example is for every run, and its scores: what rows are filtered and ordered by."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.labelling import seal
from evaluations.models import Evaluator, Run
from evaluations.scoring.columns import Slots
from evaluations.statistics.terms import Mask
from evaluations.values import Status

from ..comparison import Comparison
from .lacking import OF_ONE, OF_UNANSWERED, WHY, lacking, passing

# "missing" has the examples of all reasons in WHY together; those of OF_UNANSWERED are among the unanswered
OUTCOMES = ("all", "worse", "better", "same", *OF_ONE, *WHY, *OF_UNANSWERED, "missing", "sealed")
ORDERS = ("drop", "gain", "worst", "best", "position")
ROUNDING = 1e-9
Values = NDArray[np.float64]


class Alignment:
    """The gains of every run over the baseline by one evaluator, by which rows are filtered and ordered.

    An example is missing if a side has no score of its own, also where that counts as worst.
    """

    def __init__(self, comparison: Comparison, evaluator: Evaluator, run: Run | None = None):
        self.columns, self.sealed = readable(comparison, evaluator)
        found = lacking(comparison, evaluator, run, self.sealed)
        self._named = {**found, **passing(comparison, evaluator, found)}
        baseline, *variants = self.columns
        self.baseline = baseline
        sides = zip(comparison.sides.others, variants, strict=True)
        columns = [column for side, column in sides if run is None or side.run.pk == run.pk]
        self._scores = [column.values for column in columns or [baseline]]  # of the variants asked about
        self.sign = sign = comparison.evaluators.sign(evaluator.pk)
        tie = comparison.evaluators.tie(evaluator.pk)
        ends = ((baseline.values, column.values) for column in columns)
        self.gains = [
            np.subtract(*((after, before) if sign > 0 else (before, after)), out=long_arrays.like(before))
            for before, after in ends
        ]
        self.present, self.worse, self.better, self.missing, self.same = (
            long_arrays.filled(len(baseline), False, np.bool_) for _ in range(5)
        )
        for part in long_arrays.parts(len(baseline)):
            self._sort(part, [column.status[part] for column in (baseline, *columns)], tie)
        as_worst = comparison.figures.as_worst(evaluator.pk)
        for side, slots in zip(comparison.sides, as_worst, strict=True):
            if run is None or side.run.pk in (run.pk, comparison.sides.baseline.run.pk):
                self.missing |= slots & ~self.sealed

    def _sort(self, part: slice, status: Sequence[NDArray[np.uint8]], tie: float) -> None:
        """Fill the masks in a part of the slots."""
        gains = [gain[part] for gain in self.gains]
        none = np.zeros(len(status[0]), np.bool_)
        worse = any_of([none, *(gain < -tie for gain in gains)])
        better = any_of([none, *(gain > tie for gain in gains)])
        unscored = any_of([np.isnan(gain) for gain in gains] or [np.isnan(self.baseline.values[part])])
        self.present[part] = any_of([column != Status.ABSENT for column in status])
        self.worse[part], self.better[part] = worse, better
        self.missing[part] = unscored & ~self.sealed[part]
        self.same[part] = ~(worse | better | unscored)

    def chosen(self, outcome: str) -> Mask:
        if outcome == "all":
            return self.present
        mask: Mask = self._named[outcome] if outcome in self._named else getattr(self, outcome)
        return mask & self.present

    def apart(self, least: float) -> Mask:
        """The mask of examples with a difference of `least`; 0.3 and 0.2 are 0.1 apart, whatever their floats say."""
        close = least * (1 - ROUNDING)
        return any_of(
            [np.zeros(len(self.present), np.bool_), *(np.abs(gain) >= close for gain in self.gains)]
        )

    def counts(self, among: Mask) -> dict[str, int]:
        return {outcome: int(np.count_nonzero(self.chosen(outcome) & among)) for outcome in OUTCOMES}

    def keys(self, order: str) -> NDArray[np.float64]:
        """The sort keys of rows, smallest first: by regression, gain, worst or best score of the variants asked about,
        spread of scores, or by position.

        Without another run, the baseline's own scores are the gains: its worst examples come first.
        """
        if order == "position":
            return np.broadcast_to(np.float64(0), len(self.present))
        values = [column.values for column in self.columns]
        if order == "spread":
            return _by_slot(lambda *scores: reduce(np.fmin, scores) - reduce(np.fmax, scores), values)
        if order in ("worst", "best"):
            return self._by_score(best_first=order == "best")
        gains = self.gains or [_by_slot(lambda own: self.sign * own, values[:1])]
        if order == "gain":
            return _by_slot(lambda *scores: -reduce(np.fmax, scores), gains)
        return gains[0] if len(gains) == 1 else _by_slot(lambda *scores: reduce(np.fmin, scores), gains)

    def _by_score(self, *, best_first: bool) -> Values:
        sign = -self.sign if best_first else self.sign
        return _by_slot(lambda *scores: reduce(np.fmin, [sign * own for own in scores]), self._scores)


def _by_slot(function: Callable[..., Values], columns: Sequence[Values]) -> Values:
    """A column computed from others, slot by slot."""
    result = long_arrays.like(columns[0])
    for part in long_arrays.parts(len(result)):
        result[part] = function(*(column[part] for column in columns))
    return result


def any_of(masks: Sequence[Mask]) -> Mask:
    return np.asarray(np.logical_or.reduce(masks))


def readable(comparison: Comparison, evaluator: Evaluator) -> tuple[list[Slots], Mask]:
    """The scores of every side that may be read one by one, and the slots of examples with a sealed one."""
    hidden = comparison.aligner.sealed(evaluator.pk)
    columns = comparison.figures.columns(evaluator.pk)
    readable_columns = [seal.without(column, hidden.slots) for column in columns] if hidden.key else columns
    return readable_columns, hidden.slots
