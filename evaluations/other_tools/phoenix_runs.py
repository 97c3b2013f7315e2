"""Phoenix: runs as returned by `GET v1/experiments/{id}/runs` and by the client's `run_experiment`.

They refer to examples, which must be in the same file, and become records of `GET v1/experiments/{id}/json`.
"""

from collections.abc import Iterator
from typing import Any

from .evaluation import as_object, refused

RUN, EXAMPLE = {"dataset_example_id", "output"}, {"id", "input", "output"}
EVALUATION = {"experiment_run_id", "name"}
DEEPEST = 6
HOW = "Add the examples of its dataset to the file: GET v1/datasets/{id}/examples."


def experiments(document: Any) -> dict[str, list[dict[str, Any]]]:
    """The records of each experiment by its id; empty if the file has no runs of this shape."""
    runs = _with_fields(document, RUN)
    if not runs:
        return {}
    examples = _with_fields(document, EXAMPLE)
    missing_examples = {str(run["dataset_example_id"]) for run in runs.values()} - examples.keys()
    if missing_examples:
        raise refused(
            "Phoenix", f"the file lacks {len(missing_examples)} of the examples that its runs answer.", HOW
        )
    annotations: dict[str, list[dict[str, Any]]] = {}
    for evaluation in _with_fields(document, EVALUATION).values():
        annotations.setdefault(str(evaluation["experiment_run_id"]), []).append(_annotation(evaluation))
    records: dict[str, list[dict[str, Any]]] = {}
    for key, run in runs.items():
        record = _record(run, examples[str(run["dataset_example_id"])])
        record["annotations"] = annotations.get(key, [])
        records.setdefault(str(run.get("experiment_id") or "experiment"), []).append(record)
    return records


def _with_fields(document: Any, fields: set[str]) -> dict[str, dict[str, Any]]:
    """The outermost objects with these fields, by id, anywhere in the document."""
    return {
        str(value.get("id", index)): value for index, value in enumerate(_walk(document, fields, DEEPEST))
    }


def _walk(value: Any, fields: set[str], depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and value.keys() >= fields:
        yield value
    elif depth and isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _walk(member, fields, depth - 1)


def _record(run: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    return {
        "example_id": str(run["dataset_example_id"]),
        "input": example["input"],
        "reference_output": example["output"],
        **{name: run.get(name) for name in ("output", "error", "repetition_number")},
    }


def _annotation(evaluation: dict[str, Any]) -> dict[str, Any]:
    result = as_object(evaluation.get("result"))
    return {"name": evaluation["name"], "annotator_kind": evaluation.get("annotator_kind")} | {
        "score": result.get("score", evaluation.get("score"))
    }
