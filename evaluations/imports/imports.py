"""Imports of files into datasets and runs: confirmed by a user or program, done by a worker, visible all at once.

An import is leased and fenced like a chunk. Its rows have a version that nobody sees before the last write, so an
interrupted import restarts from nothing, and a failed one leaves its errors and no rows.
"""

import io
import logging
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import bulk, hints, ingest, owned, task_names
from evaluations.access import limits
from evaluations.commit_points import reached
from evaluations.datasets import datasets, schemas
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid, StorageFull
from evaluations.evaluators import outside
from evaluations.experiments import experiments, runs
from evaluations.models import (
    Dataset,
    DatasetImport,
    Evaluator,
    Example,
    Experiment,
    FailedImport,
    Import,
    Output,
    Run,
    Upload,
)

from . import choices, claims
from .choices import DEFAULTS, How
from .columns import guessed_roles, saved_mappings
from .columns.columnmap import ColumnMap
from .editing import Editing
from .reading import checkpoints
from .reading.change_reading import ChangeReading
from .reading.dataset_reading import DatasetReading
from .reading.long_outputs import LongOutputs
from .reading.long_reading import LongReading
from .reading.output_reading import OutputReading
from .reading.rater_reading import RaterReading
from .reading.tool_reading import ToolReading
from .restoring import Restoring
from .rows import incoming
from .uploads import uploads

log = logging.getLogger(__name__)
Reading = DatasetReading | OutputReading | ChangeReading | Editing | Restoring | ToolReading
ATTEMPTS = 6  # Imports restart from nothing, so allow for several interruptions.
WORKER_LOST = {
    "code": "worker_lost",
    "message": f"The worker stopped {ATTEMPTS} times while it read this file.",
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
    schema: Any = None,
    duplicates: str = DatasetImport.Duplicates.KEEP,
    how: How = DEFAULTS,
    baseline: str = "",
) -> Dataset:
    """Create a dataset, which a worker fills; mapped outputs become an experiment with a run for each.

    The default `baseline` is the first variant. The runs are scored with `evaluators`, and with those of the mapping,
    after the import. The rows must fit the `schema`, which the dataset keeps. `duplicates` decides about rows with the
    contents of an earlier one.
    """
    read, checked_schema = choices.read(upload, mapping, how), schemas.checked(schema or {})
    columns = read.columns
    require_repeatable(columns, duplicates)
    scoring = dict.fromkeys([*evaluators, *saved_mappings.evaluators(upload.project, mapping or {})])
    with transaction.atomic():
        dataset = Dataset(project=upload.project, created_by=user, name=name, status=Dataset.Status.IMPORTING)
        dataset.sha256, dataset.schema = upload.sha256, checked_schema
        dataset.warnings = read.warnings + guessed_roles.left_out(read.left_out)
        owned.save_named(dataset)
        add_experiment(dataset, columns, user, scoring, baseline, upload.filename)
        queue_file(upload, columns.as_dict(), on_error, dataset=dataset, duplicate_rows=duplicates)
    return dataset


def require_repeatable(columns: ColumnMap, duplicates: str) -> None:
    """Raise `Invalid` if duplicates are not kept, although the file repeats each example for every variant."""
    if columns.variant and duplicates != DatasetImport.Duplicates.KEEP:
        message = "In a file with a row for each variant or rater, rows with equal key and contents are one example."
        raise Invalid("invalid_choice", message, fields={"duplicates": [message]})


def begin_append(
    upload: Upload,
    dataset: Dataset,
    mapping: dict[str, Any] | None,
    *,
    on_error: str = "reject",
    how: How = DEFAULTS,
) -> Dataset:
    """Queue a file whose rows are appended to a dataset."""
    columns = choices.read(upload, mapping, how).columns
    if mapping is None:
        columns = replace(columns, outputs=(), scores=())
    if columns.variant or columns.outputs:
        raise Invalid("invalid_mapping", "Rows that are added to a dataset cannot have outputs of variants.")
    with transaction.atomic():
        datasets.lock(dataset)
        FailedImport.objects.filter(dataset=dataset).delete()
        queue_file(upload, columns.as_dict(), on_error, dataset=dataset)
    return dataset


def begin_outputs(upload: Upload, run: Run, read: dict[str, Any], *, start: bool) -> Run:
    """Queue a file with outputs for a draft run, read as `outputs.checked` says, and scored afterwards if `start`."""
    with transaction.atomic():
        runs.lock_draft(run)
        queue_file(upload, read | {"start": start}, "reject", run=run)
    return run


def checked(upload: Upload, mapping: dict[str, Any] | None) -> ColumnMap:
    """The mapping, by default the suggested one; raises `Invalid` if it does not fit the columns of the file."""
    return choices.read(upload, mapping).columns


