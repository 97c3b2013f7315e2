"""The answers in an export of another tool as rows of outputs, for an experiment that has its examples already."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.files.base import ContentFile

from evaluations import other_tools, owned
from evaluations.models import Experiment, Upload
from evaluations.other_tools import Evaluation, OutsideScore
from evaluations.values import LONGEST_NAME, stored_json

from . import run_names, second_files, tools
from .columns.columnmap import ColumnMap
from .columns.score_columns import ScoreColumn
from .uploads import uploads

KEY, OUTPUT, VARIANT = "key", "output", "variant"


def as_rows(upload: Upload, experiment: Experiment) -> Upload:
    """A parked file of outputs instead of the export, which is discarded; a table stays what it is.

    An export that the experiment's first file was too, but read as a table, is read as a table. Raises `Invalid` if
    the export cannot be read.
    """
    if not tools.tool_of(upload):
        return upload
    if tools.may_be_table(upload) and _was_table(upload, experiment):
        return upload
    evaluation = tools.evaluation(upload)
    outside = {score.grader: score for score in other_tools.outside_scores(evaluation)}
    names = _names(evaluation, upload, experiment)
    lines = "\n".join(map(stored_json, _rows(evaluation, names, outside)))
    file = ContentFile(lines.encode(), f"{upload.filename}.jsonl")
    rows = uploads.park(upload.project, upload.user, file)
    several = len(names) > 1
    columns = ColumnMap(
        key=KEY,
        outputs=((OUTPUT, OUTPUT),),
        variant=VARIANT if several else None,
        scores=tuple(ScoreColumn(name, OUTPUT, f"scores.{name}") for name in outside),
    )
    alone = next(iter(names.values()), "")
    named = {} if several else {"named": alone}
    uploads.touch(rows, {"mapped": columns.as_dict(), "tool": evaluation.tool} | named)
    upload.delete()
    uploads.discard(upload.stored_as)
    return rows


def _was_table(upload: Upload, experiment: Experiment) -> bool:
    """Whether the first file of the experiment was read as a table that this file is, too; then it is read so."""
    if not experiment.first_file.get("mapping"):
        return False
    was = upload.format
    uploads.choose(upload, {})
    if second_files.suggest(upload, experiment).is_as_first:
        return True
    upload.format = was
    upload.save(update_fields=["format"])
    return False


def _names(evaluation: Evaluation, upload: Upload, experiment: Experiment) -> dict[tuple[str, int], str]:
    """The run of each variant and repetition; a name that the experiment has gets what sets the file's name apart."""
    taken = {*experiment.runs.filter(deleted_at=None).values_list("variant", flat=True)}
    apart = run_names.of_file(upload.filename, experiment)
    names = {}
    for variant in evaluation.variants:
        for number in range(len(variant.repetitions)):
            name = variant.name if len(variant.repetitions) == 1 else f"{variant.name} {number + 1}"
            is_alone = len(evaluation.variants) == 1 == len(variant.repetitions)
            if name in taken or name == run_names.stem(upload.filename)[:LONGEST_NAME]:  # not by the tool
                name = apart if is_alone and apart not in taken else f"{apart} {name}"
            names[variant.name, number] = name[:LONGEST_NAME]
    return dict(zip(names, owned.distinct(names.values()).values(), strict=False)) if names else {}


def _rows(
    evaluation: Evaluation, names: Mapping[tuple[str, int], str], outside: Mapping[str, OutsideScore]
) -> Iterator[dict[str, Any]]:
    for variant in evaluation.variants:
        for number, answers in enumerate(variant.repetitions):
            for index, answer in answers.items():
                item = evaluation.items[index]
                scores = {
                    f"scores.{name}": outside[name].kept_value(score)
                    for name, score in answer.scores.items()
                    if name in outside
                }
                inputs = {f"inputs.{name}": value for name, value in item.inputs.items()}
                run = {VARIANT: names[variant.name, number], OUTPUT: answer.output}
                yield ({KEY: item.key} if item.key is not None else {}) | inputs | run | scores
