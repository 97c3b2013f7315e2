"""Types of a dataset's columns, for typed file formats: text, number, boolean, or list of one of these."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from evaluations.models import Dataset
from evaluations.scoring import stretches
from evaluations.scoring.stretches import ChosenRows, Stretch
from evaluations.values import JSON, PARTS


@dataclass(frozen=True)
class ListOf:
    """A list type; `None` items if all lists are empty."""

    item: "Kind | None"


Kind: TypeAlias = type | ListOf
Kinds = dict[tuple[str, str], Kind]
WIDEST = range(-(2**63), 2**63)  # whole numbers in 64 bits with a sign


def of_dataset(dataset: Dataset, version: int, chosen: ChosenRows, final: Set[Kind]) -> Kinds:
    """The type of each column, by part and name: `object` for mixed values or objects; empty columns are left out.

    Each part is read until the types of its columns are `final`: columns of texts are known after the first stretch.
    """
    kinds: Kinds = {}
    for part in PARTS:
        read = stretches.of_dataset(dataset, version, chosen, [part])
        rows = (stretch.parsed(part) for stretch in read)
        kinds |= {(part, name): kind for name, kind in _of_part(dataset.columns.get(part, ()), rows, final)}
    return kinds


def _of_part(
    names: Sequence[str], read: Iterable[list[dict[str, JSON]]], final: Set[Kind]
) -> Iterator[tuple[str, Kind]]:
    kinds: dict[str, Kind | None] = dict.fromkeys(names)
    for rows in read:
        for name in names:
            kinds[name] = _merged_kind(kinds[name], _common_kind([row.get(name) for row in rows]))
        if all(kind in final for kind in kinds.values()):
            break
    return ((name, kind) for name, kind in kinds.items() if kind)


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


def _common_kind(values: Sequence[JSON]) -> Kind | None:
    """The type of all these values. Only whole numbers and lists must be looked at singly."""
    by_type = {type(value): value for value in values}
    checked_values = values if {int, list} & by_type.keys() else by_type.values()
    return reduce(_merged_kind, map(_kind, checked_values), None)


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
