"""Which examples belong together: those with one value in a metadata column."""

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.scoring import columns
from evaluations.values import canonical_json


def metadata_columns(dataset: Dataset) -> list[str]:
    """The columns that could say it."""
    return dataset.columns.get("metadata", [])


def check(dataset: Dataset, column: str) -> None:
    if column not in metadata_columns(dataset):
        known = ", ".join(metadata_columns(dataset)) or "none"
        message = f"The dataset has no metadata column “{column}”; it has: {known}."
        raise Invalid("missing_column", message, fields={"cluster": [message]})


def labels(dataset: Dataset, column: str) -> NDArray[np.int64]:
    """A label for each slot: equal where the metadata column is, its own where there is no value."""
    # A score column ends with its last block, behind the last position.
    found = -1 - np.arange(dataset.last_position + columns.CHUNK, dtype=np.int64)
    numbers: dict[str, int] = {}
    read: dict[str, int | None] = {}  # Metadata that many examples share is parsed once.
    for position, text in dataset.examples.values_list("position", "metadata").iterator(10_000):
        if text not in read:
            value = orjson.loads(text).get(column)
            named = None if value is None else canonical_json(value)
            read[text] = None if named is None else numbers.setdefault(named, len(numbers))
        if (number := read[text]) is not None:
            found[position - 1] = number
    return found
