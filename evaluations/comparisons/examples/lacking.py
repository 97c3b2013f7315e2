"""Why examples lack a score of their own: no answer, nothing in it to read, a scoring that failed, or no score yet.

The first and the second may count as worst; then these examples also are worse, better or tied.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from evaluations.models import Evaluator, Run
from evaluations.scoring.causes import Cause
from evaluations.scoring.columns import Slots
from evaluations.values import Status

from ..alignment.sides import Side
from ..comparison import Comparison

WHY = ("errors", "unscored", "unanswered", "unread")  # the first one of any side names an example
OF_UNANSWERED = ("failed", "empty")  # the answer came with an error, or did not come
OF_ONE = ("fail", "pass")  # what the examples of a comparison with one variant alone do
Mask = NDArray[np.bool_]


def lacking(
    comparison: Comparison, evaluator: Evaluator, run: Run | None, hidden: Mask
) -> Mapping[str, Mask]:
    """By reason, the examples without a score of their own of the baseline, or of `run` (of any side by default).

    An example has one reason; `hidden` ones have none. The unanswered ones are told apart again: by OF_UNANSWERED.
    """
    found = {why: np.zeros(len(comparison.aligner.positions), np.bool_) for why in WHY}
    for causes, status in _sides(comparison, evaluator, run):
        unanswered = (status == Status.MISSING_ACTUAL) | (
            status == Status.SCORED
        )  # the latter of failed answers
        by_variant = causes == Cause.VARIANT
        found["unanswered"] |= by_variant & unanswered
        found["unread"] |= by_variant & ~unanswered
        found["errors"] |= (causes == Cause.EVALUATOR) & (status == Status.ERROR)
        found["unscored"] |= (causes == Cause.DATASET) | (
            (causes == Cause.EVALUATOR) & (status != Status.ERROR)
        )
    taken = hidden.copy()
    for why in WHY:
        found[why] &= ~taken
        taken |= found[why]
    return {**found, **_apart(comparison, run, found["unanswered"])}


def _apart(comparison: Comparison, run: Run | None, unanswered: Mask) -> Mapping[str, Mask]:
    """The unanswered examples of which an answer failed, and the others."""
    failed = np.zeros(len(unanswered), np.bool_)
    if unanswered.any():
        for side in _chosen(comparison, run):
            for of_side in side.runs:
                failed |= comparison.aligner.failed(of_side)
    return dict(zip(OF_UNANSWERED, (unanswered & failed, unanswered & ~failed), strict=True))


def _chosen(comparison: Comparison, run: Run | None) -> list[Side]:
    """The baseline and the side of `run`, or every side."""
    chosen = (comparison.sides.baseline.run.pk, run.pk) if run else ()
    return [side for side in comparison.sides if not run or side.run.pk in chosen]


def passing(comparison: Comparison, evaluator: Evaluator, found: Mapping[str, Mask]) -> Mapping[str, Mask]:
    """The examples on which the one variant of a comparison fails, and passes; none of several variants.

    Those that lack a score (`found`) fail where they count as worst.
    """
    side, aligner = comparison.sides.baseline, comparison.aligner
    columns = [] if comparison.sides.others else _read(comparison, side, evaluator)
    passed = np.full(len(aligner.positions), -1, np.int8)
    if len(columns) == 1:  # means of repetitions do not pass or fail
        [(slots, run)] = columns
        placed = aligner.placement(run.pk).to_shared(slots.passed, -1)
        passed = aligner.by_slot(aligner.part(placed), -1)
    silent = found["unanswered"] | found["unread"]
    fails, passes = ((passed == value) & ~silent for value in (0, 1))
    if comparison.missing == "worst" and (passed >= 0).any():
        fails |= silent
    return dict(zip(OF_ONE, (fails, passes), strict=True))


def _sides(
    comparison: Comparison, evaluator: Evaluator, run: Run | None
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """The causes and the stored status of each side that lacks scores, by slot; of repetitions the worst status."""
    aligner, chosen = comparison.aligner, _chosen(comparison, run)
    of_sides = comparison.figures.families.read.aligned(evaluator.pk).causes
    for side, causes in zip(comparison.sides, of_sides, strict=True):
        if side not in chosen or causes is None or not causes.any():
            continue
        status = np.full(len(aligner.positions), Status.SCORED, np.uint8)
        for slots, of_run in _read(comparison, side, evaluator):
            placed = aligner.placement(of_run.pk).to_shared(slots.status, Status.SCORED)
            status = np.where(status == Status.SCORED, placed, status)
        yield aligner.by_slot(causes, Cause.NOT_ASKED), status


def _read(comparison: Comparison, side: Side, evaluator: Evaluator) -> list[tuple[Slots, Run]]:
    scorings = side.scorings.get(evaluator.pk, [])
    read = comparison.aligner.slots(scorings)
    return [(read[scoring.pk], scoring.run) for scoring in scorings if scoring.pk in read]
