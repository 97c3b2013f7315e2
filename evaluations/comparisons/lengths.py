"""How long the inputs and references of examples are, in characters, cut into quarters."""

from collections.abc import Iterator

import numpy as np
import orjson

from evaluations import bulk
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import Split, quartiles
from evaluations.statistics.terms import Values
from evaluations.values import text_of

INPUT, REFERENCE = "input length", "reference length"
AT_ONCE = 20_000
MOST_BYTES = 16_000_000  # Eight datasets of a million.
# Positions are never used again, so what a dataset has up to one of them stays as it is.
process: ProcessCache[tuple[int, int], tuple[Split, Split]] = ProcessCache(
    MOST_BYTES, lambda splits: sum(split.codes.nbytes for split in splits)
)


def splits(dataset: Dataset) -> tuple[Split, Split]:
    """By the length of the input, and by that of the reference."""
    key = dataset.pk, dataset.last_position
    known = process.get(key)
    if known is None:
        inputs, references = _read(dataset)
        known = quartiles(inputs, INPUT), quartiles(references, REFERENCE)
        process.put(key, known)
    return known


def _read(dataset: Dataset) -> tuple[Values, Values]:
    """By slot; NaN where there is no text."""
    lengths = np.full((2, dataset.last_position), np.nan)
    for first in range(1, dataset.last_position + 1, AT_ONCE):
        part = dataset.examples.filter(position__gte=first, position__lt=first + AT_ONCE)
        for position, *texts in bulk.stream(part.values_list("position", "inputs", "reference")):
            lengths[:, position - 1] = [_length(text) for text in texts]
    return lengths[0], lengths[1]


def _length(text: str) -> float:
    """Of all values of a JSON object together.

    >>> _length('{"question":"why?","n":12}'), _length('{"answer":null}')
    (6.0, nan)
    """
    return float(sum(_lengths(text))) or np.nan


def _lengths(text: str) -> Iterator[int]:
    for value in orjson.loads(text).values():
        yield len(text_of(value) or "")
