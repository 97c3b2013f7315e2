"""Phoenix: the runs of an experiment, or the examples of a dataset, as CSV; both become records of the JSON export."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from evaluations.linear import Pattern

from . import tables
from .evaluation import whole

RUNS = {"example_id", "input", "reference_output", "output"}
PARTS = ("input", "output", "metadata")
_ANNOTATION = Pattern(r"annotation_(.+)_(label|score|annotator_kind)")
_EXAMPLE = Pattern(r"(input|output|metadata)[._](.+)")


def is_runs(names: list[str]) -> bool:
    return {*names} >= RUNS


def is_dataset(names: list[str]) -> bool:
    """Whether the columns are those of a dataset: `example_id`, `input_…` and `output_…`, in newer versions `node_id`,
    `input.…` and `output.…`.
    """
    parts = {match[1] for name in names if (match := _EXAMPLE.fullmatch(name))}
    return bool({"example_id", "node_id"} & {*names}) and {"input", "output"} <= parts


def runs(file: BinaryIO) -> list[dict[str, Any]]:
    return [_run(record) for record in tables.records(file)]


def _run(record: dict[str, str]) -> dict[str, Any]:
    annotations: dict[str, dict[str, Any]] = {}
    for name, cell in record.items():
        if cell and (match := _ANNOTATION.fullmatch(name)):
            value = tables.number_cell(cell) if match[2] == "score" else cell
            annotations.setdefault(match[1], {"name": match[1]})[match[2]] = value
    counts = ("latency_ms", "completion_token_count", "repetition_number")
    return {
        "example_id": record["example_id"],
        "error": record.get("error") or None,
        "annotations": list(annotations.values()),
        **{name: tables.structure(record.get(name)) for name in ("input", "reference_output", "output")},
        **{name: whole(tables.number_cell(record.get(name))) for name in counts},
    }


def examples(file: BinaryIO) -> dict[str, Any]:
    return {"examples": list(_examples(file))}


def _examples(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for record in tables.records(file):
        parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        for name, cell in record.items():
            if match := _EXAMPLE.fullmatch(name):
                parts[match[1]][match[2]] = tables.structure(cell)
        yield {"id": record.get("example_id") or record.get("id") or record.get("node_id"), **parts}
