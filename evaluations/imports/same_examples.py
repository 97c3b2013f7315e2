"""Finds the experiment whose examples an uploaded file has, so that it is another variant and no new dataset."""

from collections.abc import Sequence

from evaluations import other_tools
from evaluations.errors import Refusal
from evaluations.models import Dataset, Experiment, Upload
from evaluations.other_tools import Evaluation

from . import matches, outputs, second_files, tools
from .columns import columnmap
from .columns.columnmap import ColumnMap

LOOKED_AT = 20  # experiments, the newest first


def of_upload(upload: Upload, evaluation: Evaluation | None = None) -> Experiment | None:
    """The newest experiment whose first file had these columns and most of these examples; None without any.

    An export of another tool is given as its `evaluation`. Files that go into a chosen dataset have a place already.
    """
    if {"dataset", "retry", "experiment"} & upload.mapping.keys():
        return None
    found = Experiment.objects.live().filter(project=upload.project, dataset__status=Dataset.Status.READY)
    found = (
        found.filter(dataset__deleted_at=None).exclude(first_file={}).exclude(dataset__sha256=upload.sha256)
    )
    for experiment in found.select_related("dataset").order_by("-pk")[:LOOKED_AT]:
        is_same = _has_items(experiment, upload, evaluation) if evaluation else _has_rows(experiment, upload)
        if is_same:
            return experiment
    return None


def differing(upload: Upload, experiment: Experiment) -> int:
    """How many right answers of the file are others than those of the examples that it shares with an experiment."""
    if tools.tool_of(upload):
        return 0
    was = upload.format
    try:
        return matches.match(upload, experiment, second_files.read(upload, experiment)).differing
    except Refusal:
        return 0
    finally:
        upload.format = was


def _has_rows(experiment: Experiment, upload: Upload) -> bool:
    mapping = experiment.first_file.get("mapping")
    if not mapping or tools.tool_of(upload):
        return False
    first, was = ColumnMap.from_dict(mapping), upload.format
    try:
        if not first.named <= {*second_files.preview_as_first(upload, experiment).columns}:
            return False
        return second_files.has_examples(upload, experiment)
    except Refusal:
        return False
    finally:
        upload.format = was


def _has_items(experiment: Experiment, upload: Upload, evaluation: Evaluation) -> bool:
    names = experiment.dataset.columns.get("inputs", ())
    first = other_tools.TOOLS.get(experiment.first_file.get("tool", ""))
    if first != other_tools.TOOLS[tools.tool_of(upload)] or not names:
        return False
    known = outputs.by_inputs(experiment.examples, names)
    texts = [columnmap.matching_text([item.inputs.get(name) for name in names]) for item in evaluation.items]
    return _most(texts, known)


def _most(texts: Sequence[str | None], known: dict[str, int]) -> bool:
    return sum(text in known for text in texts) * 2 > len(texts)
