"""Subsets of examples by their right answer, where references are a few labels: on which of them a variant is worse."""

from collections.abc import Mapping, Sequence

import numpy as np
import orjson

from evaluations import bulk
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import SubsetColumn
from evaluations.values import by_column, text_of

from . import groups

NAME = "right answer"
MOST_EXAMPLES = 100_000  # whose references are read
MOST_LABELS = 30
LOOKED_AT = 1_000  # the first references, which must be labels
MOST_BYTES = 16_000_000
# Positions are never reused, so references at given positions never change.
process_cache: ProcessCache[tuple[int, tuple[int, int, str]], tuple[SubsetColumn, ...]] = ProcessCache(
    "right answers", MOST_BYTES, lambda columns: sum(column.codes.nbytes for column in columns)
)


def columns(dataset: Dataset, positions: Positions) -> tuple[SubsetColumn, ...]:
    """The one column of labels, with a slot for each position; none if references are no labels, or too many."""
    key = dataset.pk, positions.key
    found = process_cache.get(key)
    if found is None:
        found = _read(dataset, positions)
        process_cache.put(key, found)
    return found


def _read(dataset: Dataset, positions: Positions) -> tuple[SubsetColumn, ...]:
    names = dataset.columns.get("reference", [])
    if len(names) != 1 or not 0 < len(positions) <= MOST_EXAMPLES:
        return ()
    first, last = positions.first, positions.last
    if not _are_labels(_read_labels(dataset, positions, first, first + LOOKED_AT, names[0])):
        return ()
    labels = _read_labels(dataset, positions, first, last, names[0])
    if not _are_labels(labels):
        return ()
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels.values()))}
    codes = np.full(len(positions), -1, np.int32)
    codes[[*labels]] = [numbers[label] for label in labels.values()]
    found = groups.subsets_of(NAME, codes, [*numbers], _no_texts)
    return (found,) if found else ()


def _read_labels(dataset: Dataset, positions: Positions, first: int, last: int, name: str) -> dict[int, str]:
    """The references by slot, of those that have one; a list or an object is "" and no label."""
    rows = dataset.examples.filter(position__range=(first, last)).values_list("position", "reference")
    slots, placed = positions.placed(bulk.select(rows))
    read = (
        (slot, by_column("reference", orjson.loads(text)).get(name))
        for slot, (_, text) in zip(slots.tolist(), placed, strict=True)
    )
    return {
        slot: "" if isinstance(value, list | dict) else text_of(value) or ""
        for slot, value in read
        if value is not None
    }


def _are_labels(labels: Mapping[int, str]) -> bool:
    distinct = {*labels.values()}
    return 2 <= len(distinct) <= MOST_LABELS and "" not in distinct


def _no_texts(slots: Sequence[int]) -> Mapping[int, str]:
    return {}  # labels are short texts, none of which is stored as a digest
