"""The identity of examples across versions: an edit moves an example to a new position, but keeps its origin."""

from datetime import datetime

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.models import Dataset, Example
from evaluations.process_cache import ProcessCache

from . import live_positions

Identities = NDArray[np.int64]
MOST_BYTES = 32_000_000  # Four versions of a million.

process_cache: ProcessCache[tuple[int, datetime, int], Identities] = ProcessCache(
    "examples across versions", MOST_BYTES, lambda identities: identities.nbytes
)


def of_version(dataset: Dataset, version: int) -> Identities:
    """For each slot, the first position the example ever had, which is its identity."""
    positions = live_positions.of_version(dataset, version)
    if positions.is_whole:
        return positions.every  # The identity of an example that was never edited is its position.
    key = dataset.pk, dataset.created_at, version
    if (identities := process_cache.get(key)) is None:
        process_cache.put(key, identities := _read(dataset, version, positions))
    return identities


def _read(dataset: Dataset, version: int, positions: live_positions.Positions) -> Identities:
    within = {"position__gte": positions.first, "position__lte": positions.last}
    edited = Example.objects.of_version(dataset.pk, version).filter(origin__isnull=False, **within)
    rows = np.array(bulk.select(edited.values_list("position", "origin")), np.int64).reshape(-1, 2)
    identities = positions.every
    identities[positions.slots(rows[:, 0])] = rows[:, 1]
    identities.flags.writeable = False  # read-only, because several threads share it
    return identities


def in_version(dataset: Dataset, source: int, target: int) -> NDArray[np.int64]:
    """For each slot of `source`, the position of the same example in `target`; else its first position."""
    source_identities = of_version(dataset, source)
    if source == target:
        return live_positions.of_version(dataset, source).every
    target_identities, positions = of_version(dataset, target), live_positions.of_version(dataset, target)
    if not len(target_identities):
        return source_identities
    order = np.argsort(target_identities, kind="stable")
    slots = order[
        np.minimum(
            np.searchsorted(target_identities, source_identities, sorter=order), len(target_identities) - 1
        )
    ]
    return np.where(target_identities[slots] == source_identities, positions.at(slots), source_identities)


def position_in(dataset: Dataset, version: int, position: int) -> int:
    """The position of an example in another version, whether before or after an edit; else the same position."""
    examples = Example.objects.of_version(dataset.pk, version)
    named = Example.objects.filter(dataset=dataset, position=position).first()
    if named is None or examples.filter(position=position).exists():
        return position
    same = examples.filter(Q(position=named.identity, origin=None) | Q(origin=named.identity))
    return same.values_list("position", flat=True).first() or position
