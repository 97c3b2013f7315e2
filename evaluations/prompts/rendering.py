"""Renders the messages of a prompt version for the examples of a dataset."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound
from evaluations.models import Dataset, Example
from evaluations.values import JSON, by_column

from . import templates
from .templates import Columns, Message, VariablePath

MOST_POSITIONS = 100
MOST_SENTENCES = 5  # unknown variables that one error message lists
LONGEST = 200  # characters of a variable that are compared with the names of columns


def paths_of(messages: Sequence[Message], columns: Columns, source: str) -> dict[str, VariablePath | None]:
    """The path of each variable in `columns`; raises `Invalid` naming every variable without a column.

    `source` names the owner of the columns in messages: a dataset, or typed inputs.
    """
    paths = templates.paths_of(messages, columns)
    sentences = [_sentence(name, columns, source) for name, path in paths.items() if path is None]
    if sentences:
        raise Invalid(
            "unknown_variable",
            " ".join(sentences[:MOST_SENTENCES]),
            fields={"messages": sentences},
            hint=_hint(columns),
        )
    return paths


def _sentence(name: str, columns: Columns, source: str) -> str:
    if templates.path_of(name, {"inputs": columns.get("reference", ())}):
        return f"“{name}” is a reference; references are never sent."
    near = _near(name, columns)
    return f"{source} has no column “{name}”." + (f" Did you mean {_written(near)}?" if near else "")


def _near(name: str, columns: Columns) -> str | None:
    """The variable that was probably meant: the one with a similar spelling, also without “metadata.”."""
    offered = _offered(columns)
    spelled = {
        column.removeprefix(f"{templates.METADATA}.").casefold(): column for column in reversed(offered)
    }
    spelled |= {column.casefold(): column for column in offered}
    return next(
        (spelled[match] for match in get_close_matches(name.casefold()[:LONGEST], spelled, n=1)), None
    )


def _offered(columns: Columns) -> list[str]:
    inputs = columns.get("inputs", ())[:MOST_POSITIONS]
    return [
        *inputs,
        *(f"{templates.METADATA}.{name}" for name in columns.get(templates.METADATA, ())[:MOST_POSITIONS]),
    ]


def _hint(columns: Columns) -> str:
    names = ", ".join(map(_written, _offered(columns)[:20]))
    return f"Its columns are {names}." if names else ""


def _written(variable: str) -> str:
    return f"{{{{ {variable} }}}}"


def row_of(example: Example) -> dict[str, dict[str, JSON]]:
    """The values of an example by part and column; large whole numbers are not converted to floats."""
    return {
        part: by_column(part, json.loads(getattr(example, part))) for part in ("inputs", templates.METADATA)
    }


def render(messages: Sequence[Message], dataset: Dataset, positions: Sequence[int]) -> list[dict[str, Any]]:
    """The messages for these examples of the newest version, in the order of `positions`; no server is called."""
    if not 0 < len(positions) <= MOST_POSITIONS:
        message = f"Name 1 to {MOST_POSITIONS} positions."
        raise Invalid("invalid", message, fields={"positions": [message]})
    paths = paths_of(messages, dataset.columns, dataset.name)
    chosen = datasets.examples(dataset).filter(position__in=positions)
    by_position = {example.position: example for example in chosen}
    for position in positions:
        if position not in by_position:
            message = f"{dataset.name} has no example {position}."
            raise NotFound("not_found", message, fields={"positions": [message]})
    return [
        {"position": position, "messages": of_example(messages, paths, by_position[position])}
        for position in positions
    ]


def of_example(
    messages: Sequence[Message], paths: Mapping[str, VariablePath | None], example: Example
) -> list[Message]:
    """The messages for one example; raises `Invalid` if it lacks a value for a variable."""
    try:
        return templates.rendered(messages, paths, row_of(example))
    except templates.Missing as missing:
        message = f"Example {example.position} has no value for “{missing.variable}”."
        raise Invalid("missing_value", message, where={"position": example.position}) from missing
