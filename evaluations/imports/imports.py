"""Files into datasets and outputs: confirmed by a person or program, read by a worker, visible all at once.

An import is leased and fenced like a chunk. Rows go in with a version that nobody sees until the last write,
so an import that is cut off starts again from nothing, and one that fails leaves its errors and no rows.
"""

import logging
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import bulk, hints, ingest, owned
from evaluations.access import limits
from evaluations.commit_points import reached
from evaluations.datasets import datasets
from evaluations.engine import claims, queue
from evaluations.errors import Conflict
from evaluations.experiments import experiments, runs
from evaluations.models import Dataset, Evaluator, Example, Experiment, Import, Output, Run, Upload

from . import checkpoints, incoming, uploads
from .columnmap import ColumnMap, check_outputs
from .dataset_reading import DatasetReading
from .output_reading import OutputReading

log = logging.getLogger(__name__)
ATTEMPTS = 6  # Each starts from nothing, so that one that was innocently interrupted needs some.
WORKER_LOST = {
    "code": "worker_lost",
    "message": f"Reading this file ended the worker {ATTEMPTS} times.",
    "hint": "Try a smaller part of the file, or more memory for the worker.",
}
FILE_GONE = {
    "code": "file_gone",
    "message": "The uploaded file is no longer in the storage.",
    "hint": "Upload it again.",
}


# ---- confirming --------------------------------------------------------------------------------------------


def begin(
    upload: Upload,
    name: str,
    mapping: dict[str, Any] | None,
    *,
    on_error: str = "reject",
    user: User | None = None,
    evaluators: Iterable[Evaluator] = (),
) -> Dataset:
    """A dataset that is there when a worker has read the file; mapped outputs make an experiment with a run each.

    The runs are scored with `evaluators` as soon as they are there.
    """
    columns = _checked(upload, mapping)
    with transaction.atomic():
        dataset = Dataset(project=upload.project, created_by=user, name=name, status=Dataset.Status.IMPORTING)
        dataset.sha256 = upload.sha256
        owned.named(dataset)
        if columns.outputs:
            experiment = _experiment(dataset, [variant for variant, _ in columns.outputs], user)
            experiments.link(experiment, experiments.newest(evaluators))
        _queue(upload, columns.as_dict(), on_error, dataset=dataset)
    return dataset


def begin_append(
    upload: Upload, dataset: Dataset, mapping: dict[str, Any] | None, *, on_error: str = "reject"
) -> Dataset:
    """The next version of a dataset, with the rows of a file at its end."""
    columns = _checked(upload, mapping)
    with transaction.atomic():
        datasets.lock(dataset)
        _queue(upload, columns.as_dict(), on_error, dataset=dataset)
    return dataset


def begin_outputs(upload: Upload, run: Run, mapping: dict[str, Any], *, start: bool) -> Run:
    """Outputs for a draft run, which is scored when they are there if `start`."""
    columns = check_outputs(uploads.preview(upload, None).columns, mapping)
    with transaction.atomic():
        runs.lock_draft(run)
        _queue(upload, columns | {"start": start}, "reject", run=run)
    return run


def _checked(upload: Upload, mapping: dict[str, Any] | None) -> ColumnMap:
    return ColumnMap.check(uploads.preview(upload, None).columns, mapping)


def _experiment(dataset: Dataset, variants: list[str], user: User | None) -> Experiment:
    """The experiment of an upload, named after its dataset, with a number where that name is taken."""
    taken = Experiment.objects.filter(
        project=dataset.project, deleted_at=None, name_key__startswith=dataset.name_key
    )
    keys = set(taken.values_list("name_key", flat=True))
    number = next(n for n in range(1, len(keys) + 2) if f"{dataset.name_key}{f' {n}' * (n > 1)}" not in keys)
    name = f"{dataset.name}{f' {number}' * (number > 1)}"
    experiment = owned.named(Experiment(project=dataset.project, created_by=user, name=name, dataset=dataset))
    Run.objects.bulk_create(
        Run(
            project=dataset.project,
            created_by=user,
            experiment=experiment,
            variant=variant,
            status=Run.Status.COMPLETED,
        )
        for variant in variants
    )
    return experiment


def _queue(upload: Upload, mapping: dict[str, Any], on_error: str, **target: Any) -> None:
    limits.require_room(upload.project)
    if not Upload.objects.filter(pk=upload.pk).delete()[0]:
        raise Conflict(
            "upload_gone", "This file is being imported already, or was discarded.", hint="Upload it again."
        )
    made = Import.objects.create(
        filename=upload.filename,
        stored_as=upload.stored_as,
        size=upload.size,
        format=upload.format,
        mapping=mapping,
        on_error=on_error,
        **target,
    )
    hints.send("evaluations.import_file", made.pk)


# ---- reading -----------------------------------------------------------------------------------------------


def run_import(import_id: int) -> None:
    """Read one file into its place. Called any number of times: only who gets the lease does anything."""
    job = claims.claim(import_id)
    if job is None:
        return
    reading = (DatasetReading if job.dataset else OutputReading)(job)
    try:
        with queue.given_back_on_error(job):
            _read(job, reading)
    except queue.Lost:
        log.info("import %s was taken over or called off", job.pk)
        return
    reached("import_done")
    uploads.discard(job.stored_as)
    if job.size > incoming.LARGE:
        bulk.analyze(Example, Output)


def _read(job: Import, reading: DatasetReading | OutputReading) -> None:
    try:
        if job.attempt > ATTEMPTS:
            raise claims.Rejected([WORKER_LOST], 1)
        try:
            file = default_storage.open(job.stored_as)
        except FileNotFoundError as gone:
            raise claims.Rejected([FILE_GONE], 1) from gone
        with file, checkpoints.beside():
            reading.read(file)
    except claims.Rejected as rejected:
        reading.fail(rejected.errors, rejected.count)
    except ingest.FileError as error:
        reading.fail([error.as_dict()], 1)


def sweep() -> None:
    """Free the files whose worker was lost, and say again that there are files to read."""
    queue.free_expired(Import.objects.all())
    for import_id in Import.objects.filter(queue.ready()).values_list("pk", flat=True):
        hints.send("evaluations.import_file", import_id)