def add_experiment(
    dataset: Dataset,
    columns: ColumnMap,
    user: User | None,
    evaluators: Iterable[Evaluator],
    baseline: str,
    filename: str,
) -> None:
    """Create the experiment of a file with outputs, with a run for each variant; `evaluators` will score them.

    It remembers how the file was read, for those of further variants.
    """
    if not columns.outputs:
        return
    project, name = dataset.project, free_name(dataset)
    new = Experiment(project=project, created_by=user, name=name, dataset=dataset, baseline=baseline)
    new.first_file = {"filename": filename, "mapping": columns.as_dict()}
    experiment = owned.save_named(new)
    run = {"project": project, "created_by": user, "experiment": experiment, "status": Run.Status.COMPLETED}
    variants = owned.distinct(columns.known_variants).values()
    Run.objects.bulk_create(Run(variant=name, **run) for name in variants)
    score_evaluators = outside.of_scores(project, user, columns.score_settings.items())
    experiments.link(experiment, experiments.newest(dict.fromkeys([*evaluators, *score_evaluators])))


def free_name(dataset: Dataset) -> str:
    """The dataset's name for an experiment; numbered, and shortened if necessary, if an experiment has it already."""
    experiments = Experiment.objects.filter(project=dataset.project, deleted_at=None)
    return owned.free_name(experiments, dataset.name, owned.numbered())


def queue_file(file: Upload | FailedImport, mapping: dict[str, Any], on_error: str, **target: Any) -> None:
    """Queue a file for the workers; it stops being an upload or a failed import."""
    limits.require_room(file.project)
    if not type(file).objects.filter(pk=file.pk).delete()[0]:
        raise Conflict(
            "upload_gone", "This file is being imported already, or was discarded.", hint="Upload it again."
        )
    job = Import.objects.create(
        filename=file.filename,
        stored_as=file.stored_as,
        size=file.size,
        format=file.format,
        mapping=mapping,
        on_error=on_error,
        **target,
    )
    hints.send(task_names.IMPORT_FILE, job.pk)


# ---- reading -----------------------------------------------------------------------------------------------


def run_import(import_id: int) -> None:
    """Import one file. Safe to call any number of times: only the holder of the lease works."""
    job = claims.claim(import_id)
    if job is None:
        return
    reading = _reading(job)
    try:
        with queue.given_back_on_error(job):
            _read(job, reading)
    except queue.Lost:
        log.info("import %s was taken over or cancelled", job.pk)
        return
    reached("import_done")
    if experiment := job.mapping.get("experiment"):
        _use_newest(experiment)
    if job.is_large:
        _send_hints()
    if job.stored_as and not reading.keeps_file:
        uploads.discard(job.stored_as)
    if job.size > incoming.LARGE:
        bulk.analyze(Example, Output)


def _use_newest(experiment: int) -> None:
    """Let an experiment use what was added to its dataset; one of which a run is in progress waits until asked."""
    with suppress(Conflict, Experiment.DoesNotExist):
        experiments.use_dataset_version(Experiment.objects.get(pk=experiment, deleted_at=None))


def _reading(job: Import) -> Reading:
    if job.change:
        return _kind_of(job.change)(job, job.change)
    if not job.dataset:
        return LongOutputs(job) if job.mapping.get("variant") else OutputReading(job)
    if "tool" in job.mapping:
        return ToolReading(job)
    if job.mapping.get("label"):
        return RaterReading(job)
    return LongReading(job) if job.mapping.get("variant") else DatasetReading(job)


def _kind_of(change: DatasetImport) -> type[ChangeReading | Editing | Restoring]:
    if change.is_edit:
        return Editing
    if change.mode == DatasetImport.Mode.RESTORE:
        return Restoring
    return ChangeReading


def _read(job: Import, reading: Reading) -> None:
    try:
        if job.attempt > ATTEMPTS:
            raise claims.Rejected([WORKER_LOST])
        with _opened(job) as file, checkpoints.in_background():
            reading.read(file)
    except claims.Rejected as rejected:
        reading.fail(rejected.errors, rejected.counts)
    except (ingest.FileError, StorageFull) as error:
        reading.fail([error.as_dict()], Counter([error.code]))


def _opened(job: Import) -> BinaryIO:
    """The file of an import; an empty one if it restores a version or edits examples."""
    if not job.stored_as:
        return io.BytesIO()
    try:
        with claims.kept(job):
            return cast(BinaryIO, default_storage.open(job.stored_as))
    except FileNotFoundError as error:
        raise claims.Rejected([FILE_GONE]) from error


def sweep() -> None:
    """Free the imports of lost workers, and send hints for waiting ones again."""
    queue.free_expired(Import.objects.all())
    _send_hints()


def _send_hints() -> None:
    """Name the oldest waiting files, and the smallest, which need no room among the large ones.

    Not all: a message for each of a thousand files in each sweep would fill Redis while one large file is read.
    """
    waiting = Import.objects.filter(queue.ready()).values_list("pk", flat=True)
    oldest, smallest = (waiting.order_by(*order)[: queue.MOST_HINTS] for order in (["pk"], ["size", "pk"]))
    for import_id in {*oldest, *smallest}:
        hints.send(task_names.IMPORT_FILE, import_id)
