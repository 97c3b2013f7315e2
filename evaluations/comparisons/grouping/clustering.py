"""Finds clusters of dependent examples: equal values of a metadata column, or equal inputs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets import stored_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid
from evaluations.ingest.column_names import words_of
from evaluations.ingest.role_words import JUSTIFICATIONS, REMARKS
from evaluations.ingest.score_words import AMOUNTS, CONFIDENCE, OF_CALLS
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache

from . import groups as groups_of

Labels: TypeAlias = NDArray[np.int64]
INPUTS = "inputs"  # the column name for equal inputs, unless a metadata column has this name
MOST_BYTES = 32_000_000  # the labels of inputs of four datasets of a million examples
# Positions are never reused, so labels at given positions never change.
process_cache: ProcessCache[tuple[int, tuple[int, int, str]], Labels] = ProcessCache(
    "clusters of examples", MOST_BYTES, lambda labels: labels.nbytes
)


def metadata_columns(dataset: Dataset) -> list[str]:
    """The metadata columns that could group examples."""
    names: list[str] = dataset.columns.get("metadata", [])
    return names


def candidates(dataset: Dataset, positions: Positions, variants: Iterable[str] = ()) -> list[str]:
    """The columns that "auto" tests: all but those of fractions, such as prices, which repeat by chance.

    Remarks and times say something about outputs and not about examples, as columns named after variants do.
    """
    groups_by_column = groups_of.read(dataset, positions, metadata_columns(dataset))
    fractions = {column for column, groups in groups_by_column.items() if groups.has_fractions}
    return [
        column
        for column in about_examples(_named(dataset), [*variants])
        if column not in fractions and words_of(column).isdisjoint(AMOUNTS | OF_CALLS | REMARKS)
    ]


def about_examples(columns: Sequence[str], variants: Sequence[str]) -> list[str]:
    """The columns but those of what was said about the outputs of variants.

    A column is about outputs if its name begins with that of a variant, or equals that of another column except for
    the words by which variants differ, or has a word for how sure a variant was or why somebody judged so.

    >>> about_examples(["topic", "small_label", "large_label", "large city"], ["mt_small", "mt_large"])
    ['topic', 'large city']
    >>> about_examples(["topic", "gpt-4.1 score", "bert_prob", "choice/explanation"], ["gpt-4.1"])
    ['topic']
    """
    words = {name: words_of(name) for name in variants}
    common = set.intersection(*words.values()) if len(words) > 1 else set[str]()
    marks = {name: own - common for name, own in words.items() if own - common}
    rests = {
        column: {name: words_of(column) - mark for name, mark in marks.items() if mark <= words_of(column)}
        for column in columns
    }
    alike = Counter(frozenset(rest) for found in rests.values() for rest in {*map(frozenset, found.values())})
    beginnings = tuple(f"{name} " for name in variants)
    return [
        column
        for column, found in rests.items()
        if not column.startswith(beginnings)
        and words_of(column).isdisjoint(CONFIDENCE | JUSTIFICATIONS)
        and all(alike[frozenset(rest)] < 2 for rest in found.values())
    ]


def _named(dataset: Dataset) -> list[str]:
    """The columns that a user may choose."""
    return list(dict.fromkeys([*metadata_columns(dataset), INPUTS]))


def check(dataset: Dataset, column: str) -> None:
    if column not in _named(dataset):
        column_names = ", ".join(metadata_columns(dataset)) or "none"
        message = f"The dataset has no metadata column “{column}”; it has: {column_names}."
        raise Invalid("missing_column", message, fields={"cluster": [message]})


def labels(dataset: Dataset, positions: Positions, columns: Sequence[str]) -> dict[str, Labels]:
    """For each column a label per position: equal for equal values, unique without a value."""
    metadata = [column for column in columns if column in metadata_columns(dataset)]
    by_column = {
        column: _with_unique(groups.codes, none=-1)
        for column, groups in groups_of.read(dataset, positions, metadata).items()
    }
    return by_column | {column: _inputs(dataset, positions) for column in columns if column not in metadata}


def _with_unique(codes: NDArray[np.signedinteger], none: int) -> Labels:
    """Labels from codes, with a different one for every slot that has `none`."""
    labels = long_arrays.zeros(len(codes), np.int64)
    for part in long_arrays.parts(len(codes)):
        slots = np.arange(part.start, part.start + len(codes[part]))
        labels[part] = np.where(codes[part] == none, -1 - slots, codes[part])
    return labels


def _inputs(dataset: Dataset, positions: Positions) -> Labels:
    """Labels that are equal for equal inputs."""
    key = dataset.pk, positions.key
    labels = process_cache.get(key)
    if labels is None:
        labels = _with_unique(stored_arrays.inputs(dataset, positions), none=0)
        process_cache.put(key, labels)
    return labels
