"""What the gates with the baseline of a comparison say about its runs, for its report; nothing is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

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
    """`left_out` counts gates that were too many to check, `elsewhere` those of other examples than the report's."""

    verdicts: Sequence[GateVerdict] = ()
    left_out: int = 0
    elsewhere: int = 0


def gate_verdicts(comparison: Comparison) -> GateVerdicts:
    """Of the newest gates that hold runs against this baseline; of a part of the examples, those of the same split."""
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
    """A report of all examples shows gates of splits too, whose sentences say so; none is about some metadata."""
    among = comparison.among
    if among.metadata:
        return gates.none()
    return gates.filter(split=among.split) if among.split else gates
