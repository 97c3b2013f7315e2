"""The filter of a comparison: examples with given metadata, of a split, or both; without one, all examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.datasets import live_positions, splits
from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid
from evaluations.models import Dataset, Experiment, Run, Split
from evaluations.results import searching

from . import subset_columns
from .subset_columns import Pairs


@dataclass(frozen=True)
class ExampleFilter:
    """`metadata` are columns and values; if a column is repeated, one of its values must match."""

    metadata: Pairs = ()
    split: Split | None = None

    def __bool__(self) -> bool:
        return bool(self.metadata or self.split)

    @property
    def key(self) -> tuple[Any, ...]:
        """The cache key, which changes with the definition of the split."""
        return tuple(self.metadata), self.split and (self.split.pk, splits.digest(self.split))

    @property
    def told(self) -> str:
        """Such as "language de or en and split dev"; "" for all examples."""
        values: dict[str, list[str]] = {}
        for column, value in self.metadata:
            values.setdefault(column, []).append(value)
        conditions = [f"{column} {' or '.join(listed)}" for column, listed in values.items()]
        return " and ".join([*conditions, *([f"split {self.split.name}"] if self.split else [])])

    def check(self, dataset: Dataset) -> None:
        """Raise `Invalid` for a column that the dataset does not have, and for a split of another dataset."""
        subset_columns.check(dataset, self.metadata)
        if self.split and self.split.dataset_id != dataset.pk:
            message = f"{self.split.name} is a split of another dataset."
            raise Invalid("not_comparable", message, fields={"split": [message]})

    def mask(self, dataset: Dataset, version: int, positions: Positions) -> Mask:
        """The mask of slots that count; a split is taken as of this version."""
        mask = subset_columns.mask(dataset, positions, self.metadata)
        return mask & splits.mask(self.split, version, positions) if self.split else mask


ALL_EXAMPLES = ExampleFilter()


def exported_examples(
    experiment: Experiment, runs: Sequence[Run], example_filter: ExampleFilter, search: str
) -> Mask | None:
    """The slots of the examples of an experiment that count and in which a text is found; None for all."""
    example_filter.check(experiment.dataset)
    if not example_filter and not search:
        return None
    version = experiment.dataset_version
    positions = live_positions.of_version(experiment.dataset, version)
    chosen = example_filter.mask(experiment.dataset, version, positions)
    if not search:
        return chosen
    return chosen & searching.with_text(search, runs, experiment.examples, positions, None)
