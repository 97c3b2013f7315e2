"""Imports of whole files into an existing dataset: confirmed here, read by a worker (`change_reading`)."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import hints, ingest, task_names
from evaluations.access import limits
from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, DatasetImport, Import, Upload

from . import bulk_edits, choices
from .choices import DEFAULTS, How
from .columns.column_names import parts_of
from .columns.columnmap import EQUAL_ROWS, ColumnMap
from .columns.long_tables import Long
from .imports import queue_file
from .uploads import uploads

Mode, Duplicates = DatasetImport.Mode, DatasetImport.Duplicates
KEY_NAMES = ("key", "id")


def begin(
    upload: Upload,
    dataset: Dataset,
    mode: str,
    mapping: dict[str, Any] | None,
    *,
    dry_run: bool = False,
    on_error: str = "reject",
    duplicates: str = Duplicates.KEEP,
    user: User | None = None,
    how: How = DEFAULTS,
) -> DatasetImport:
    """Queue a file to append to, merge into or mirror in a dataset; `Conflict` while another import is in progress."""
    choices.ask_about_sheets(upload, how)
    columns = checked(upload, dataset, mode, mapping, how)
    if not how.long:
        choices.ask_about_rows(upload, columns.key, "", how)
    if mode == Mode.MIRROR and on_error == "skip":
        message = "A mirror cannot skip rows, because it removes examples that the file lacks."
        raise Invalid("invalid_choice", message, fields={"on_error": [message]})
    return _queue(upload, dataset, columns, mode, dry_run, on_error, duplicates, user)


def _queue(
    upload: Upload,
    dataset: Dataset,
    columns: ColumnMap,
    mode: str,
    dry_run: bool,
    on_error: str,
    duplicates: str,
    user: User | None,
) -> DatasetImport:
    with transaction.atomic():
        datasets.lock(dataset)
        change = DatasetImport.objects.create(
            dataset=dataset,
            mode=mode,
            is_dry_run=dry_run,
            duplicate_rows=duplicates,
            filename=upload.filename,
            sha256=upload.sha256,
            base=dataset.version,
            created_by=user,
        )
        queue_file(upload, columns.as_dict(), on_error, dataset=dataset, change=change)
    return change


def restore(dataset: Dataset, version: int, user: User | None) -> DatasetImport:
    """Queue a new version equal to an older one; `Conflict` while a file is read into the dataset."""
    limits.require_room(dataset.project)
    with transaction.atomic():
        datasets.lock(dataset)
        change = DatasetImport.objects.create(
            dataset=dataset,
            mode=Mode.RESTORE,
            filename=f"version {version}",
            base=dataset.version,
            created_by=user,
        )
        job = Import.objects.create(
            dataset=dataset, change=change, size=0, mapping={"version": version}, filename=change.filename
        )
        hints.send(task_names.IMPORT_FILE, job.pk)
    return change


def checked(
    upload: Upload, dataset: Dataset, mode: str, mapping: dict[str, Any] | None, how: How = DEFAULTS
) -> ColumnMap:
    """The mapping, or by default one from the dataset's columns; raises `Invalid` unless it fits file and dataset."""
    preview = _preview(upload, dataset)
    if how.long and mapping is not None:
        raise Invalid("invalid_mapping", "Send a mapping or “long”, not both.")
    if how.long:
        columns = _of_long(upload, preview, dataset, how.long)
    elif mapping is None:
        columns = suggested(preview, dataset)
    else:
        columns = choices.fitting(upload, lambda names: ColumnMap.check(names, mapping))
    if columns.variant or columns.outputs:
        raise Invalid("invalid_mapping", "Rows that are added to a dataset cannot have outputs of variants.")
    if not columns.key and mode != Mode.APPEND and datasets.examples(dataset).exclude(key=None).exists():
        raise Invalid(
            "key_needed",
            "The examples of the dataset have keys, and no column of the file is mapped to them.",
            hint=f"Map the column with the keys. The file has: {', '.join(preview.columns[:20])}.",
            fields={"mapping.key": ["Name the column with the keys."]},
        )
    return columns


def _of_long(upload: Upload, preview: ingest.Preview, dataset: Dataset, sent: dict[str, Any]) -> ColumnMap:
    """The suggested mapping without the columns that differ between the rows of an example.

    The dataset's inputs and references stay, so that rows which disagree about them are refused.
    """
    long, values = Long.of(sent, preview.columns), uploads.first_columns(upload)
    differing = {*ingest.varying(values, long.id), long.column, long.output}
    kept = {name for part in ("inputs", "reference") for name in dataset.columns.get(part, ())}
    known = [name for name in preview.columns if name not in differing - kept and name != long.id]
    outputs = {*preview.outputs.values()} - kept
    parts = parts_of(dataset.columns, preview.columns)
    roles = {
        name: parts.get(name) or _part(preview.roles.get(name, "metadata"))
        for name in known
        if name not in outputs
    }
    chosen = {name: "metadata" if role == "key" else role for name, role in roles.items()}
    return replace(ColumnMap(key=long.id).adding(chosen, keeping_names=parts), repeats=EQUAL_ROWS)


def _preview(upload: Upload, dataset: Dataset) -> ingest.Preview:
    """The first rows; columns that the dataset has, such as objects and the sides of a row, are left as they are."""
    if ingest.Format.from_dict(upload.format).replaced & {
        name for names in dataset.columns.values() for name in names
    }:
        uploads.unopened(upload)
    return uploads.preview(upload)


def suggested(preview: ingest.Preview, dataset: Dataset) -> ColumnMap:
    """A mapping from the dataset's columns, and for other columns from well-known names; without outputs."""
    dataset_parts = parts_of(dataset.columns, preview.columns)
    free = [
        name for name in preview.columns if name not in dataset_parts and name not in preview.outputs.values()
    ]
    roles = dataset_parts | {name: _part(preview.roles.get(name, "metadata")) for name in free}
    key = next((name for name in KEY_NAMES if name in free), None)
    key = key or next((name for name in free if roles[name] == "key"), None)
    chosen_roles = {name: roles[name] for name in preview.columns if name in roles and name != key}
    columns = ColumnMap(key=key).adding(chosen_roles, keeping_names=dataset_parts)
    return replace(columns, takes_remaining=not columns.left_out(preview.columns))


def _part(role: str) -> str:
    """The role of a column without outputs beside it: its scores are metadata."""
    return "metadata" if role == "score" else role


def apply(change: DatasetImport, user: User | None) -> DatasetImport:
    """Import the file of a dry run with the same settings, or apply its edit.

    Raises `Conflict` if the dataset has changed since, or the file is gone.
    """
    if change.is_edit:
        return bulk_edits.apply(change, user)
    if change.upload is None or not change.is_dry_run:
        raise Conflict(
            "upload_gone",
            "There is no file to import.",
            hint="The file of a dry run is kept for an hour. Upload it again.",
        )
    bulk_edits.require_base(change)
    columns = ColumnMap.from_dict(change.upload.mapping["mapped"])
    on_error, duplicates = change.upload.mapping["on_error"], change.duplicate_rows
    return _queue(change.upload, change.dataset, columns, change.mode, False, on_error, duplicates, user)
