"""The pass rate of a run without labels, corrected by a judge's errors on another run (Rogan and Gladen 1978).

The interval is that of Lang and Reiczigel (2014). It assumes that the judge errs as often on both runs, which a variant
with longer answers makes false; so the figure is never a verdict.
"""

import math
from dataclasses import dataclass

from evaluations.statistics.intervals import Z
from evaluations.statistics.terms import Interval

FEWEST = 0.2  # sensitivity + specificity − 1, below which a judge tells nothing


@dataclass(frozen=True)
class Errors:
    """A judge checked against people: of `passed` answers that people pass it passes `rightly_passed`; so of failed."""

    passed: float
    rightly_passed: float
    failed: float
    rightly_failed: float


def transferred(passes: int, n: int, errors: Errors) -> tuple[float, Interval] | None:
    """The corrected pass rate of `n` answers of which the judge passes `passes`; None if the judge tells too little."""
    square = Z * Z
    rate = (passes + square / 2) / (n + square)
    sensitivity = (errors.rightly_passed + 1) / (errors.passed + 2)
    specificity = (errors.rightly_failed + 1) / (errors.failed + 2)
    told = sensitivity + specificity - 1
    if told < FEWEST:
        return None
    value = (rate + specificity - 1) / told
    of_passed = sensitivity * (1 - sensitivity) / (errors.passed + 2)
    of_failed = specificity * (1 - specificity) / (errors.failed + 2)
    shift = 2 * square * (value * of_passed - (1 - value) * of_failed)
    spread = rate * (1 - rate) / (n + square) + value**2 * of_passed + (1 - value) ** 2 * of_failed
    reach = Z * math.sqrt(spread) / told
    ends = min(max(value + shift - reach, 0.0), 1.0), min(max(value + shift + reach, 0.0), 1.0)
    return min(max(value, 0.0), 1.0), ends
