"""Examples before and after a change, cell by cell, with the words that differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from evaluations.conversations.messages import readable
from evaluations.metrics.diff import Change
from evaluations.reading.passages import changes_between
from evaluations.reading.reading import Reading, View, compare
from evaluations.values import JSON, PARTS, by_column, canonical_json

from ..page_tools.texts import as_text

LONGEST = 2_000  # characters of a cell that are shown
SHORT = 80  # characters of a text that stands beside what it became
VIEW = View(room=LONGEST)


@dataclass(frozen=True)
class Cell:
    """One column: its text before and after (None if absent), and the `difference` if it has both and a diff helps.

    Of two short texts `old` and `new` are the words of each, with those marked that the other has not.
    """

    part: str
    name: str
    before: str | None
    after: str | None
    difference: Reading | None = None
    old: Sequence[Change] = ()
    new: Sequence[Change] = ()


@dataclass(frozen=True)
class ChangedExample:
    """`change` is added, changed, removed or duplicate; a changed example shows only cells that differ.

    `key_before` is the earlier key, if it differs.
    """

    change: str
    key: str | None
    cells: list[Cell]
    key_before: str | None = None


def changed(
    kind: str,
    examples: Iterable[Mapping[str, Any]],
    columns: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> list[ChangedExample]:
    """Examples from dicts with `key`, `before` and `after`, and optionally `key_before`.

    An added one shows also those inputs and references among the `columns` of the dataset for which it has no value.
    """
    return [_changed(kind, example, columns) for example in examples]


def _changed(kind: str, example: Mapping[str, Any], columns: Mapping[str, Iterable[str]]) -> ChangedExample:
    key, before = example["key"], example.get("key_before")
    needed = [(part, name) for part in ("inputs", "reference") for name in columns.get(part, ())]
    cells = _cells(example.get("before"), example.get("after"), needed if kind == "added" else ())
    return ChangedExample(kind, key, cells, before if before != key else None)


def _cells(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, needed: Iterable[tuple[str, str]]
) -> list[Cell]:
    old, new = _values(before), _values(after)
    columns = dict.fromkeys([*needed, *old, *new])
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
    old, new = _text(before), _text(after)
    if isinstance(before, str) and isinstance(after, str) and _is_short(before) and _is_short(after):
        changes = changes_between(before, after).changes
        return Cell(*column, old, new, old=_side(changes, 1), new=_side(changes, 2))
    return Cell(*column, old, new, None if difference.is_unlike else difference)


def _is_short(text: str) -> bool:
    return len(text) <= SHORT and "\n" not in text


def _side(changes: Iterable[Change], side: Literal[1, 2]) -> list[Change]:
    """The changes of one of two texts alone, word by word."""
    if side == 1:
        return [(tag, old, old if tag == "equal" else "", None) for tag, old, _, _ in changes if old]
    return [(tag, "", new, None) for tag, _, new, _ in changes if new]


def _text(value: JSON) -> str | None:
    return None if value is None else readable(value)[:LONGEST]
