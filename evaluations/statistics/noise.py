"""How much of an interval's width comes from repeating answers, and how much from the choice of examples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluations.statistics.terms import Values

FEWEST_EXAMPLES = 10


@dataclass(frozen=True)
class Noise:
    """`share` is the part of the variance of the mean difference that further repetitions would remove."""

    share: float

    @property
    def by_repetitions(self) -> float:
        """By which part the interval narrows with twice the repetitions.

        >>> round(Noise(0.15).by_repetitions, 2), round(Noise(1.0).by_repetitions, 2)
        (0.04, 0.29)
        """
        return 1 - math.sqrt(1 - self.share / 2)

    @property
    def by_examples(self) -> float:
        """By which part it narrows with twice the examples."""
        return 1 - math.sqrt(0.5)


def of_repetitions(baseline: Sequence[Values], variant: Sequence[Values]) -> Noise | None:
    """The noise of the difference of two sides, each given by the scores of its runs; None without repetitions.

    Within an example, scores of one side's runs vary by chance alone; their variance, divided by the number of runs and
    added over both sides, is the part of the variance of the differences that repetitions would remove.
    """
    if max(len(baseline), len(variant)) < 2:
        return None
    sides = [np.vstack(side) for side in (baseline, variant)]
    whole = np.logical_and.reduce([np.isfinite(side).all(axis=0) for side in sides])
    if np.count_nonzero(whole) < FEWEST_EXAMPLES:
        return None
    first, second = (side[:, whole] for side in sides)
    total = float(np.var(second.mean(axis=0) - first.mean(axis=0), ddof=1))
    by_chance = sum(
        float(side.var(axis=0, ddof=1).mean()) / len(side) for side in (first, second) if len(side) > 1
    )
    return Noise(min(by_chance / total, 1.0)) if total > 0 else None
