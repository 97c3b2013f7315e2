"""Subsets of examples by the length of their inputs and references, in quarters."""

import numpy as np

from evaluations.datasets import stored_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import SubsetColumn, quartiles

INPUT, REFERENCE = "input length", "reference length"
MOST_BYTES = 16_000_000  # eight datasets of a million examples
# Positions are never reused, so lengths at given positions never change.
process_cache: ProcessCache[tuple[int, tuple[int, int, str]], tuple[SubsetColumn, SubsetColumn]] = (
    ProcessCache(
        "lengths of texts", MOST_BYTES, lambda columns: sum(column.codes.nbytes for column in columns)
    )
)


def columns(dataset: Dataset, positions: Positions) -> tuple[SubsetColumn, SubsetColumn]:
    """The quarters of input lengths and of reference lengths, with a slot for each position."""
    key = dataset.pk, positions.key
    length_columns = process_cache.get(key)
    if length_columns is None:
        inputs, references = (
            np.where(characters == 0, np.nan, characters)
            for characters in stored_arrays.lengths(dataset, positions)
        )
        length_columns = quartiles(inputs, INPUT), quartiles(references, REFERENCE)
        process_cache.put(key, length_columns)
    return length_columns
