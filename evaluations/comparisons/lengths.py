"""How long the inputs and references of examples are, in characters, cut into quarters."""

import numpy as np
import orjson

from evaluations import bulk
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import SubsetColumn, quartiles
from evaluations.statistics.terms import Values
from evaluations.values import text_of

INPUT, REFERENCE = "input length", "reference length"
AT_ONCE = 20_000
MOST_BYTES = 16_000_000  # Eight datasets of a million.
# Positions are never used again, so what a dataset has at some of them stays as it is.
process: ProcessCache[tuple[int, tuple[int, int, str]], tuple[SubsetColumn, SubsetColumn]] = ProcessCache(
    MOST_BYTES, lambda columns: sum(column.codes.nbytes for column in columns)
)


def columns(dataset: Dataset, positions: Positions) -> tuple[SubsetColumn, SubsetColumn]:
    """By the length of the input, and by that of the reference; a slot for each position."""
    key = dataset.pk, positions.key
    known = process.get(key)
    if known is None:
        inputs, references = _read(dataset, positions)
        known = quartiles(inputs, INPUT), quartiles(references, REFERENCE)
        process.put(key, known)
    return known


def _read(dataset: Dataset, positions: Positions) -> tuple[Values, Values]:
    """By slot; NaN where there is no text."""
    inputs, references = (np.full(len(positions), np.nan) for _ in range(2))
    for first in positions.stretches(AT_ONCE):
        part = dataset.examples.filter(position__gte=first, position__lt=first + AT_ONCE)
        rows = bulk.stream(part.values_list("position", "inputs", "reference"))  # Texts may be large.
        measured = [(position, _length(own), _length(expected)) for position, own, expected in rows]
        slots, known = positions.placed(measured)
        inputs[slots] = [length for _, length, _ in known]
        references[slots] = [length for _, _, length in known]
    return inputs, references


def _length(text: str) -> float:
    """Of all values of a JSON object together.

    >>> _length('{"question":"why?","n":12}'), _length('{"answer":null}')
    (6.0, nan)
    """
    values = orjson.loads(text).values()
    return (
        float(sum(len(value if type(value) is str else text_of(value) or "") for value in values)) or np.nan
    )
