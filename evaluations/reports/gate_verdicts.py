"""What the gates with the baseline of a comparison say about its runs, for its report; nothing is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.comparisons import gates
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Gate, GateCheck, Run

MOST_CHECKS = 20


@dataclass(frozen=True)
class GateVerdict:
    """A gate, and its check of each run that can be checked."""

    gate: Gate
    checks: Sequence[GateCheck]


@dataclass(frozen=True)
class GateVerdicts:
    """`left_out` counts the gates that were too many to check."""

    verdicts: Sequence[GateVerdict] = ()
    left_out: int = 0


def gate_verdicts(comparison: Comparison) -> GateVerdicts:
    """Of the newest gates that hold runs against this baseline; none for a part of the examples."""
    runs = [run for run in comparison.runs[1:] if run.status == Run.Status.COMPLETED]
    if comparison.among or not runs:
        return GateVerdicts()
    fitting = Gate.objects.live().filter(
        project=comparison.experiment.project_id,
        dataset=comparison.dataset,
        baseline=comparison.baseline.run,
    )
    ordered = list(fitting.select_related("project", "dataset", "baseline__experiment__dataset"))
    shown = ordered[: max(1, MOST_CHECKS // len(runs))]
    verdicts = [GateVerdict(gate, [gates.check(gate, run) for run in runs[:MOST_CHECKS]]) for gate in shown]
    return GateVerdicts(verdicts, len(ordered) - len(shown))
