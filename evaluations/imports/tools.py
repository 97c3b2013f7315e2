"""Imports of other tools' exports: their contents, and the dataset and experiment made from them."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import ingest, other_tools, owned
from evaluations.experiments import experiments
from evaluations.models import Dataset, Evaluator, Experiment, Upload

from . import run_names
from .imports import free_name, queue_file
from .uploads import formats, uploads


def tool_of(upload: Upload) -> str:
    """The tool that wrote the file, a key of `other_tools.TOOLS`; "" for a table."""
    kind = upload.format["kind"]
    return kind if kind in other_tools.TOOLS else ""


def evaluation(upload: Upload) -> other_tools.Evaluation:
    """The contents of the file; raises `Invalid` if it cannot be imported."""
    with uploads.opened(upload) as file:
        try:
            return run_names.of_tool(other_tools.read(file, tool_of(upload)), upload.filename)
        except ingest.FileError as error:
            raise formats.refusal(error) from error


def may_be_table(upload: Upload) -> bool:
    """Whether a tool's file can also be read as a table."""
    return tool_of(upload) in other_tools.ROWS or "is_broken" in upload.format


def begin(
    upload: Upload, name: str, *, user: User | None = None, evaluators: Iterable[Evaluator] = ()
) -> Dataset:
    """Create a dataset and its experiment, which a worker fills; `evaluators` score it beside the tool's graders.

    Raises `Invalid` if the file can only be read as a table; otherwise it was checked completely when it was parked.
    """
    if "is_broken" in upload.format:
        evaluation(upload)
    with transaction.atomic():
        dataset = Dataset(project=upload.project, created_by=user, name=name, status=Dataset.Status.IMPORTING)
        dataset.sha256 = upload.sha256
        owned.save_named(dataset)
        experiment = Experiment(
            project=upload.project, created_by=user, name=free_name(dataset), dataset=dataset
        )
        experiment.first_file = {"filename": upload.filename, "tool": tool_of(upload)}
        experiments.link(owned.save_named(experiment), experiments.newest(evaluators))
        queue_file(upload, {"tool": tool_of(upload)}, "reject", dataset=dataset)
    return dataset
