"""Examples before and after a change, cell by cell, with the words that differ."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.conversations.changes import Stretch, between
from evaluations.metrics.diff import Change, are_unlike, diff
from evaluations.values import JSON, PARTS, by_column, text_of

from .texts import as_text, readable

LONGEST = 2_000  # characters of a cell that are shown


@dataclass(frozen=True)
class Cell:
    """One column: its text before and after, None where it had none; `words` where a diff helps.

    `stretches` are the changes between two conversations.
    """

    part: str
    name: str
    before: str | None
    after: str | None
    words: list[Change] | None = None
    stretches: list[Stretch] | None = None


@dataclass(frozen=True)
class ChangedExample:
    """`change` is added, changed, removed or duplicate; of a changed one only the cells that differ."""

    change: str
    key: str | None
    cells: list[Cell]


def changed(kind: str, examples: Iterable[Mapping[str, Any]]) -> list[ChangedExample]:
    """From objects with `key`, `before` and `after`."""
    return [
        ChangedExample(kind, each["key"], _cells(each.get("before"), each.get("after"))) for each in examples
    ]


def _cells(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[Cell]:
    old, new = _values(before), _values(after)
    places = dict.fromkeys([*old, *new])
    if before is None or after is None:
        return [Cell(*place, _text(old.get(place)), _text(new.get(place))) for place in places]
    differing = [place for place in places if text_of(old.get(place)) != text_of(new.get(place))]
    return [_cell(place, old.get(place), new.get(place)) for place in differing]


def _values(parts: Mapping[str, Any] | None) -> dict[tuple[str, str], JSON]:
    if parts is None:
        return {}
    return {
        (part, name): value
        for part in PARTS
        for name, value in by_column(part, parts.get(part, {})).items()
        if value is not None
    }


def _cell(place: tuple[str, str], before: JSON, after: JSON) -> Cell:
    stretches = between(before, after)
    if stretches or before is None or after is None:
        return Cell(*place, _text(before), _text(after), stretches=stretches)
    old, new = as_text(before)[:LONGEST], as_text(after)[:LONGEST]
    words = diff(old, new)
    return Cell(*place, old, new, None if are_unlike(words) else words)


def _text(value: JSON) -> str | None:
    return None if value is None else readable(value)[:LONGEST]
