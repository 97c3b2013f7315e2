"""Outputs that are missing count as worst."""

from collections.abc import Sequence

import numpy as np

from evaluations.statistics.terms import Column, Mask, Scale, Values

WORSE_SIDE = 0.05  # quantile of the scores, if an evaluator has no worst score


def worst_value(scale: Scale, columns: Sequence[Values]) -> tuple[float, bool]:
    """The worst score, and whether it is the evaluator's bound.

    Without a bound it is the score that only 5 % are worse than: with the very worst score seen, two thirds of the
    power would be lost.
    """
    bound = scale.low if scale.direction == "maximize" else scale.high
    if bound is not None:
        return bound, True
    scores = np.concatenate([values[np.isfinite(values)] for values in columns] or [np.empty(0)])
    if not scores.size:
        return 0.0, False
    return float(np.quantile(scores, WORSE_SIDE if scale.direction == "maximize" else 1 - WORSE_SIDE)), False


def with_worst(values: Values, unanswered: Mask, worst: float) -> Column:
    """The column with `worst` where an example was asked and not answered."""
    if not unanswered.any():
        return Column(values)
    return Column(np.where(unanswered, worst, values), unanswered)
