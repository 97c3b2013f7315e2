"""Counts missing outputs as the worst score."""

from collections.abc import Sequence

import numpy as np

from evaluations.statistics.terms import Column, Mask, Scale, Values

WORSE_SIDE = 0.05  # the share of scores worse than the one that counts as worst, if there is no bound


def worst_value(scale: Scale, columns: Sequence[Values]) -> tuple[float, bool]:
    """The worst score, and whether it is the bound of the evaluator's scale.

    Without a bound, it is the score that only 5 % are worse than: with the very worst observed score, two thirds of the
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
    """The column with `worst` for examples that were asked and not answered."""
    if not unanswered.any():
        return Column(values)
    return Column(np.where(unanswered, worst, values), unanswered)
