"""Matches the examples of two datasets: by key, then by contents.

If no key matches and several examples have the same contents, they are ambiguous and left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.models import Dataset, Example
from evaluations.process_cache import ProcessCache
from evaluations.values import PARTS

from . import contents
from .digests import Digests, Indices, Mask

AT_ONCE = 5_000
Version = tuple[Dataset, int]


@dataclass(frozen=True)
class Counterparts:
    """Matched examples: `own` and `other` are their positions, pairwise; `by_key` counts pairs matched by key.

    `changed` counts pairs with different contents. `ambiguous` are positions of the other version.
    """

    own: Indices
    other: Indices
    by_key: int
    changed: int
    ambiguous: Indices
    examples: int

    @property
    def by_contents(self) -> int:
        return len(self.own) - self.by_key

    @property
    def left_out(self) -> int:
        """How many examples have no match, including the ambiguous ones."""
        return self.examples - len(self.own)


@dataclass(frozen=True)
class VersionRows:
    """The rows of a version: positions, and digests of keys and contents."""

    positions: NDArray[np.int64]
    keys: Digests
    has_key: Mask
    contents: Digests

    @classmethod
    def read(cls, dataset: Dataset, version: int) -> "VersionRows":
        positions, names, has_key, texts = [np.empty(0, np.int64)], bytearray(), bytearray(), bytearray()
        for some, keys, own in _read(dataset, version):
            positions.append(np.array(some, np.int64))
            names += contents.names(keys, own)
            has_key += bytes(key is not None for key in keys)
            texts += b"".join(own)
        keyed = np.frombuffer(has_key, np.bool_)
        return cls(np.concatenate(positions), Digests.from_bytes(names), keyed, Digests.from_bytes(texts))


_matched = ProcessCache[tuple[int, datetime, int, int, datetime, int], Counterparts](
    4_000_000, lambda rows: len(rows.own) + len(rows.ambiguous)
)


def between(own: Version, other: Version) -> Counterparts:
    """Match the examples of a version with those of another version, of any dataset."""
    (dataset, version), (other_dataset, number) = own, other
    key = dataset.pk, dataset.created_at, version, other_dataset.pk, other_dataset.created_at, number
    if (counterparts := _matched.get(key)) is None:
        _matched.put(key, counterparts := _between(VersionRows.read(*own), VersionRows.read(*other)))
    return counterparts


def _between(own: VersionRows, other: VersionRows) -> Counterparts:
    rows, other_rows = _by_key(own, other)
    rest, other_rest = _complement(len(own.positions), rows), _complement(len(other.positions), other_rows)
    unique = rest[_unique(own.contents[rest])], other_rest[_unique(other.contents[other_rest])]
    more = _paired(own.contents, unique[0], other.contents, unique[1])
    changed = ~own.contents[rows].equals(other.contents[other_rows])
    return Counterparts(
        own=own.positions[np.concatenate([rows, more[0]])],
        other=other.positions[np.concatenate([other_rows, more[1]])],
        by_key=len(rows),
        changed=int(np.count_nonzero(changed)),
        ambiguous=other.positions[_ambiguous(own.contents[rest], other.contents, other_rest, more[1])],
        examples=len(other.positions),
    )


def _by_key(own: VersionRows, other: VersionRows) -> tuple[Indices, Indices]:
    return _paired(own.keys, np.flatnonzero(own.has_key), other.keys, np.flatnonzero(other.has_key))


def _paired(own: Digests, rows: Indices, other: Digests, other_rows: Indices) -> tuple[Indices, Indices]:
    """The pairs of `rows` and `other_rows` whose digest occurs exactly once on each side."""
    ordered = other_rows[other[other_rows].order()]
    at, is_there = other[ordered].find(own[rows])
    return rows[is_there], ordered[at[is_there]]


def _complement(length: int, rows: Indices) -> Indices:
    """The indices below `length` that are not in `rows`."""
    mask = np.ones(length, np.bool_)
    mask[rows] = False
    return np.flatnonzero(mask)


def _unique(digests: Digests) -> Mask:
    """The mask of digests that occur once."""
    order = digests.order()
    followed = digests[order].is_followed()
    mask = np.ones(len(digests), np.bool_)
    mask[order[followed]] = False
    mask[order[1:][followed[:-1]]] = False
    return mask


def _ambiguous(own: Digests, other: Digests, other_rows: Indices, paired: Indices) -> Indices:
    """The `other_rows` whose contents occur on the other side, but not exactly once on both."""
    unpaired = other_rows[~np.isin(other_rows, paired)]
    return unpaired[own.sorted().find(other[unpaired])[1]]


def _read(
    dataset: Dataset, version: int
) -> Iterator[tuple[tuple[int, ...], tuple[str | None, ...], list[bytes]]]:
    rows = Example.objects.of_version(dataset.pk, version).order_by("position")
    stored = bulk.stream(rows.values_list("position", "key", *PARTS))
    while batch := list(islice(stored, AT_ONCE)):
        positions, keys, *texts = zip(*batch, strict=True)
        yield positions, keys, contents.digests(dict(zip(PARTS, texts, strict=True)))
