"""Subsets of examples by the length of their inputs and references, in quarters."""

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets import stored_arrays
from evaluations.datasets.arrays import Whole
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import SubsetColumn, quartiles

FEWEST_LENGTHS = 3  # different ones, of the first references: of two labels the length says which one it is
LOOKED_AT = 100_000
INPUT, REFERENCE = "input length", "reference length"
MOST_BYTES = 64_000_000  # three datasets of ten million examples
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
        inputs, references = map(_known, stored_arrays.lengths(dataset, positions))
        if len(np.unique(references[:LOOKED_AT])) < FEWEST_LENGTHS:
            references[:] = np.nan
        length_columns = quartiles(inputs, INPUT), quartiles(references, REFERENCE)
        process_cache.put(key, length_columns)
    return length_columns


def _known(characters: Whole) -> NDArray[np.float64]:
    """Numbers of characters; NaN for none."""
    known = long_arrays.zeros(len(characters), np.float64)
    for part in long_arrays.parts(len(characters)):
        known[part] = np.where(characters[part] == 0, np.nan, characters[part])
    return known
