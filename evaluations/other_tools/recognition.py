"""Recognises which tool wrote a file, by field names that no other tool uses, in the first quarter of a megabyte."""

from collections.abc import Callable
from typing import BinaryIO

from evaluations.ingest import FileError
from evaluations.linear import Pattern

from . import (
    documents,
    langfuse_tables,
    members,
    phoenix_tables,
    promptfoo_config,
    promptfoo_tables,
    promptfoo_tests,
    tables,
)

ZIP = b"PK\x03\x04"
_INSPECT_MEMBERS = (b"_journal/start.json", b"header.json", b"samples/")
_TABLES: dict[str, Callable[[list[str]], bool]] = {
    "promptfoo_csv": promptfoo_tables.is_header,
    "promptfoo_tests_csv": promptfoo_tests.is_header,
    "phoenix_csv": phoenix_tables.is_runs,
    "phoenix_dataset_csv": phoenix_tables.is_dataset,
    "langfuse_csv": langfuse_tables.is_header,
}


def _fields(*names: bytes) -> list[Pattern[bytes]]:
    return [Pattern(rb'"%s"[\s\v]*:' % name) for name in names]


# A tool matches if all fields of one set occur; the first match wins.
_DOCUMENTS: list[tuple[str, list[Pattern[bytes]]]] = [
    ("openai", [Pattern(rb'"object"[\s\v]*:[\s\v]*"eval(?:\.run(?:\.output_item)?)?"')]),
    ("openai", _fields(b"datasource_item", b"sample")),
    ("openai_log", _fields(b"spec", b"completion_fns")),
    ("openai_log", _fields(b"event_id", b"sample_id", b"type", b"data")),
    ("lists", [Pattern(rb'"submitted_ids"[\s\v]*:[\s\v]*\['), Pattern(rb'"resolved_ids"[\s\v]*:[\s\v]*\[')]),
    ("langfuse", [Pattern(rb'"(?:datasetRunItems|dataset_run_items)"[\s\v]*:[\s\v]*\[')]),
    ("langfuse", _fields(b"datasetRunId", b"datasetItemId")),
    ("langfuse", _fields(b"datasetId", b"expectedOutput")),
    ("langfuse", _fields(b"dataset_id", b"expected_output", b"source_trace_id")),
    ("langfuse", _fields(b"timestamp", b"sessionId", b"input", b"output")),
    ("langfuse", _fields(b"traceId", b"dataType", b"name", b"value")),
    ("phoenix", _fields(b"example_id", b"reference_output", b"output")),
    ("phoenix", _fields(b"dataset_example_id", b"experiment_id", b"output")),
    ("phoenix", _fields(b"dataset_id", b"version_id", b"examples", b"input", b"output")),
    (
        "inspect",
        [
            Pattern(rb'"status"[\s\v]*:[\s\v]*"(?:success|error|cancelled|started)"'),
            *_fields(b"eval", b"version"),
        ],
    ),
    (
        "promptfoo",
        [Pattern(rb'"results"'), Pattern(rb'"(?:evalId|promptIdx|gradingResult|namedScores)"[\s\v]*:')],
    ),
    ("promptfoo", _fields(b"promptIdx", b"testCase")),
    ("deepeval", _fields(b"testCases", b"actualOutput")),
    ("deepeval", _fields(b"test_results", b"metrics_data", b"actual_output")),
    ("lmeval", _fields(b"doc_id", b"filtered_resps", b"resps")),
    ("promptfoo", _fields(b"head", b"prompts", b"vars", b"body")),
]
_OPENAI_LINE = Pattern(rb'\{[\s\v]*"(?:item|sample)"[\s\v]*:[\s\v]*\{')


def recognise(file: BinaryIO) -> str:
    """The shape of the file, a key of `TOOLS`; "" for a table or anything else."""
    try:
        head = documents.head(file)
        if head.startswith(ZIP):
            return _archive(file, head)
    except FileError:
        return ""  # Reading it as a table reports the problem.
    finally:
        file.seek(0)
    head = head.lstrip()
    return _document(head) if head[:1] in (b"{", b"[") else _text(head)


def _archive(file: BinaryIO, head: bytes) -> str:
    if several := members.shape(file, recognise):
        return several
    return "inspect_archive" if any(name in head for name in _INSPECT_MEMBERS) else ""


def _document(head: bytes) -> str:
    if _OPENAI_LINE.match(head):
        return "openai"
    fits = (shape for shape, fields in _DOCUMENTS if all(field.search(head) for field in fields))
    return next(fits, "")


def _text(head: bytes) -> str:
    """The shape of a table, by its header, or of YAML."""
    names = tables.header(head)
    table = next((shape for shape, is_header in _TABLES.items() if is_header(names)), "")
    if table:
        return table
    if promptfoo_config.is_results(head):
        return "promptfoo_yaml"
    return "promptfoo_config" if promptfoo_config.is_configuration(head) else ""
