"""When runs and datasets were last used, for retention. Viewing is not a use."""

from datetime import datetime
from typing import Any

from django.db.models import Max, Model, QuerySet
from django.db.models.functions import Coalesce, Greatest

from evaluations.models import (
    Dataset,
    DatasetImport,
    DatasetVersion,
    Experiment,
    GateCheck,
    Run,
    Split,
    Trial,
)

Uses = dict[int, datetime]

# the end of a run, or its start if it has not ended; restoring the run or its experiment is a use too
END_OF_RUN = Greatest(
    "created_at",
    Coalesce("finished_at", "created_at"),
    Coalesce("restored_at", "created_at"),
    Coalesce("experiment__restored_at", "created_at"),
)
# models whose times count as uses of a dataset, with the lookup of that dataset
OF_DATASETS: tuple[tuple[type[Model], str, tuple[str, ...]], ...] = (
    (Dataset, "pk", ("created_at", "restored_at", "used_at")),
    (DatasetVersion, "dataset", ("created_at",)),
    (DatasetImport, "dataset", ("created_at",)),
    (Split, "dataset", ("created_at", "restored_at")),
    (Trial, "dataset", ("created_at",)),
    (Experiment, "dataset", ("created_at", "restored_at")),
    (Run, "experiment__dataset", ("created_at", "finished_at", "restored_at")),
    (GateCheck, "gate__dataset", ("created_at",)),
)


def of_runs(runs: QuerySet[Run]) -> Uses:
    return dict(runs.order_by().annotate(end=END_OF_RUN).values_list("pk", "end"))


def of_datasets(datasets: QuerySet[Dataset]) -> Uses:
    """The last use of each dataset by any dependent object, including those that retention has deleted since."""
    latest: Uses = {}
    for model, dataset, fields in OF_DATASETS:
        for pk, *times in _latest(model, dataset, fields, datasets):
            latest[pk] = max(at for at in (latest.get(pk), *times) if at is not None)
    return latest


def _latest(model: type[Model], dataset: str, fields: tuple[str, ...], datasets: QuerySet[Dataset]) -> Any:
    rows = model._default_manager.filter(**{f"{dataset}__in": datasets.order_by().values("pk")}).order_by()
    return rows.values_list(dataset).annotate(*map(Max, fields))


def remember(dataset: int) -> None:
    """Store the last use of a dataset, before one of its runs or experiments is purged."""
    for pk, at in of_datasets(Dataset.objects.filter(pk=dataset)).items():
        Dataset.objects.filter(pk=pk).update(used_at=at)
