"""Maps the examples of one dataset version to the slots of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets.live_positions import Indices, Positions


@dataclass(frozen=True)
class Placement:
    """The `positions` of a version and those of the comparison (`shared`), with the slots of the same examples in both.

    The slots are slices if every example of the version has the same slot in both.
    """

    positions: Positions
    shared: Positions
    version_slots: Indices | slice
    shared_slots: Indices | slice

    @classmethod
    def unmoved(cls, positions: Positions, shared: Positions) -> "Placement":
        """The placement of a version whose positions are the first of the comparison."""
        return cls(positions, shared, slice(len(positions)), slice(len(positions)))

    @property
    def is_same(self) -> bool:
        """Whether the version has all examples of the comparison, in the same slots."""
        return isinstance(self.shared_slots, slice) and len(self.positions) == len(self.shared)

    def to_shared(self, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """Rearrange an array over the version to one over the comparison; `nothing` for examples it lacks."""
        if self.is_same:
            return slots
        rearranged = long_arrays.filled(len(self.shared), nothing, slots.dtype.type)
        rearranged[self.shared_slots] = slots[self.version_slots]
        return rearranged

    def to_version(self, slots: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """The inverse of `to_shared`: an array over the comparison's examples, rearranged to those of the version."""
        if self.is_same:
            return slots
        rearranged = long_arrays.filled(len(self.positions), nothing, slots.dtype.type)
        rearranged[self.version_slots] = slots[self.shared_slots]
        return rearranged

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions of the same examples in the version and in the comparison, pairwise."""
        return self.positions.every[self.version_slots], self.shared.every[self.shared_slots]

    @property
    def moved(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of different positions."""
        if isinstance(self.shared_slots, slice):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        positions, shared = self.pairs
        return positions[positions != shared], shared[positions != shared]

    def positions_of(self, shared_positions: Sequence[int]) -> dict[int, int]:
        """By position of the comparison, the version's positions; examples that the version lacks are left out."""
        positions = np.array(shared_positions, np.int64)
        slots, is_known = self.shared.find(positions)
        inside = slots[is_known]
        version_positions = (
            self.positions.at(inside) if self.is_same else self.to_shared(self.positions.every, 0)[inside]
        )
        pairs = zip(positions[is_known].tolist(), version_positions.tolist(), strict=True)
        return {position: version_position for position, version_position in pairs if version_position}
