"""Maps between positions of examples and slots of arrays about a version.

Positions are never reused: after a year of mirrors most of them belong to removed examples. So an array about the
examples of a version has one slot for each example, and its `Positions` map slots to positions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from itertools import compress
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk, long_arrays
from evaluations.models import Dataset, Example
from evaluations.process_cache import ProcessCache

from .bitmaps import Mask

Indices: TypeAlias = NDArray[np.intp]
Row = TypeVar("Row", bound=Sequence[Any])
MOST_BYTES = 32_000_000  # eight versions of a million with gaps; versions without gaps take no bytes
ROOM = 200  # bytes of a cache entry without a list


@dataclass(frozen=True, eq=False)
class Positions:
    """The positions of a version, ascending, one per slot. They are contiguous from `first` on, or all are `listed`."""

    first: int
    length: int
    listed: NDArray[np.int32] | None = None

    @classmethod
    def from_array(cls, ascending: NDArray[np.integer]) -> "Positions":
        """From distinct, ascending numbers."""
        length = len(ascending)
        first = int(ascending[0]) if length else 1
        if not length or int(ascending[-1]) - first + 1 == length:
            return cls(first, length)
        listed = ascending.astype(np.int32)
        listed.flags.writeable = False  # read-only, because several threads share it
        return cls(first, length, listed)

    def __len__(self) -> int:
        return self.length

    @property
    def last(self) -> int:
        """The last position; 0 if there are none."""
        if not self.length:
            return 0
        return self.first + self.length - 1 if self.listed is None else int(self.listed[-1])

    @property
    def is_whole(self) -> bool:
        """Whether these are 1, 2, … without gaps: no example was ever removed."""
        return self.listed is None and self.first == 1

    @property
    def every(self) -> NDArray[np.int64]:
        """All positions, one per slot."""
        every = long_arrays.zeros(self.length, np.int64)
        for part in long_arrays.parts(self.length):
            every[part] = self.at(np.arange(part.start, min(part.stop, self.length)))
        return every

    @cached_property
    def key(self) -> tuple[int, int, str]:
        """A cache key, equal for equal positions."""
        digest = "" if self.listed is None else blake2b(self.listed.tobytes(), digest_size=16).hexdigest()
        return self.first, self.length, digest

    @property
    def nbytes(self) -> int:
        return ROOM + (0 if self.listed is None else self.listed.nbytes)

    # ---- conversions between slots and positions -------------------------------------------------------------

    def at(self, slots: NDArray[np.integer]) -> NDArray[np.int64]:
        """The positions of these slots."""
        if self.listed is None:
            return np.asarray(slots, np.int64) + self.first
        listed: NDArray[np.int64] = self.listed[slots].astype(np.int64)
        return listed

    def slot(self, position: int) -> int | None:
        """The slot of a position; None if it has no example here."""
        if not self.first <= position <= self.last:
            return None
        [slot], [is_here] = self.find(np.array([position], np.int64))
        return int(slot) if is_here else None

    def slots(self, positions: NDArray[np.integer]) -> Indices:
        """The slots of positions that all have an example here."""
        return self.find(positions)[0]

    def find(self, positions: NDArray[np.integer]) -> tuple[Indices, Mask]:
        """The slot of each position, and whether it has one."""
        if self.listed is None:
            slots = np.asarray(positions, np.intp) - self.first
            return slots, (slots >= 0) & (slots < self.length)
        # With the same type, numpy compares without copying the list.
        slots = np.searchsorted(self.listed, positions.astype(np.int32))
        slots = np.minimum(slots, self.length - 1)
        return slots, np.asarray(self.listed[slots] == positions)

    def mask(self, positions: NDArray[np.integer]) -> Mask:
        """The mask of slots whose position is among `positions`."""
        slots, is_here = self.find(positions)
        mask = np.zeros(self.length, np.bool_)
        mask[slots[is_here]] = True
        return mask

    def placed(self, rows: Sequence[Row]) -> tuple[Indices, Sequence[Row]]:
        """The slots of rows (tuples that begin with a position), and the rows; rows without a slot are dropped."""
        slots, is_here = self.find(np.fromiter((row[0] for row in rows), np.int64, len(rows)))
        return (slots, rows) if is_here.all() else (slots[is_here], list(compress(rows, is_here)))

    # ---- stretches of positions ------------------------------------------------------------------------------

    def span(self, first: int, length: int) -> tuple[slice, slice | NDArray[np.int32]]:
        """The slots of the `length` positions from `first` on, and the offset of each example from `first`."""
        if self.listed is None:
            end = self.first + self.length
            start = min(max(first, self.first), end)
            stop = max(start, min(first + length, end))
            return slice(start - self.first, stop - self.first), slice(start - first, stop - first)
        start, stop = np.searchsorted(self.listed, np.array((first, first + length), np.int32)).tolist()
        return slice(start, stop), self.listed[start:stop] - np.int32(first)

    def stretches(self, size: int) -> Iterable[int]:
        """The first positions of the non-empty stretches of `size` positions; stretches are counted from position 1."""
        if self.listed is None:
            return range((self.first - 1) // size * size + 1, self.last + 1, size)
        return _beginnings(self.listed, size)


def _beginnings(listed: NDArray[np.int32], size: int) -> Iterator[int]:
    for stretch in np.unique((listed - 1) // size).tolist():
        yield stretch * size + 1


# The creation time is part of the key, because an id may be reused after its dataset was purged.
process_cache: ProcessCache[tuple[int, datetime, int], Positions] = ProcessCache(
    "rows of dataset versions", MOST_BYTES, lambda positions: positions.nbytes
)


def of_version(dataset: Dataset, version: int) -> Positions:
    """The positions of a version's examples; empty if the version does not exist yet."""
    if version == dataset.version and dataset.example_count == dataset.last_position:
        return Positions(1, dataset.example_count)
    key = dataset.pk, dataset.created_at, version
    if (positions := process_cache.get(key)) is None:
        positions = _read(dataset, version)
        if len(positions):
            process_cache.put(key, positions)
    return positions


def _read(dataset: Dataset, version: int) -> Positions:
    stored_version = dataset.versions.filter(number=version).first()
    if stored_version is None or stored_version.example_count == stored_version.last_position:
        return Positions(1, stored_version.example_count if stored_version else 0)
    # Backwards, because most positions may precede the first example that still exists.
    remaining = Example.objects.of_version(dataset.pk, version).filter(
        position__lte=stored_version.last_position
    )
    rows = bulk.stream(
        remaining.order_by("-position").values_list("position")[: stored_version.example_count]
    )
    return Positions.from_array(np.fromiter((position for (position,) in rows), np.int32)[::-1])
