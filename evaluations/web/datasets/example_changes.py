"""Examples before and after a change, cell by cell, with the words that differ."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.conversations.messages import readable
from evaluations.reading.reading import Reading, View, compare
from evaluations.values import JSON, PARTS, by_column, canonical_json

from ..page_tools.texts import as_text

LONGEST = 2_000  # characters of a cell that are shown
SHORT = 80  # characters of a text that stands beside what it became
VIEW = View(room=LONGEST)


@dataclass(frozen=True)
class Cell:
    """One column: its text before and after (None if absent), and the `difference` if it has both and a diff helps."""

    part: str
    name: str
    before: str | None
    after: str | None
    difference: Reading | None = None


@dataclass(frozen=True)
class ChangedExample:
    """`change` is added, changed, removed or duplicate; a changed example shows only cells that differ.

    `key_before` is the earlier key, if it differs.
    """

    change: str
    key: str | None
    cells: list[Cell]
    key_before: str | None = None


def changed(kind: str, examples: Iterable[Mapping[str, Any]]) -> list[ChangedExample]:
    """Examples from dicts with `key`, `before` and `after`, and optionally `key_before`."""
    return [_changed(kind, example) for example in examples]


def _changed(kind: str, example: Mapping[str, Any]) -> ChangedExample:
    key, before = example["key"], example.get("key_before")
    cells = _cells(example.get("before"), example.get("after"))
    return ChangedExample(kind, key, cells, before if before != key else None)


def _cells(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[Cell]:
    old, new = _values(before), _values(after)
    columns = dict.fromkeys([*old, *new])
    if before is None or after is None:
        return [Cell(*column, _text(old.get(column)), _text(new.get(column))) for column in columns]
    differing = [
        column for column in columns if canonical_json(old.get(column)) != canonical_json(new.get(column))
    ]
    return [_cell(column, old.get(column), new.get(column)) for column in differing]


def _values(parts: Mapping[str, Any] | None) -> dict[tuple[str, str], JSON]:
    if parts is None:
        return {}
    return {
        (part, name): value
        for part in PARTS
        for name, value in by_column(part, parts.get(part, {})).items()
        if value is not None
    }


def _cell(column: tuple[str, str], before: JSON, after: JSON) -> Cell:
    if before is None or after is None:
        return Cell(*column, _text(before), _text(after))
    if as_text(before) == as_text(after):  # for example, 1 has become "1"
        return Cell(*column, canonical_json(before), canonical_json(after))
    difference = compare(before, after, VIEW)[1]
    shown = _text(before), _text(after)
    is_short = all(
        isinstance(value, str) and len(value) <= SHORT and "\n" not in value for value in (before, after)
    )
    return Cell(*column, *shown, None if difference.is_unlike or is_short else difference)


def _text(value: JSON) -> str | None:
    return None if value is None else readable(value)[:LONGEST]
