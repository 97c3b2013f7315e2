"""Verdicts of the gates that have the comparison's baseline, for its report; nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluations.comparisons.comparison import Comparison
from evaluations.gates import gates
from evaluations.models import Gate, GateCheck, Run

MOST_CHECKS = 20


@dataclass(frozen=True)
class GateVerdict:
    """A gate, with a check of each run that it can check."""

    gate: Gate
    checks: Sequence[GateCheck]


@dataclass(frozen=True)
class GateVerdicts:
    """`left_out` counts gates beyond the limit, `elsewhere` gates on other examples than the report's."""

    verdicts: Sequence[GateVerdict] = ()
    left_out: int = 0
    elsewhere: int = 0


def gate_verdicts(comparison: Comparison) -> GateVerdicts:
    """Verdicts of the newest gates with this baseline; in a report of a split, of that split's gates."""
    runs = [run for run in comparison.sides.runs[1:] if run.status == Run.Status.COMPLETED]
    if not runs:
        return GateVerdicts()
    with_baseline = Gate.objects.live().filter(
        project=comparison.sides.experiment.project_id,
        dataset=comparison.sides.dataset,
        baseline=comparison.sides.baseline.run,
    )
    fitting = _of_these_examples(with_baseline, comparison)
    ordered = list(fitting.select_related("project", "dataset", "baseline__experiment__dataset", "split"))
    shown = ordered[: max(1, MOST_CHECKS // len(runs))]
    verdicts = [GateVerdict(gate, [gates.check(gate, run) for run in runs[:MOST_CHECKS]]) for gate in shown]
    return GateVerdicts(verdicts, len(ordered) - len(shown), with_baseline.count() - len(ordered))


def _of_these_examples(gates: QuerySet[Gate], comparison: Comparison) -> QuerySet[Gate]:
    """The gates on the report's examples: in a report of all examples all gates, in one filtered by metadata none."""
    example_filter = comparison.example_filter
    if example_filter.metadata:
        return gates.none()
    return gates.filter(split=example_filter.split) if example_filter.split else gates
