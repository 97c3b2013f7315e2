"""Rows of HELM's run folders: instances, and the states of requests about them, by what names an instance."""

from collections.abc import Mapping, Sequence
from typing import Any

from .batch import Row

KEY = "instance_id"  # as the predictions and scores of the same folder call it
OUTPUT = "predicted_text"  # likewise


def arranged(rows: list[Row]) -> list[Row]:
    """The rows with the input, right answers and output of instances as columns; others as they are.

    >>> right = {"output": {"text": "4"}, "tags": ["correct"]}
    >>> one = {"id": "id5", "input": {"text": "2 + 2?"}, "references": [right], "split": "test"}
    >>> arranged([one])
    [{'instance_id': 'id5', 'input': '2 + 2?', 'reference': '4', 'split': 'test'}]
    >>> arranged([{"instance": one, "request": {"prompt": "?"}, "result": {"completions": [{"text": " 5"}]}}])[0]
    {'instance_id': 'id5', 'input': '2 + 2?', 'reference': '4', 'split': 'test', 'predicted_text': ' 5'}
    """
    if rows and all(_is_instance(row) for row in rows):
        return [_instance(row) for row in rows]
    if rows and all(_is_instance(row.get("instance")) and _said(row) is not None for row in rows):
        states: list[Any] = [*rows]
        return [{**_instance(state["instance"]), OUTPUT: _chosen(state)} for state in states]
    return rows


def _is_instance(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("id"), str)
        and isinstance(value.get("input"), Mapping)
        and isinstance(value["input"].get("text"), str)
        and isinstance(value.get("references"), list)
        and all(map(_is_reference, value["references"]))
    )


def _is_reference(value: Any) -> bool:
    output = value.get("output") if isinstance(value, Mapping) else None
    return isinstance(output, Mapping) and "text" in output and isinstance(value.get("tags"), list)


def _instance(value: Mapping[str, Any]) -> Row:
    right = [one["output"]["text"] for one in value["references"] if "correct" in one["tags"]]
    options = [one["output"]["text"] for one in value["references"]]
    texts: dict[str, Any] = {"input": value["input"]["text"], "reference": _only(right)}
    if len(options) > len(right):
        texts["options"] = options
    rest = {name: cell for name, cell in value.items() if name not in ("id", "input", "references")}
    return Row({KEY: value["id"]} | texts | rest)


def _only(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else [*values]


def _said(row: Mapping[str, Any]) -> str | None:
    """The text of the first completion; None if the row has none."""
    result = row.get("result")
    completions = result.get("completions") if isinstance(result, Mapping) else None
    first = completions[0] if isinstance(completions, list) and completions else None
    return first.get("text") if isinstance(first, Mapping) else None


def _chosen(row: Mapping[str, Any]) -> Any:
    """What a request was answered; the text of the option whose letter that is, if the row has these."""
    said, options = _said(row), row.get("output_mapping")
    return options.get(str(said).strip(), said) if isinstance(options, Mapping) else said
