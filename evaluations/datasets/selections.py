"""Selections of examples of the newest version for an edit or a split: by a filter, or by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, Split
from evaluations.models.dataset import ExampleQuerySet

from . import datasets, live_positions, lookup, metadata, splits

Positions = NDArray[np.int64]


def matching(
    dataset: Dataset,
    version: int,
    search: str = "",
    split: Split | None = None,
    pairs: Sequence[tuple[str, str]] = (),
) -> ExampleQuerySet:
    """The examples of a version that contain this text, belong to this split and have these metadata values."""
    examples = splits.examples(split, version) if split else datasets.examples(dataset, version)
    if search:
        examples = datasets.search(examples, search)
    if not pairs:
        return examples
    slots = live_positions.of_version(dataset, version)
    rows = slots.every[metadata.with_values(examples, pairs, slots)]
    return examples.filter(position__one_of=rows.tolist())


@dataclass(frozen=True)
class Selection:
    """The conditions must all hold; `filter` is written like a split's, `keys` and `positions` together name examples.

    `version` is the one that the user saw: in a newer one, the same filter may match other examples. Without
    conditions, `everything` must be true to select all examples.
    """

    dataset: Dataset
    version: int
    search: str = ""
    filter: Sequence[tuple[str, str]] = ()
    split: Split | None = None
    keys: Sequence[str] = ()
    positions: Sequence[int] = ()
    everything: bool = False

    @cached_property
    def chosen(self) -> Positions:
        """The selected positions, ascending; see `resolve`."""
        self._check()
        if not self._has_conditions:
            return live_positions.of_version(self.dataset, self.version).every
        rows = splits.examples(self.split, self.version) if self.split else datasets.examples(self.dataset)
        if self.keys or self.positions:
            named = lookup.positions(self.dataset, self.keys, self.positions)
            rows = rows.filter(position__one_of=named.tolist())
        if self.search:
            rows = datasets.search(rows, self.search)
        if self.filter:
            newest = live_positions.of_version(self.dataset, self.version)
            return newest.every[metadata.with_values(rows, self.filter, newest)]
        return np.fromiter((position for (position,) in bulk.stream(rows.values_list("position"))), np.int64)

    def resolve(self) -> None:
        """Find the examples now, before any lock is taken: this may read all texts of the dataset."""
        _ = self.chosen

    def require_newest(self) -> None:
        """Raise `Conflict` if the dataset has changed since the selection was made."""
        if self.version != self.dataset.version:
            raise Conflict(
                "changed_meanwhile",
                f"The dataset has changed: it is at version {self.dataset.version}, but the selection is of"
                f" version {self.version}.",
                hint="Open the newest version and select again.",
            )

    @property
    def _has_conditions(self) -> bool:
        return bool(self.search or self.filter or self.split or self.keys or self.positions)

    def _check(self) -> None:
        datasets.require_ready(self.dataset)
        self.require_newest()
        metadata.require_columns(self.dataset, self.filter)
        if not self._has_conditions and not self.everything:
            message = "Select examples by a filter, keys or positions, or all."
            raise Invalid("invalid_edit", message, fields={"select": [message]})
