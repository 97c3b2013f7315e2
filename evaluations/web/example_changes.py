"""Examples before and after a change, cell by cell, with the words that differ."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.metrics.diff import Change, are_unlike, diff
from evaluations.values import PARTS, by_column, text_of

LONGEST = 2_000  # characters of a cell that are shown


@dataclass(frozen=True)
class Cell:
    """One column: its text before and after, None where it had none; `words` where a diff helps."""

    part: str
    name: str
    before: str | None
    after: str | None
    words: list[Change] | None = None


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
    old, new = _texts(before), _texts(after)
    places = dict.fromkeys([*old, *new])
    if before is None or after is None:
        return [Cell(*place, old.get(place), new.get(place)) for place in places]
    return [
        _cell(place, old.get(place), new.get(place)) for place in places if old.get(place) != new.get(place)
    ]


def _texts(parts: Mapping[str, Any] | None) -> dict[tuple[str, str], str | None]:
    if parts is None:
        return {}
    return {
        (part, name): (text_of(value) or "")[:LONGEST]
        for part in PARTS
        for name, value in by_column(part, parts.get(part, {})).items()
        if value is not None
    }


def _cell(place: tuple[str, str], before: str | None, after: str | None) -> Cell:
    if before is None or after is None:
        return Cell(*place, before, after)
    words = diff(before, after)
    return Cell(*place, before, after, None if are_unlike(words) else words)
