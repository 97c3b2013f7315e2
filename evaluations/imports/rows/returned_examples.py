"""Recognises removed examples that return: by key they get their old identity, so that older runs align with them."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import contents
from evaluations.datasets.digests import Digests
from evaluations.models import Dataset, Example


@dataclass
class Removed:
    """The identities of removed examples by the digest of their key, sorted; of equal keys, the last removed counts.

    Identities of live examples (now with another key) are left out; if an example had several keys, the last counts.
    """

    names: Digests
    identities: NDArray[np.uint32]

    @classmethod
    def read(cls, dataset: Dataset) -> "Removed":
        removed = Example.objects.filter(dataset=dataset, removed_in__isnull=False, key__isnull=False)
        names, identities = bytearray(), array("I")
        for position, origin, key in bulk.stream(
            removed.order_by("position").values_list("position", "origin", "key")
        ):
            names += contents.of_key(key)
            identities.append(origin or position)
        unordered, every = Digests.from_bytes(names), np.frombuffer(identities, np.uint32)
        order = unordered.order()
        last = np.sort(order[~unordered[order].is_followed()])
        _, from_the_end = np.unique(every[last][::-1], return_index=True)
        newest_rows = last[len(last) - 1 - from_the_end]
        free = newest_rows[~np.isin(every[newest_rows], _edited(dataset))]
        free = free[unordered[free].order()]
        return cls(unordered[free], every[free])

    def identities_of(self, keys: Sequence[str]) -> dict[str, int]:
        """By key, the identities of those `keys` that a removed example had."""
        indices, is_known = self.names.find(Digests.from_bytes(b"".join(map(contents.of_key, keys))))
        return {keys[n]: int(self.identities[indices[n]]) for n in np.flatnonzero(is_known).tolist()}


def _edited(dataset: Dataset) -> NDArray[np.int64]:
    """The identities of live examples that were edited."""
    edited = Example.objects.filter(dataset=dataset, removed_in=None, origin__isnull=False)
    return np.array(bulk.select(edited.values_list("origin")), np.int64).reshape(-1)
