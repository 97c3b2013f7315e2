"""Which examples of two versions are the same: an edit gives an example a new position and keeps its origin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.models import Example

Places = NDArray[np.intp]


def moves(dataset_id: int, source: int, target: int) -> tuple[Places, Places]:
    """Where the examples stand that were edited between two versions: their slots in `source` and in `target`.

    All other examples have the same position in both. A slot of an example that one of the versions does not
    have is absent in the columns of its runs.
    """
    if source == target:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    before, after = (_edited(dataset_id, version) for version in (source, target))
    identities = sorted(before.keys() | after.keys())
    pairs = [(before.get(identity, identity), after.get(identity, identity)) for identity in identities]
    moved = np.array([pair for pair in pairs if pair[0] != pair[1]], np.intp).reshape(-1, 2) - 1
    return moved[:, 0], moved[:, 1]


def moved(
    slots: NDArray[Any], sources: Places, targets: Places, nothing: Any, length: int | None = None
) -> NDArray[Any]:
    """An array of slots with those at `sources` at `targets`, and `nothing` where they stood.

    With a length, which is that of another dataset, only what stands at `sources` is taken over.
    """
    if length is None and not len(sources):
        return slots
    column = slots.copy() if length is None else np.full(length, nothing, slots.dtype)
    column[sources if length is None else slice(None)] = nothing
    column[targets] = slots[sources]
    return column


def _edited(dataset_id: int, version: int) -> dict[int, int]:
    """The positions of the edited examples of a version, by identity."""
    edited = Example.objects.of_version(dataset_id, version).filter(origin__isnull=False)
    return dict(edited.values_list("origin", "position"))
