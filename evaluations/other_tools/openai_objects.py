"""Finds the objects `eval`, `eval.run` and `eval.run.output_item` of OpenAI's API anywhere in a document."""

from collections.abc import Iterator
from typing import Any

from . import openai_data
from .evaluation import (
    as_object,
    as_objects,
    digest,
)

EVAL, RUN, OUTPUT_ITEM = "eval", "eval.run", "eval.run.output_item"
OF_ITEM = ("id", "eval_id", "run_id", "status", "datasource_item_id")
OF_SAMPLE = ("model", "output", "output_text", "choices", "error", "usage", *openai_data.SETTINGS)
OF_AGENT = "sample."
DEEPEST = 8


def sorted_objects(document: Any) -> dict[str, list[dict[str, Any]]]:
    """The objects by the value of their field `object`; a repeated id counts once."""
    objects: dict[str, dict[str, dict[str, Any]]] = {EVAL: {}, RUN: {}, OUTPUT_ITEM: {}}
    for element in _walk(document, DEEPEST):
        by_id = objects[_kind(element)]
        by_id.setdefault(str(element.get("id", len(by_id))), element)
    return {name: list(by_id.values()) for name, by_id in objects.items()}


def _kind(value: Any) -> str:
    """The type of an object: its field `object` or, if missing, the fields that only this type has."""
    fields = as_object(value)
    if fields.get("object") in (EVAL, RUN, OUTPUT_ITEM):
        return str(fields["object"])
    if "object" in fields:
        return ""
    if fields.keys() >= {"datasource_item", "sample"}:
        return OUTPUT_ITEM
    if fields.keys() >= {"id", "eval_id", "data_source"}:
        return RUN
    return EVAL if fields.keys() >= {"id", "data_source_config", "testing_criteria"} else ""


def _walk(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    kind = _kind(value)
    if kind:
        yield value
    if depth and isinstance(value, dict | list) and kind != OUTPUT_ITEM:
        for member in value.values() if isinstance(value, dict) else value:
            yield from _walk(member, depth - 1)


class Slim:
    """Keeps the imported fields of output items; an item that several runs answer is stored once."""

    def __init__(self) -> None:
        self._sources: dict[bytes, dict[str, Any]] = {}

    def __call__(self, value: dict[str, Any]) -> dict[str, Any]:
        if _kind(value) != OUTPUT_ITEM:
            return value
        source, sample = source_of(value), sample_of(value)
        results = as_objects(value.get("results"))
        return {name: value[name] for name in OF_ITEM if name in value} | {
            "object": OUTPUT_ITEM,
            "datasource_item": self._sources.setdefault(digest(source), source),
            "results": [
                {name: result.get(name) for name in ("name", "score", "passed")} for result in results
            ],
            "sample": {name: sample[name] for name in OF_SAMPLE if name in sample},
        }


def sample_of(item: dict[str, Any]) -> dict[str, Any]:
    """The sample of an output item. Azure puts an agent's answer among the fields of the source."""
    answer = as_object(item.get("datasource_item")).get(f"{OF_AGENT}output_text")
    return ({} if answer is None else {"output_text": answer}) | as_object(item.get("sample"))


def source_of(item: dict[str, Any]) -> dict[str, Any]:
    """The fields of the data source, without the sample."""
    source = as_object(item.get("datasource_item"))
    return {name: value for name, value in source.items() if not name.startswith(OF_AGENT)}
