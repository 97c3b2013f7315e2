"""Which value of a metadata column each example has, as numbers by slot: what clusters and subsets are made from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import FEWEST, SubsetColumn, quartiles
from evaluations.values import JSON, canonical_json, text_of

AT_ONCE = 20_000
MOST_BYTES = 64_000_000  # Ten columns of a million.
MOST_VALUES = 50  # of a column, the most frequent ones, are subsets
MOST_NUMBERS = 10  # different ones of a column are subsets of their own; more are cut into quarters
NAMES_IDS = re.compile(r"(^|[^a-z])(id|ids|uuid|guid|key|hash|index)$", re.IGNORECASE)
Value: TypeAlias = str | int | float
Codes: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = dict[Value | None, int]  # of values, in the order in which they occur; no value is -1
PLAIN = {str, int, float, type(None)}


@dataclass(frozen=True)
class Groups:
    """One column: `codes` are equal where the values are, -1 where there is none; `subsets` is None for ids."""

    codes: Codes
    subsets: SubsetColumn | None

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + (self.subsets.codes.nbytes if self.subsets else 0)


# Positions are never used again, so what a dataset has at some of them stays as it is.
process: ProcessCache[tuple[int, tuple[int, int, str], str], Groups] = ProcessCache(
    MOST_BYTES, lambda groups: groups.nbytes
)


def read(dataset: Dataset, positions: Positions, columns: Sequence[str]) -> dict[str, Groups]:
    """The groups by metadata column, a slot for each position; from the process where it has them."""
    keys = {(dataset.pk, positions.key, column): column for column in columns}
    known = {keys[key]: kept for key, kept in process.get_many(keys).items()}
    unread = [column for column in columns if column not in known]
    known |= _read(dataset, positions, unread) if unread else {}
    process.put_many({key: known[column] for key, column in keys.items() if column in unread})
    return known


def _read(dataset: Dataset, positions: Positions, columns: Sequence[str]) -> dict[str, Groups]:
    codes = np.full((len(columns), len(positions)), -1, np.int32)
    numbers: list[Numbers] = [{None: -1} for _ in columns]
    for first in positions.stretches(AT_ONCE):
        part = dataset.examples.filter(position__gte=first, position__lt=first + AT_ONCE)
        slots, rows = positions.placed(bulk.select(part.values_list("position", "metadata")))
        places = {text: place for place, text in enumerate(dict.fromkeys(text for _, text in rows))}
        parsed = [orjson.loads(text) for text in places]  # Once, where many examples share it.
        own = [places[text] for _, text in rows]
        for line, column, known in zip(codes, columns, numbers, strict=True):
            line[slots] = numbered([metadata.get(column) for metadata in parsed], known)[own]
    return {
        column: Groups(line, subsets_of(column, line, values_of(known)))
        for column, line, known in zip(columns, codes, numbers, strict=True)
    }


def numbered(values: Sequence[JSON], known: Numbers) -> Codes:
    """The number of each value; that of true is not that of 1."""
    if not set(map(type, values)) <= PLAIN:
        values = [value if type(value) in PLAIN else canonical_json(value) for value in values]
    return np.array([known.setdefault(value, len(known) - 1) for value in values], np.int32)  # type: ignore[arg-type]  # Only plain values are left.


def values_of(known: Numbers) -> list[Value]:
    """By their numbers."""
    return [value for value in known if value is not None]


# ---- subsets -----------------------------------------------------------------------------------------------


def subsets_of(name: str, codes: Codes, values: Sequence[Value]) -> SubsetColumn | None:
    """The subsets of a column: its values, or quarters of its numbers; None where it holds ids."""
    numbers = [float(value) for value in values if not isinstance(value, str)]
    if len(numbers) < len(values) or NAMES_IDS.search(name):
        return _of_values(name, codes, values, range(len(values)))
    if len(numbers) <= MOST_NUMBERS:
        ordered = sorted(range(len(values)), key=numbers.__getitem__)
        return _of_values(name, codes, values, ordered, is_number=True)
    if len(numbers) == np.count_nonzero(codes >= 0) and all(number.is_integer() for number in numbers):
        return None
    return quartiles(np.append(numbers, np.nan)[codes], name)


def _of_values(
    name: str, codes: Codes, values: Sequence[Value], order: Sequence[int], is_number: bool = False
) -> SubsetColumn | None:
    """The values that enough examples have, in this order; an empty text is none."""
    counts = np.bincount(codes + 1, minlength=len(values) + 1)[1:]
    frequent = set(np.argsort(-counts, kind="stable")[:MOST_VALUES].tolist())
    shown = [code for code in order if code in frequent and counts[code] >= FEWEST and values[code] != ""]
    if not shown:
        return None
    places = np.full(len(values) + 1, -1, np.int8)
    places[shown] = np.arange(len(shown))
    names = tuple(text_of(values[code]) or "" for code in shown)
    return SubsetColumn(name, places[codes], names, is_number or set(names) <= {"true", "false"})
