"""Repeats a failed import from its stored file, with other settings or another mapping."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import leases, owned
from evaluations.datasets import datasets, schemas
from evaluations.errors import Conflict
from evaluations.models import Dataset, DatasetImport, Evaluator, FailedImport, Upload

from .columns.columnmap import ColumnMap
from .imports import add_experiment, checked, queue_file, require_repeatable


def failed_import(dataset: Dataset) -> FailedImport:
    """The last import's file if it failed; otherwise raises `Conflict`."""
    failed = FailedImport.objects.filter(dataset=dataset).first()
    if failed is None:
        raise Conflict(
            "no_failed_import",
            f"“{dataset.name}” has no failed import to retry.",
            hint=f"Its file is kept for {owned.UNDO.days} days. Upload it again.",
        )
    return failed


def retry(dataset: Dataset, user: User | None, on_error: str = "skip") -> Dataset:
    """Import the same file with the same mapping; by default, bad rows are skipped."""
    failed = failed_import(dataset)
    live_evaluators = Evaluator.objects.live().filter(project=dataset.project).in_bulk(failed.evaluators)
    evaluators = [
        live_evaluators[pk] for pk in failed.evaluators if pk in live_evaluators
    ]  # The first is the primary one.
    columns = ColumnMap.from_dict(failed.mapping)
    return _begin(dataset, failed, columns, user, evaluators, on_error, failed.duplicate_rows)


def begin_again(
    upload: Upload,
    dataset: Dataset,
    name: str,
    mapping: dict[str, Any],
    *,
    on_error: str,
    user: User | None,
    evaluators: Iterable[Evaluator] = (),
    schema: Any = None,
    duplicates: str = DatasetImport.Duplicates.KEEP,
    baseline: str = "",
) -> Dataset:
    """Import the reopened file of a failed import with another mapping into the same dataset.

    A dataset without versions gets this schema.
    """
    columns, checked_schema = checked(upload, mapping), schemas.checked(schema or {})
    require_repeatable(columns, duplicates)
    with transaction.atomic():
        failed_import(dataset).delete()
        dataset.name = name
        dataset.schema = dataset.schema if dataset.version else checked_schema
        return _begin(dataset, upload, columns, user, evaluators, on_error, duplicates, baseline)


def _begin(
    dataset: Dataset,
    file: Upload | FailedImport,
    columns: ColumnMap,
    user: User | None,
    evaluators: Iterable[Evaluator],
    on_error: str,
    duplicates: str,
    baseline: str = "",
) -> Dataset:
    with transaction.atomic():
        if dataset.version:
            datasets.lock(dataset)
        else:
            _revive(dataset)
            add_experiment(dataset, columns, user, evaluators, baseline, file.filename)
        queue_file(file, columns.as_dict(), on_error, dataset=dataset, duplicate_rows=duplicates)
    return dataset


def _revive(dataset: Dataset) -> None:
    """Set a dataset without versions to importing again; raises `Conflict` if its name was taken meanwhile."""
    failed = Dataset.objects.select_for_update().filter(pk=dataset.pk, status=Dataset.Status.FAILED)
    if not failed.exists():
        raise Conflict(
            "dataset_not_ready", "This dataset is being imported.", hint="Wait for the import to end."
        )
    dataset.status, dataset.errors, dataset.error_count, dataset.error_counts = "importing", [], 0, {}
    owned.save_named(dataset)


def reopen(dataset: Dataset, user: User) -> Upload:
    """The file of a failed import as an upload, so that its columns can be mapped again; the import stays."""
    failed = failed_import(dataset)
    fields = {name: getattr(failed, name) for name in ("filename", "stored_as", "size", "format")}
    mapping = {"retry": dataset.pk, "mapped": failed.mapping, "name": dataset.name, "schema": dataset.schema}
    mapping["duplicates"] = failed.duplicate_rows
    if dataset.version:
        mapping["dataset"] = dataset.pk
    return Upload.objects.create(
        project=dataset.project,
        user=user,
        sha256=dataset.sha256,
        mapping=mapping,
        touched_at=leases.now(),
        **fields,
    )
