"""The order of the list of experiments."""

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from evaluations.models import DatasetVersion, Experiment

from ..page_tools.sorting import NAME, Column

EXAMPLES = DatasetVersion.objects.filter(dataset=OuterRef("dataset"), number=OuterRef("dataset_version"))
FINISHED = Max("runs__finished_at", filter=Q(runs__deleted_at=None, runs__for_gate=False))
COLUMNS = {
    "question": NAME,
    "examples": Column(Subquery(EXAMPLES.values("example_count"))),
    "finished": Column(FINISHED),
}


def by_finish(experiments: QuerySet[Experiment]) -> QuerySet[Experiment]:
    """The experiments whose last run finished first are last; one without any is as old as it is."""
    return experiments.annotate(finished_at=Coalesce(FINISHED, "created_at")).order_by("-finished_at", "-pk")
