"""The messages that a version of a prompt makes of the examples of a dataset."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound
from evaluations.models import Dataset, Example
from evaluations.values import JSON, by_column

from . import templates
from .templates import Message, Place

MOST = 100


def places(messages: Sequence[Message], dataset: Dataset) -> dict[str, Place | None]:
    """Where the dataset has each variable; raises `Invalid` naming every one that no column fills."""
    known = templates.places(messages, dataset.columns)
    said = [_sentence(name, dataset) for name, place in known.items() if place is None]
    if said:
        raise Invalid("unknown_variable", said[0], fields={"messages": said}, hint=_hint(dataset))
    return known


def _sentence(name: str, dataset: Dataset) -> str:
    if templates.place(name, {"inputs": dataset.columns.get("reference", ())}):
        return f"“{name}” is a reference of {dataset.name}; references are never sent."
    return f"{dataset.name} has no column “{name}”."


def _hint(dataset: Dataset) -> str:
    columns = ", ".join(f"{{{{ {name} }}}}" for name in dataset.columns.get("inputs", ())[:20])
    return f"Its columns are {columns}." if columns else ""


def row_of(example: Example) -> dict[str, dict[str, JSON]]:
    """The values of an example by part and column; whole numbers of any size stay whole."""
    return {
        part: by_column(part, json.loads(getattr(example, part))) for part in ("inputs", templates.METADATA)
    }


def render(messages: Sequence[Message], dataset: Dataset, positions: Sequence[int]) -> list[dict[str, Any]]:
    """The messages of these examples of the newest version, in the order of `positions`; no server is called."""
    if not 0 < len(positions) <= MOST:
        message = f"Name 1 to {MOST} positions."
        raise Invalid("invalid", message, fields={"positions": [message]})
    known = places(messages, dataset)
    chosen = datasets.examples(dataset).filter(position__in=positions)
    by_position = {example.position: example for example in chosen}
    for position in positions:
        if position not in by_position:
            message = f"{dataset.name} has no example {position}."
            raise NotFound("not_found", message, fields={"positions": [message]})
    return [
        {"position": position, "messages": of_example(messages, known, by_position[position])}
        for position in positions
    ]


def of_example(
    messages: Sequence[Message], known: Mapping[str, Place | None], example: Example
) -> list[Message]:
    """The messages of one example; raises `Invalid` where it has no value for a variable."""
    try:
        return templates.rendered(messages, known, row_of(example))
    except templates.Missing as missing:
        message = f"Example {example.position} has no value for “{missing.variable}”."
        raise Invalid("missing_value", message, where={"position": example.position}) from missing
