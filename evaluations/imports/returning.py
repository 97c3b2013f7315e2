"""Examples that were removed and come back: by their key they are the same examples, and runs of both align."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import contents
from evaluations.models import Dataset, Example

from . import digests
from .digests import Digests


@dataclass
class Removed:
    """The identities of removed examples, by the digest of their key: sorted, the one removed last at the end."""

    names: Digests
    identities: NDArray[np.int64]

    @classmethod
    def read(cls, dataset: Dataset) -> "Removed":
        removed = Example.objects.filter(dataset=dataset, removed_in__isnull=False, key__isnull=False)
        names, identities = bytearray(), []
        for position, origin, key in bulk.stream(
            removed.order_by("position").values_list("position", "origin", "key")
        ):
            names += contents.of_key(key)
            identities.append(origin or position)
        ordered = digests.array([bytes(names)])
        order = np.argsort(ordered, kind="stable")
        return cls(ordered[order], np.array(identities, np.int64)[order])

    def identities_of(self, keys: Sequence[str]) -> dict[str, int]:
        """Of those keys that an example had."""
        wanted = digests.array([contents.of_key(key) for key in keys])
        _, is_known = digests.place(self.names, wanted)
        last = np.searchsorted(self.names, wanted, side="right") - 1
        return {keys[n]: int(self.identities[last[n]]) for n in np.flatnonzero(is_known).tolist()}
