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
    """Matched examples: `positions` and `other_positions` are pairwise; `by_key` counts pairs matched by key.

    `changed` counts pairs with different contents. `ambiguous` are positions of the other version.
    """

    positions: Indices
    other_positions: Indices
    by_key: int
    changed: int
    ambiguous: Indices
    examples: int

    @property
    def by_contents(self) -> int:
        return len(self.positions) - self.by_key

    @property
    def left_out(self) -> int:
        """How many examples have no match, including the ambiguous ones."""
        return self.examples - len(self.positions)


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
        for batch_positions, keys, content_digests in _read(dataset, version):
            positions.append(np.array(batch_positions, np.int64))
            names += contents.names(keys, content_digests)
            has_key += bytes(key is not None for key in keys)
            texts += b"".join(content_digests)
        keyed = np.frombuffer(has_key, np.bool_)
        return cls(np.concatenate(positions), Digests.from_bytes(names), keyed, Digests.from_bytes(texts))


_matched = ProcessCache[tuple[int, datetime, int, int, datetime, int], Counterparts](
    "examples matched between datasets", 4_000_000, lambda rows: len(rows.positions) + len(rows.ambiguous)
)


def between(version: Version, other_version: Version) -> Counterparts:
    """Match the examples of a version with those of another version, of any dataset."""
    (dataset, number), (other_dataset, other_number) = version, other_version
    key = dataset.pk, dataset.created_at, number, other_dataset.pk, other_dataset.created_at, other_number
    if (counterparts := _matched.get(key)) is None:
        _matched.put(
            key, counterparts := _between(VersionRows.read(*version), VersionRows.read(*other_version))
        )
    return counterparts


def _between(version: VersionRows, other_version: VersionRows) -> Counterparts:
    rows, other_rows = _by_key(version, other_version)
    unmatched, other_unmatched = (
        _complement(len(version.positions), rows),
        _complement(len(other_version.positions), other_rows),
    )
    unique = (
        unmatched[_unique(version.contents[unmatched])],
        other_unmatched[_unique(other_version.contents[other_unmatched])],
    )
    more = _paired(version.contents, unique[0], other_version.contents, unique[1])
    changed = ~version.contents[rows].equals(other_version.contents[other_rows])
    return Counterparts(
        positions=version.positions[np.concatenate([rows, more[0]])],
        other_positions=other_version.positions[np.concatenate([other_rows, more[1]])],
        by_key=len(rows),
        changed=int(np.count_nonzero(changed)),
        ambiguous=other_version.positions[
            _ambiguous(version.contents[unmatched], other_version.contents, other_unmatched, more[1])
        ],
        examples=len(other_version.positions),
    )


def _by_key(version: VersionRows, other_version: VersionRows) -> tuple[Indices, Indices]:
    return _paired(
        version.keys,
        np.flatnonzero(version.has_key),
        other_version.keys,
        np.flatnonzero(other_version.has_key),
    )


def _paired(
    digests: Digests, rows: Indices, other_digests: Digests, other_rows: Indices
) -> tuple[Indices, Indices]:
    """The pairs of `rows` and `other_rows` whose digest occurs exactly once on each side."""
    ordered = other_rows[other_digests[other_rows].order()]
    at, is_there = other_digests[ordered].find(digests[rows])
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


def _ambiguous(digests: Digests, other_digests: Digests, other_rows: Indices, paired: Indices) -> Indices:
    """The `other_rows` whose contents occur on the other side, but not exactly once on both."""
    unpaired = other_rows[~np.isin(other_rows, paired)]
    return unpaired[digests.sorted().find(other_digests[unpaired])[1]]


def _read(
    dataset: Dataset, version: int
) -> Iterator[tuple[tuple[int, ...], tuple[str | None, ...], list[bytes]]]:
    rows = Example.objects.of_version(dataset.pk, version).order_by("position")
    stored = bulk.stream(rows.values_list("position", "key", *PARTS))
    while batch := list(islice(stored, AT_ONCE)):
        positions, keys, *texts = zip(*batch, strict=True)
        yield positions, keys, contents.digests(dict(zip(PARTS, texts, strict=True)))
