"""Lists the paths that exist in some examples, for the path picker."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evaluations import jsonpath
from evaluations.jsonpath import Step
from evaluations.mapping.contexts import NAMES, may_hold_json
from evaluations.values import JSON, opened_json, text_or_json

MAX_HINTS = 500
MAX_DEPTH = 8
MAX_ELEMENTS = 3
MAX_EXAMPLE = 80


@dataclass(frozen=True)
class KnownPath:
    """A path, its value in the first row that has it (as text, cut), and the number of rows that have it."""

    path: str
    example: str
    count: int


def paths_in(rows: Iterable[Mapping[str, JSON]]) -> list[KnownPath]:
    """The plain paths of these contexts, parents first, in the order of appearance; at most 500.

    Lists show their first three positions; outputs and reference values that are JSON text are parsed.
    """
    by_steps: dict[tuple[Step, ...], tuple[str, int]] = {}
    for row in rows:
        for steps, value in islice(_walk(row), MAX_HINTS):
            example, count = by_steps.get(steps, (None, 0))
            by_steps[steps] = (_example(value) if example is None else example, count + 1)
    hints = [
        KnownPath(jsonpath.from_names(steps), example, count) for steps, (example, count) in by_steps.items()
    ]
    return hints[:MAX_HINTS]


def _walk(row: Mapping[str, JSON]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    waiting: list[tuple[tuple[Step, ...], Any]] = [
        ((key,), row[key]) for key in reversed(NAMES) if key in row
    ]
    while waiting:
        steps, value = waiting.pop()
        yield steps, value
        if len(steps) < MAX_DEPTH:
            inside = opened_json(value) if may_hold_json(steps) else value
            waiting += reversed([((*steps, step), member) for step, member in _members(inside)])


def _members(value: Any) -> list[tuple[Step, Any]]:
    if isinstance(value, dict):
        return list(islice(value.items(), MAX_HINTS))
    return list(enumerate(value[:MAX_ELEMENTS])) if isinstance(value, list) else []


def _example(value: JSON) -> str:
    text = text_or_json(value)
    return text if len(text) <= MAX_EXAMPLE else text[: MAX_EXAMPLE - 1] + "…"
