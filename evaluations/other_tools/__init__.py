"""Exports of other evaluation tools: recognised by their shape, read into one `Evaluation`. Knows no database.

tool = other_tools.recognise(file, "results.json")     # a key of TOOLS, or ""
evaluation = other_tools.read(file, tool)              # raises ingest.FileError
"""

import re
from collections.abc import Callable
from typing import BinaryIO

from evaluations.ingest import FileError

from . import documents, inspect_log, langfuse, openai_evals, phoenix, promptfoo, promptfoo_config
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

__all__ = [
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

ZIP = b"PK\x03\x04"
_READERS: dict[str, Callable[[BinaryIO], Evaluation]] = {
    "openai": lambda file: openai_evals.evaluation(documents.value(documents.text(file))),
    "promptfoo": lambda file: promptfoo.evaluation(documents.parsed(documents.text(file))),
    "promptfoo_config": lambda file: promptfoo_config.evaluation(
        promptfoo_config.parsed(documents.text(file))
    ),
    "inspect": lambda file: inspect_log.evaluation(documents.parsed(documents.text(file))),
    "inspect_archive": inspect_log.from_archive,
    "langfuse": lambda file: langfuse.evaluation(documents.value(documents.text(file))),
    "phoenix": lambda file: phoenix.evaluation(documents.parsed(documents.text(file))),
}
TOOLS = {
    "openai": openai_evals.TOOL,
    "promptfoo": promptfoo.TOOL,
    "promptfoo_config": promptfoo.TOOL,
    "inspect": inspect_log.TOOL,
    "inspect_archive": inspect_log.TOOL,
    "langfuse": langfuse.TOOL,
    "phoenix": phoenix.TOOL,
}
_OPENAI = re.compile(rb'"object"\s*:\s*"eval(?:\.run(?:\.output_item)?)?"')
_PROMPTFOO = re.compile(rb'"(?:evalId|promptIdx|gradingResult|namedScores)"\s*:')
_LANGFUSE = re.compile(rb'"datasetRunItems"\s*:\s*\[')
_PHOENIX = tuple(
    re.compile(rb'"%s"\s*:' % name) for name in (b"example_id", b"reference_output", b"annotations")
)
_INSPECT = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_INSPECT_MEMBERS = (b"_journal/start.json", b"header.json", b"samples/")


def recognise(file: BinaryIO) -> str:
    """The tool that wrote the file, by its first quarter of a megabyte; "" for tables and all else."""
    try:
        head = documents.head(file)
    except FileError:
        return ""  # Who reads it as a table says what is wrong.
    finally:
        file.seek(0)
    if head.startswith(ZIP):
        return "inspect_archive" if any(name in head for name in _INSPECT_MEMBERS) else ""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"{", b"["):
        return "promptfoo_config" if promptfoo_config.is_configuration(head) else ""
    if _OPENAI.search(head):
        return "openai"
    if _LANGFUSE.search(head):
        return "langfuse"
    if all(field.search(head) for field in _PHOENIX):
        return "phoenix"
    if _INSPECT.match(head.removeprefix(b"\xef\xbb\xbf")) and b'"eval"' in head:
        return "inspect"
    return "promptfoo" if start == b"{" and b'"results"' in head and _PROMPTFOO.search(head) else ""


def read(file: BinaryIO, tool: str) -> Evaluation:
    """The evaluation, with the formulas that reproduce its scores; raises FileError where it cannot be imported."""
    evaluation = _READERS[tool](file)
    if len(evaluation.variants) > MOST_VARIANTS or len(evaluation.graders) > MOST_GRADERS:
        message = f"The file has {len(evaluation.variants)} variants and {len(evaluation.graders)} graders."
        hint = f"At most {MOST_VARIANTS} and {MOST_GRADERS} can be imported: export fewer at once."
        raise FileError("other_tool", message, hint=hint)
    return proven(evaluation)
