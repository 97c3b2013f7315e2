"""Figures of repeated answers: pass@k, pass^k, the majority, and what would make an interval narrower.

Each example has `attempts`, of which some pass; both are arrays with a number for each example.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.terms import Values

Counts = NDArray[np.int64]


def pass_at(attempts: Counts, passes: Counts, k: int) -> float | None:
    """pass@k: the chance that at least one of k attempts passes, estimated without bias (Chen et al. 2021).

    The mean of 1 − C(n − c, k) / C(n, k) over the examples with at least k attempts; None without any.

    >>> pass_at(np.array([4]), np.array([1]), 2)
    0.5
    """
    enough = attempts >= k
    if not enough.any():
        return None
    return float((1 - _all_among(attempts[enough], (attempts - passes)[enough], k)).mean())


def pass_all(attempts: Counts, passes: Counts, k: int) -> float | None:
    """pass^k: the chance that all of k attempts pass (Yao et al. 2024), the mean of C(c, k) / C(n, k).

    >>> pass_all(np.array([4]), np.array([3]), 2)
    0.5
    """
    enough = attempts >= k
    return float(_all_among(attempts[enough], passes[enough], k).mean()) if enough.any() else None


def _all_among(attempts: Counts, chosen: Counts, k: int) -> Values:
    """The chance that k attempts, drawn without replacement, are all among the chosen ones: C(c, k) / C(n, k)."""
    share = np.ones(len(attempts))
    for drawn in range(k):
        share *= np.maximum(chosen - drawn, 0) / (attempts - drawn)
    return share


def majority(attempts: Counts, passes: Counts) -> float | None:
    """The share of examples of which more than half of the attempts pass; a tie counts half."""
    asked = attempts > 0
    if not asked.any():
        return None
    ahead = np.sign(2 * passes[asked] - attempts[asked])
    return float(((ahead + 1) / 2).mean())


@dataclass(frozen=True)
class Width:
    """Where the width of an interval comes from. Per example, `total` is the variance of the means over repetitions,
    of which `chance` comes from repeating; there are n `examples` with so many `repetitions`."""

    examples: int
    repetitions: int
    total: float
    chance: float

    @property
    def share(self) -> float:
        """The part of the variance that further repetitions would remove."""
        return min(self.chance / self.total, 1.0) if self.total > 0 else 0.0

    def narrower(self, repetitions: int = 0, examples: int = 0) -> float:
        """By which part the interval narrows with so many more repetitions or examples.

        >>> width = Width(240, 5, 1.0, 0.6)
        >>> round(width.narrower(repetitions=2), 2), round(width.narrower(examples=300), 2)
        (0.09, 0.33)
        """
        kept = self.share * self.repetitions / (self.repetitions + repetitions) + 1 - self.share
        return 1 - math.sqrt(kept * self.examples / (self.examples + examples))

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.total / self.examples)


FEWEST_EXAMPLES = 10


def width(*sides: Values) -> Width | None:
    """The width of the mean of one side, or of the difference of two; a side has a row of scores for each repetition.

    Within an example, scores of one side vary by chance alone; their variance by the number of repetitions, added over
    the sides, is what repetitions would remove. Examples that lack a score are left out; None below ten examples or two
    repetitions.
    """
    whole = np.logical_and.reduce([np.isfinite(side).all(axis=0) for side in sides])
    examples, repetitions = int(np.count_nonzero(whole)), min(len(side) for side in sides)
    if examples < FEWEST_EXAMPLES or repetitions < 2:
        return None
    used = [side[:, whole] for side in sides]
    means = [side.mean(axis=0) for side in used]
    total = float(np.var(means[0] - means[1] if len(means) > 1 else means[0], ddof=1))
    chance = sum(float(side.var(axis=0, ddof=1).mean()) / len(side) for side in used)
    return Width(examples, repetitions, total, min(chance, total)) if total > 0 else None
