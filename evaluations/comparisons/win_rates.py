"""How often people prefer one of two variants, from labels of pairs: the paired comparison of their scores.

Each answer of a pair has 1, ½ or 0, so the two means add up to 1, and the difference d of the means that the comparison
estimates, with its interval, is a win rate of (1 + d) / 2. Ties count half.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.models import EvaluatorVersion, Run, Scoring

from .comparison import Comparison

LEAST = 30  # pairs, below which counts are told and no interval


@dataclass(frozen=True)
class WinRate:
    """`run` against `baseline` in `n` pairs. `rate` is its share of wins; the 95 % interval needs `LEAST` pairs."""

    run: Run
    baseline: Run
    n: int
    rate: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


def of_pair(version: EvaluatorVersion, runs: Sequence[Run]) -> WinRate | None:
    """The win rate of the second of two runs by the labels under a version of a set of pairs; None without labels."""
    scored = Scoring.objects.filter(evaluator_version=version, run__in=runs, summary__isnull=False)
    scorings = {
        scoring.run_id: [scoring] for scoring in scored.select_related("evaluator_version__evaluator")
    }
    if len(runs) != 2 or len(scorings) != 2:
        return None
    baseline, run = runs
    comparison = Comparison(list(runs), baseline, scorings)
    found = comparison.figures.entry(run.pk, version.evaluator_id).paired
    if found.difference is None:
        return None
    low, high = found.interval if found.interval and found.n >= LEAST else (None, None)
    shares = [None if end is None else (1 + end) / 2 for end in (low, high)]
    return WinRate(run, baseline, found.n, (1 + found.difference) / 2, *shares)
