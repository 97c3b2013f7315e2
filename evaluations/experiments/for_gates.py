"""Runs that a pipeline sent for a gate: no variants of their experiment until somebody counts them among these.

A pull request that failed would otherwise widen the intervals of every variant, and take its place in ranking, subsets
and leaderboard.
"""

from collections.abc import Iterable

from evaluations.access import audit
from evaluations.models import Run


def variants_among(runs: Iterable[Run]) -> list[Run]:
    """Those of the runs that are variants of their experiments."""
    return [run for run in runs if not run.for_gate]


def keep_apart(run: Run, apart: bool) -> Run:
    """Say of a run whether it was sent for a gate, and is no variant."""
    audit.note(for_gate=apart, before=run.for_gate)
    run.for_gate = apart
    run.save(update_fields=["for_gate"])
    return run
