"""What the sample has once it is scored: a gate that passed a variant, and turned inconclusive on the next."""

from datetime import timedelta

from evaluations import leases
from evaluations.experiments import experiments, samples
from evaluations.kinds.content_similarity import content_similarity
from evaluations.models import CountedComparison, Experiment, Gate, Project, Run
from evaluations.models.fields import name_key

from . import gates
from .gates import Plan

NAME = "Ready for customers (sample)"
CANDIDATES, ANSWERED = ("with our rules", "one line only"), 0.99
SOON = timedelta(hours=1)  # later, a missing gate was deleted


def complete() -> None:
    """Make the gate of each new sample once its runs are scored, and let earlier runs end, and be compared, on their
    day.

    Part of the sweep.
    """
    new = Experiment.objects.live().filter(
        name_key=name_key(samples.QUESTION), created_at__gt=leases.now() - SOON
    )
    for experiment in new.select_related("dataset", "project"):
        if samples.is_sample(experiment) and not Gate.objects.filter(dataset=experiment.dataset).exists():
            of_dataset = Run.objects.filter(experiment__dataset=experiment.dataset)
            if not of_dataset.exclude(status=Run.Status.COMPLETED).exists():
                for run in of_dataset.exclude(experiment=experiment):
                    ended = run.created_at + (run.took or timedelta())
                    Run.objects.filter(pk=run.pk).update(started_at=run.created_at, finished_at=ended)
                    CountedComparison.objects.filter(run=run).update(created_at=ended)
                _make(experiment)


def _make(experiment: Experiment) -> None:
    runs = {run.variant: run for run in experiments.runs_of(experiment)}
    baseline = runs.get(samples.BASELINE)
    versions = experiments.versions_of(experiment)
    decides = next((v for v in versions if v.kind == content_similarity.key), None)
    if baseline is None or decides is None or not _frees_name(experiment.project):
        return
    criteria = [
        {"rule": "better", "evaluator": decides.evaluator_id},
        {"rule": "answered", "value": ANSWERED},
    ]
    gate = gates.create(experiment.project, experiment.created_by, NAME, Plan(baseline, criteria))
    for candidate in CANDIDATES:
        if run := runs.get(candidate):
            gates.keep(gates.check(gate, run, experiment.created_by))


def _frees_name(project: Project) -> bool:
    """Whether a gate can have the name of the sample's: that of a sample which was removed is deleted."""
    named = Gate.objects.live().filter(project=project, name_key=name_key(NAME))
    for gate in named.exclude(dataset__deleted_at=None):
        gates.delete(gate)
    return not named.exists()
