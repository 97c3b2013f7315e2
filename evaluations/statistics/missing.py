"""Counts missing outputs as the worst score."""

from collections.abc import Sequence

import numpy as np

from evaluations.statistics.terms import Column, Mask, Scale, Values

WORSE_SIDE = 0.05  # the share of scores worse than the one that counts as worst, if there is no bound


def bound(scale: Scale) -> float | None:
    """The worst end of the scale; None without one."""
    return scale.low if scale.direction == "maximize" else scale.high


def worst_values(
    scale: Scale, scores: Values, answered: Sequence[Values], natural: Values | None = None
) -> Values:
    """What silence scores on some examples, for scales without a worst end. At least one column is given.

    The worst of three scores: of an answer that says nothing (`natural`, NaN where unknown), of any compared variant
    that answered the example (`answered`, NaN where it did not), and the one that only 5 % of all `scores`, which are
    put into another order, are worse than. So silence is never better than the answer of a compared variant.
    """
    worse, share = (np.fmin, WORSE_SIDE) if scale.direction == "maximize" else (np.fmax, 1 - WORSE_SIDE)
    point = float(np.quantile(scores, share, overwrite_input=True)) if scores.size else 0.0
    worst = worse.reduce([np.full(len(answered[0]), point), *answered])
    return np.asarray(worst if natural is None else worse(worst, natural))


def with_worst(values: Values, unanswered: Mask, worst: Values | float) -> Column:
    """The column with `worst` for examples that were asked and not answered, written into `values`: a copy of a long
    column takes much memory."""
    if not unanswered.any():
        return Column(values)
    np.copyto(values, worst, where=unanswered)
    return Column(values, unanswered)
