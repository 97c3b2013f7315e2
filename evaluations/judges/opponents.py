"""What a judge of pairs compares an answer with: that of another variant, the same for every run that it reads."""

from collections.abc import Sequence

from evaluations.errors import Conflict
from evaluations.experiments import experiments
from evaluations.models import EvaluatorVersion, Judging, Run

READY = (Run.Status.QUEUED, Run.Status.RUNNING, Run.Status.COMPLETED)  # with all answers, scored or not yet


def compared(
    runs: Sequence[Run], version: EvaluatorVersion | None, against: Run | None = None
) -> list[tuple[Run, Run]]:
    """The runs whose answers a judge of pairs reads, each with the run that it is compared with."""
    other = _opponent(runs, version, against)
    return [(run, other) for run in runs if run.pk != other.pk]


def _opponent(runs: Sequence[Run], version: EvaluatorVersion | None, against: Run | None) -> Run:
    """The run of the other variant: it stays the same for a version, because each has ½ in its own column. At first it
    is the one that was named, else the first of several, else the baseline of the experiment.
    """
    of_version = Judging.objects.filter(
        version=version, run__experiment=runs[0].experiment_id, against__isnull=False
    )
    before = of_version.select_related("against__experiment__dataset", "against__project").first()
    if before is None or before.against is None:
        return against or (baseline_of(runs[0]) if len(runs) == 1 else None) or runs[0]
    if against is not None and before.against_id != against.pk:
        message = f"This judge compares with {before.against.variant} in this experiment."
        raise Conflict("other_opponent", message, hint="Save a new version to compare with another variant.")
    return before.against


def baseline_of(run: Run) -> Run | None:
    """The run that a judge of pairs compares with: the baseline of the experiment, once it has its answers."""
    first = next(iter(experiments.shown_runs(run.experiment)), None)
    if first is None or first.variant == run.variant or first.status not in READY:
        return None
    return first


def is_first(run: Run) -> bool:
    """Whether it is the run, or of the variant, that pairs are compared with."""
    first = next(iter(experiments.shown_runs(run.experiment)), None)
    return first is not None and first.variant == run.variant
