"""Counts the examples of two sides that make no pair, by reason."""

from dataclasses import dataclass, replace

import numpy as np

from evaluations.scoring.causes import Cause, Mask
from evaluations.statistics.terms import Column

from .aligned import Aligned


@dataclass(frozen=True)
class Leftover:
    """The examples of two sides that make no pair, by the side that lacks a score, and by the cause.

    `not_common` examples have scores on both sides, but not on all sides of the ranking.
    """

    only_run: int = 0
    only_baseline: int = 0
    missing: int = 0
    error: int = 0
    not_common: int = 0

    def mirrored(self) -> "Leftover":
        """The same counts with the sides swapped."""
        return replace(self, only_run=self.only_baseline, only_baseline=self.only_run)


def leftover(aligned: Aligned, baseline: int, side: int, is_ranking: bool = False) -> Leftover:
    """Count them; with `is_ranking`, only examples with scores on all sides make pairs."""
    states = [state for state in (aligned.causes[baseline], aligned.causes[side]) if state is not None]
    is_ranking = is_ranking and not aligned.is_apart
    if aligned.is_complete or not states:
        return Leftover()
    if aligned.have_all[baseline] and aligned.have_all[side]:
        return Leftover(not_common=int(np.count_nonzero(~aligned.common)) if is_ranking else 0)
    has_baseline, has_run = (_present(aligned.columns[index], len(states[0])) for index in (baseline, side))
    failed = np.logical_or.reduce([state == Cause.EVALUATOR for state in states])
    included = np.logical_or.reduce([state != Cause.NOT_ASKED for state in states])
    unscored, pairs = included & ~(has_baseline | has_run), has_baseline & has_run
    error = int(np.count_nonzero(unscored & failed))
    return Leftover(
        only_run=int(np.count_nonzero(has_run & ~has_baseline)),
        only_baseline=int(np.count_nonzero(has_baseline & ~has_run)),
        missing=int(np.count_nonzero(unscored)) - error,
        error=error,
        not_common=int(np.count_nonzero(pairs & ~aligned.common)) if is_ranking else 0,
    )


def _present(column: Column | None, length: int) -> Mask:
    return np.zeros(length, np.bool_) if column is None else ~np.isnan(column.values)
