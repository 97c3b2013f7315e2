"""Edits of many examples, and their dry runs: small ones at once, large ones by a worker (`editing`)."""

import io

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import hints, leases, task_names
from evaluations.access import limits
from evaluations.datasets import bitmaps, datasets
from evaluations.datasets.edits import Edit
from evaluations.datasets.selections import Selection
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, DatasetImport, Import

from . import claims
from .editing import Editing

AT_ONCE = 1_000  # examples up to which an edit is done in the request


def begin(selection: Selection, edit: Edit, user: User | None, *, dry_run: bool = False) -> DatasetImport:
    """Edit the selected examples. The change is `ready` or `failed`, or `importing` if a worker does it.

    Raises `Conflict` if the dataset has changed since the selection was made, or while a file is read into it.
    """
    edit.check(selection.dataset)
    selection.resolve()
    with transaction.atomic():
        datasets.lock(selection.dataset)
        selection.require_newest()
        selected, size = bitmaps.packed(selection.chosen), len(selection.chosen)
        return _start(selection.dataset, edit, selected, size, user, dry_run)


def apply(tried: DatasetImport, user: User | None) -> DatasetImport:
    """Apply the edit of a dry run to the same examples; `Conflict` if the dataset has changed since."""
    with transaction.atomic():
        datasets.lock(tried.dataset)
        require_base(tried)
        selected = bytes(tried.selected or b"")
        size = len(bitmaps.positions(selected))
        return _start(tried.dataset, Edit(**tried.edit), selected, size, user, dry_run=False)


def require_base(tried: DatasetImport) -> None:
    """Raise `Conflict` unless the dataset is as it was in the dry run."""
    if not tried.is_dry_run or tried.dataset.version != tried.base:
        raise Conflict(
            "changed_meanwhile",
            f"The dataset has changed: it is at version {tried.dataset.version}, but the dry run was of"
            f" version {tried.base}.",
            hint="Preview the edit again.",
        )


def require_success(change: DatasetImport) -> None:
    """Raise `Invalid` with the first problem of a failed edit; `where` has the number of examples with a problem."""
    if change.status == DatasetImport.Status.FAILED:
        first = change.errors[0]
        where = first["where"] | {"examples": change.error_count}
        raise Invalid(first["code"], first["message"], hint=first["hint"], where=where)


def _start(
    dataset: Dataset, edit: Edit, selected: bytes, size: int, user: User | None, dry_run: bool
) -> DatasetImport:
    change = DatasetImport.objects.create(
        dataset=dataset,
        mode=edit.do,
        is_dry_run=dry_run,
        filename=edit.words[:255],
        base=dataset.version,
        edit=edit.as_dict(),
        selected=selected,
        created_by=user,
    )
    job = Import(dataset=dataset, change=change, size=size, filename=change.filename)
    return _at_once(job, change) if size <= AT_ONCE else _queued(job, change)


def _queued(job: Import, change: DatasetImport) -> DatasetImport:
    limits.require_room(change.dataset.project)
    job.save()
    hints.send(task_names.IMPORT_FILE, job.pk)
    return change


def _at_once(job: Import, change: DatasetImport) -> DatasetImport:
    """Do the work in the caller's transaction, so that no worker sees the job."""
    for name, value in leases.lease().items():
        setattr(job, name, value)
    job.state = Import.State.LEASED
    job.save()
    editing = Editing(job, change)
    try:
        editing.read(io.BytesIO())
    except claims.Rejected as rejected:
        editing.fail(rejected.errors, rejected.counts)
    return editing.change
