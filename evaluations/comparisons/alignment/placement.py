"""Maps the examples of one dataset version to the slots of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Indices, Positions


@dataclass(frozen=True)
class Placement:
    """Positions of a version (`here`) and of the comparison (`shared`), with the slots of the same examples in both.

    The slots are slices if every example of the version has the same slot in both.
    """

    here: Positions
    shared: Positions
    own_slots: Indices | slice
    shared_slots: Indices | slice

    @classmethod
    def unmoved(cls, here: Positions, shared: Positions) -> "Placement":
        """The placement of a version whose positions are the first of the comparison."""
        return cls(here, shared, slice(len(here)), slice(len(here)))

    @property
    def is_same(self) -> bool:
        """Whether the version has all examples of the comparison, in the same slots."""
        return isinstance(self.shared_slots, slice) and len(self.here) == len(self.shared)

    def to_shared(self, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """Rearrange an array over the version to one over the comparison; `nothing` for examples it lacks."""
        if self.is_same:
            return slots
        rearranged = np.full(len(self.shared), nothing, slots.dtype)
        rearranged[self.shared_slots] = slots[self.own_slots]
        return rearranged

    def to_own(self, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """The inverse of `to_shared`: an array over the comparison's examples, rearranged to those of the version."""
        if self.is_same:
            return slots
        laid_back = np.full(len(self.here), nothing, slots.dtype)
        laid_back[self.own_slots] = slots[self.shared_slots]
        return laid_back

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions of the same examples in the version and in the comparison, pairwise."""
        return self.here.every[self.own_slots], self.shared.every[self.shared_slots]

    @property
    def moved(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of different positions."""
        if isinstance(self.shared_slots, slice):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        own, shared = self.pairs
        return own[own != shared], shared[own != shared]

    def positions_of(self, shared_positions: Sequence[int]) -> dict[int, int]:
        """By position of the comparison, the version's positions; examples that the version lacks are left out."""
        positions = np.array(shared_positions, np.int64)
        slots, is_known = self.shared.find(positions)
        inside = slots[is_known]
        own = self.here.at(inside) if self.is_same else self.to_shared(self.here.every, 0)[inside]
        pairs = zip(positions[is_known].tolist(), own.tolist(), strict=True)
        return {position: own_position for position, own_position in pairs if own_position}
