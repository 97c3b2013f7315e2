"""The columns that divide a dataset into subsets, and masks of examples with given values."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.datasets.metadata import with_metadata
from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.statistics.subsets import SubsetColumn

from . import clustering, groups, lengths, right_labels

MOST_COLUMNS = 50  # metadata columns that are searched: the first ones of the file
COMPUTED = (lengths.INPUT, lengths.REFERENCE, right_labels.NAME)
Pairs: TypeAlias = Sequence[tuple[str, str]]  # pairs of column and value


def of_dataset(dataset: Dataset, positions: Positions, variants: Sequence[str] = ()) -> list[SubsetColumn]:
    """The columns with subsets: metadata about examples, without ids, right answers, and quarters of lengths."""
    columns = clustering.about_examples(clustering.metadata_columns(dataset), variants)[:MOST_COLUMNS]
    read = groups.read(dataset, positions, columns)
    by_column = {name: _all(columns) for name, columns in read.items()}
    computed = [column for column in _computed(dataset, positions) if column.name not in columns]
    ordered = [subsets for name in columns for subsets in by_column[name]]
    return [subsets for subsets in [*ordered, *computed] if _is_searched(subsets)]


def _is_searched(subsets: SubsetColumn) -> bool:
    """Whether there is more than one subset, and its values are what examples are called by: no whole objects, as what
    an API answered."""
    are_objects = bool(subsets.names) and all(name.startswith('{"') for name in subsets.names)
    return (subsets.is_set or len(subsets.names) > 1) and not are_objects


def _computed(dataset: Dataset, positions: Positions) -> list[SubsetColumn]:
    """The columns that no file has: right answers, else their lengths, and lengths of inputs."""
    of_inputs, of_references = lengths.columns(dataset, positions)
    labels = right_labels.columns(dataset, positions)
    return [*labels, of_inputs] if labels else [of_inputs, of_references]


def _all(column: groups.Groups) -> list[SubsetColumn]:
    return [*column.sets, *([column.subsets] if column.subsets else [])]


def check(dataset: Dataset, pairs: Pairs) -> None:
    """Refuse columns that the dataset does not have."""
    column_names = [*clustering.metadata_columns(dataset), *COMPUTED]
    for column, _ in pairs:
        if column not in column_names:
            message = f"The dataset has no metadata column “{column[:200]}”."
            raise Invalid("missing_column", message, fields={f"metadata[{column[:100]}]": [message]})


def mask(dataset: Dataset, positions: Positions, pairs: Pairs) -> Mask:
    """The mask of slots with these values; if a column is repeated, one of its values must match."""
    chosen = np.ones(len(positions), np.bool_)
    for column in dict.fromkeys(column for column, _ in pairs):
        values = [value for pair_column, value in pairs if pair_column == column]
        chosen &= np.logical_or.reduce([_having(dataset, positions, column, value) for value in values])
    return chosen


def _having(dataset: Dataset, positions: Positions, column: str, value: str) -> Mask:
    for subsets in _subsets(dataset, positions, column):
        if value in subsets.names:
            return np.asarray(subsets.codes == subsets.names.index(value))
    return with_metadata(dataset.examples.all(), column, value, positions)


def _subsets(dataset: Dataset, positions: Positions, column: str) -> list[SubsetColumn]:
    if column in clustering.metadata_columns(dataset):
        return _all(groups.read(dataset, positions, [column])[column])
    columns = (*lengths.columns(dataset, positions), *right_labels.columns(dataset, positions))
    return [subsets for subsets in columns if subsets.name == column]
