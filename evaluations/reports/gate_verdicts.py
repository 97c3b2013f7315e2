"""The verdicts of the gates with the same baseline as a comparison, for its report; nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluations.comparisons import gates
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Gate, GateCheck, Run

MOST_CHECKS = 20


@dataclass(frozen=True)
class GateVerdict:
    """A gate, and a check of each run that it can check."""

    gate: Gate
    checks: Sequence[GateCheck]


@dataclass(frozen=True)
class GateVerdicts:
    """`left_out` counts the gates beyond the limit, `elsewhere` the gates of other examples than the report's."""

    verdicts: Sequence[GateVerdict] = ()
    left_out: int = 0
    elsewhere: int = 0


def gate_verdicts(comparison: Comparison) -> GateVerdicts:
    """The verdicts of the newest gates with this baseline; for a report of a split, of the gates of that split."""
    runs = [run for run in comparison.runs[1:] if run.status == Run.Status.COMPLETED]
    if not runs:
        return GateVerdicts()
    with_baseline = Gate.objects.live().filter(
        project=comparison.experiment.project_id,
        dataset=comparison.dataset,
        baseline=comparison.baseline.run,
    )
    fitting = _of_these_examples(with_baseline, comparison)
    ordered = list(fitting.select_related("project", "dataset", "baseline__experiment__dataset", "split"))
    shown = ordered[: max(1, MOST_CHECKS // len(runs))]
    verdicts = [GateVerdict(gate, [gates.check(gate, run) for run in runs[:MOST_CHECKS]]) for gate in shown]
    return GateVerdicts(verdicts, len(ordered) - len(shown), with_baseline.count() - len(ordered))


def _of_these_examples(gates: QuerySet[Gate], comparison: Comparison) -> QuerySet[Gate]:
    """The gates of the report's examples: all gates for a report of all, none for a report of some metadata."""
    among = comparison.among
    if among.metadata:
        return gates.none()
    return gates.filter(split=among.split) if among.split else gates
