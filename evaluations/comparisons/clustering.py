"""Which examples belong together: those with one value in a metadata column, or with the same input."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, canonical_json

Labels: TypeAlias = NDArray[np.int64]
INPUTS = "inputs"  # Names the inputs as a whole, unless a metadata column is called so.
NO_INPUT = "{}"
AT_ONCE = 20_000
MOST_BYTES = 64_000_000  # Eight columns of a million.
# Positions are never used again, so what a dataset has up to one of them stays as it is.
process: ProcessCache[tuple[int, int, str], Labels] = ProcessCache(MOST_BYTES, lambda labels: labels.nbytes)


def metadata_columns(dataset: Dataset) -> list[str]:
    """The columns that could say it."""
    return dataset.columns.get("metadata", [])


def candidates(dataset: Dataset) -> list[str]:
    """What is tried where nobody has named a column."""
    return list(dict.fromkeys([*metadata_columns(dataset), INPUTS]))


def check(dataset: Dataset, column: str) -> None:
    if column not in candidates(dataset):
        known = ", ".join(metadata_columns(dataset)) or "none"
        message = f"The dataset has no metadata column “{column}”; it has: {known}."
        raise Invalid("missing_column", message, fields={"cluster": [message]})


def labels(dataset: Dataset, columns: Sequence[str]) -> dict[str, Labels]:
    """For each column a label in every slot: equal where the values are, its own where there is none."""
    keys = {(dataset.pk, dataset.last_position, column): column for column in columns}
    known = {keys[key]: kept for key, kept in process.get_many(keys).items()}
    unread = [column for column in columns if column not in known]
    known |= _read(dataset, unread)
    process.put_many({key: known[column] for key, column in keys.items() if column in unread})
    return known


def _read(dataset: Dataset, columns: Sequence[str]) -> dict[str, Labels]:
    metadata = [column for column in columns if column in metadata_columns(dataset)]
    inputs = [column for column in columns if column not in metadata]
    return _metadata(dataset, metadata) | {column: _inputs(dataset) for column in inputs}


def _metadata(dataset: Dataset, columns: Sequence[str]) -> dict[str, Labels]:
    if not columns:
        return {}
    labels = {column: _own(dataset.last_position) for column in columns}
    numbers: dict[str, dict[str, int]] = {column: {} for column in columns}
    read: dict[str, list[int | None]] = {}  # Metadata that many examples share is parsed once.
    for position, text in dataset.examples.values_list("position", "metadata").iterator(10_000):
        if text not in read:
            values = orjson.loads(text)
            read[text] = [_number(values.get(column), numbers[column]) for column in columns]
        for column, number in zip(columns, read[text], strict=True):
            if number is not None:
                labels[column][position - 1] = number
    return labels


def _own(length: int) -> Labels:
    """A label of its own for every slot."""
    return -1 - np.arange(length, dtype=np.int64)


def _number(value: JSON, numbers: dict[str, int]) -> int | None:
    return None if value is None else numbers.setdefault(canonical_json(value), len(numbers))


def _inputs(dataset: Dataset) -> Labels:
    """One label for equal inputs: the hash of a text takes a fraction of its memory."""
    labels = _own(dataset.last_position)
    for first in range(1, dataset.last_position + 1, AT_ONCE):
        rows = bulk.select(
            dataset.examples.filter(position__gte=first, position__lt=first + AT_ONCE)
            .exclude(inputs=NO_INPUT)
            .values_list("position", "inputs")
        )
        for position, text in rows:
            labels[position - 1] = hash(text)
    return labels
