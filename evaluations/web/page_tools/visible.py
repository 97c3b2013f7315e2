"""Objects that have a page."""

from evaluations.models import Dataset, Experiment, Gate, Project, Run
from evaluations.models.owned import OwnedQuerySet


def experiments() -> OwnedQuerySet[Experiment]:
    """Experiments whose dataset is imported and not deleted."""
    return restorable_experiments().live().select_related("dataset", "output_copy")


def restorable_experiments() -> OwnedQuerySet[Experiment]:
    """The same, deleted or not."""
    return Experiment.objects.filter(dataset__status=Dataset.Status.READY, dataset__deleted_at=None)


def experiments_of(project: Project) -> OwnedQuerySet[Experiment]:
    return experiments().filter(project=project)


def runs() -> OwnedQuerySet[Run]:
    """Runs whose experiment is not deleted."""
    live_runs = Run.objects.live().filter(experiment__deleted_at=None)
    return live_runs.select_related(
        "experiment__dataset", "experiment__output_copy", "created_by", "generation", "split"
    )


def gates() -> OwnedQuerySet[Gate]:
    """Gates whose dataset is not deleted."""
    live_gates = Gate.objects.live().filter(dataset__deleted_at=None)
    return live_gates.select_related("dataset", "baseline", "split")
