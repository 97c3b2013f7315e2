"""Exports of other evaluation tools: recognised by their shape, read into one `Evaluation`. Uses no database.

tool = other_tools.recognise(file, "results.json")     # a key of TOOLS, or ""
evaluation = other_tools.read(file, tool)              # raises ingest.FileError
"""

from collections.abc import Callable
from typing import BinaryIO

from evaluations.ingest import FileError

from . import (
    deepeval,
    documents,
    event_log,
    id_lists,
    inspect_archive,
    inspect_log,
    langfuse,
    langfuse_tables,
    lm_eval,
    members,
    openai_evals,
    openai_objects,
    phoenix,
    phoenix_tables,
    promptfoo,
    promptfoo_config,
    promptfoo_rows,
    promptfoo_tables,
    promptfoo_tests,
    streamed,
    together,
)
from .equal_formulas import proven
from .evaluation import (
    MOST_GRADERS,
    MOST_VARIANTS,
    Answer,
    Evaluation,
    Figure,
    Formula,
    Grader,
    Item,
    Score,
    Variant,
)
from .outside_scores import OutsideScore, outside_scores
from .recognition import recognise

__all__ = [
    "ROWS",
    "TOOLS",
    "Answer",
    "Evaluation",
    "Figure",
    "Formula",
    "Grader",
    "Item",
    "OutsideScore",
    "Score",
    "Variant",
    "outside_scores",
    "read",
    "recognise",
]

_READERS: dict[str, Callable[[BinaryIO], Evaluation]] = {
    "openai": lambda file: openai_evals.evaluation(streamed.value(file, openai_objects.Slim())),
    "openai_log": lambda file: event_log.evaluation(streamed.value(file, lambda fields: fields)),
    "lists": lambda file: id_lists.evaluation(streamed.value(file, lambda fields: fields)),
    "promptfoo": lambda file: promptfoo.evaluation(streamed.value(file, promptfoo_rows.slim)),
    "promptfoo_csv": lambda file: promptfoo.evaluation(promptfoo_tables.summary(file)),
    "promptfoo_yaml": lambda file: promptfoo.evaluation(promptfoo_config.results(documents.text(file))),
    "promptfoo_config": lambda file: promptfoo_config.evaluation(
        promptfoo_config.parsed(documents.text(file))
    ),
    "promptfoo_tests_csv": lambda file: promptfoo_config.evaluation(promptfoo_tests.configuration(file)),
    "deepeval": lambda file: deepeval.evaluation(streamed.value(file, lambda fields: fields)),
    "lmeval": lambda file: lm_eval.evaluation(streamed.value(file, lm_eval.slim)),
    "inspect": lambda file: inspect_log.evaluation(streamed.value(file, inspect_log.slim)),
    "inspect_archive": inspect_archive.evaluation,
    "langfuse": lambda file: langfuse.evaluation(streamed.value(file, langfuse.slim)),
    "langfuse_csv": lambda file: langfuse.evaluation(langfuse_tables.objects(file)),
    "phoenix": lambda file: phoenix.evaluation(streamed.value(file, phoenix.slim)),
    "phoenix_csv": lambda file: phoenix.evaluation(phoenix_tables.runs(file)),
    "phoenix_dataset_csv": lambda file: phoenix.evaluation(phoenix_tables.examples(file)),
}
_MODULES = {
    "openai": openai_evals,
    "lists": id_lists,
    "promptfoo": promptfoo,
    "deepeval": deepeval,
    "lmeval": lm_eval,
    "inspect": inspect_log,
    "langfuse": langfuse,
    "phoenix": phoenix,
}
_READERS |= {
    f"{tool}{members.ENDING}": lambda file: together.evaluation(file, _of_member)
    for tool in _MODULES
    if tool not in members.TABLES
}
TOOLS = {shape: _MODULES[shape.partition("_")[0]].TOOL for shape in _READERS}
# shapes that can also be read as tables
ROWS = {shape for shape in TOOLS if shape.endswith("_csv")} | {"openai", "lmeval"}


def read(file: BinaryIO, tool: str) -> Evaluation:
    """The evaluation, with formulas that reproduce its scores; raises `FileError` if it cannot be imported."""
    evaluation = _READERS[tool](file)
    if len(evaluation.variants) > MOST_VARIANTS or len(evaluation.graders) > MOST_GRADERS:
        message = f"The file has {len(evaluation.variants)} variants and {len(evaluation.graders)} graders."
        hint = f"At most {MOST_VARIANTS} and {MOST_GRADERS} can be imported: export fewer at once."
        raise FileError("other_tool", message, hint=hint)
    return proven(evaluation)


def _of_member(file: BinaryIO) -> Evaluation | None:
    """The contents of a file of an archive, without proven formulas; None if it is no export."""
    shape = recognise(file)
    return None if not shape or shape.endswith(members.ENDING) else _READERS[shape](file)
