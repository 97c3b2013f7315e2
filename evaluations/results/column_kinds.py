"""Types of a dataset's columns, for typed file formats: text, number, boolean, or list of one of these."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from evaluations.scoring.stretches import Stretch
from evaluations.values import JSON, PARTS


@dataclass(frozen=True)
class ListOf:
    """A list type; `None` items if all lists are empty."""

    item: "Kind | None"


Kind: TypeAlias = type | ListOf
Kinds = dict[tuple[str, str], Kind]
WIDEST = range(-(2**63), 2**63)  # whole numbers in 64 bits with a sign


def of_dataset(read: Iterable[Stretch]) -> Kinds:
    """The type of each column, by part and name: `object` for mixed values or objects; empty columns are left out."""
    kinds: dict[tuple[str, str], Kind | None] = {}
    for stretch in read:
        for part in PARTS:
            for row in stretch.parsed(part):
                for name, value in row.items():
                    kinds[part, name] = _merged_kind(kinds.get((part, name)), _kind(value))
    return {column: kind for column, kind in kinds.items() if kind is not None}


def beyond_texts(read: Iterable[Stretch]) -> Kinds:
    """`object` for each column with a value that a text cell would lose: anything but null and non-empty texts."""
    return {
        (part, name): object
        for stretch in read
        for part in PARTS
        for row in stretch.parsed(part)
        for name, value in row.items()
        if value == "" or not isinstance(value, str | None)
    }


def _kind(value: JSON) -> Kind | None:
    """The type of a value; `object` for values without a column type."""
    if isinstance(value, list):
        item: Kind | None = None
        for element in value:
            item = _merged_kind(item, _kind(element))
        return object if item is object else ListOf(item)
    if isinstance(value, int) and not isinstance(value, bool):
        return int if value in WIDEST else object
    return None if value is None else object if isinstance(value, dict) else type(value)


def _merged_kind(first: Kind | None, second: Kind | None) -> Kind | None:
    if first is None or first == second:
        return second
    if second is None:
        return first
    if isinstance(first, ListOf) and isinstance(second, ListOf):
        item = _merged_kind(first.item, second.item)
        return object if item is object else ListOf(item)
    return object
