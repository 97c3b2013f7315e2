"""Score columns: the arrays of a scoring, packed into blocks of up to 4 000 positions. No other module reads the bytes.

A whole column has one slot per position of the run: position p is slot p − 1. A slot without
a score, because its example is not in the run's version or not yet done, is `ABSENT` and counts nowhere.
"""

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.kinds.scores import Scores
from evaluations.models import Block
from evaluations.values import Status

CHUNK = 4_000


@dataclass(frozen=True)
class Slots:
    """Three aligned arrays: `values` float64 (NaN: no score), `passed` int8 (−1: none), `status` uint8."""

    values: NDArray[np.float64]
    passed: NDArray[np.int8]
    status: NDArray[np.uint8]

    @classmethod
    def absent(cls, length: int) -> "Slots":
        return cls(
            np.full(length, np.nan),
            np.full(length, -1, np.int8),
            np.full(length, Status.ABSENT, np.uint8),
        )

    def __len__(self) -> int:
        return len(self.status)

    def put(self, slots: Any, other: "Slots") -> None:
        """Write `other` into the places `slots` (indices or a slice) of this column."""
        self.values[slots], self.passed[slots], self.status[slots] = other.values, other.passed, other.status

    def scored_between(self, first: int, last: int) -> int:
        """How many examples between two positions have been looked at."""
        return int(np.count_nonzero(self.status[first - 1 : last] != Status.ABSENT))

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.passed.nbytes + self.status.nbytes

    def freeze(self) -> None:
        """Make the arrays read-only, because several threads share them."""
        for array in (self.values, self.passed, self.status):
            array.flags.writeable = False

    def stretched(self, length: int) -> "Slots":
        """This column with absent slots up to a length; itself where it is that long."""
        if len(self) >= length:
            return self
        longer = Slots.absent(length)
        longer.put(slice(len(self)), self)
        return longer


def pack(slots: Slots | Scores) -> tuple[bytes, bytes, bytes]:
    """values, passed and status as little-endian bytes: ten a slot."""
    return (
        slots.values.astype("<f8").tobytes(),
        slots.passed.astype("i1").tobytes(),
        slots.status.astype("u1").tobytes(),
    )


def pack_counts(counts: NDArray[np.int32] | None) -> bytes | None:
    """What corpus scores are made of, count by count, because neighbours are then alike: a few bytes a slot."""
    return None if counts is None else zlib.compress(counts.T.astype("<i4").tobytes(), 1)


def unpack(values: bytes, passed: bytes, status: bytes) -> Slots:
    return Slots(np.frombuffer(values, "<f8"), np.frombuffer(passed, "i1"), np.frombuffer(status, "u1"))


def load(scoring_id: int, length: int = 0) -> Slots:
    """The whole column of a scoring, at least `length` slots long; those of missing blocks are absent."""
    return load_many([scoring_id], length)[scoring_id]


def load_many(scoring_ids: Collection[int], length: int = 0) -> dict[int, Slots]:
    """The whole columns of several scorings from one query, all as long as the longest."""
    blocks = Block.objects.filter(scoring_id__in=scoring_ids).order_by("scoring_id", "first")
    stored = bulk.stream(blocks.values_list("scoring_id", "first", "values", "passed", "status"))
    by_id = {pk: Slots.absent(0) for pk in scoring_ids}
    for pk, rows in groupby(stored, key=itemgetter(0)):
        by_id[pk] = _joined([(first - 1, unpack(*packed)) for _, first, *packed in rows])
    longest = max([length, *map(len, by_id.values())])
    return {pk: slots.stretched(longest) for pk, slots in by_id.items()}


def read_values(scoring_ids: Collection[int], length: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The values alone, `length` slots of each scoring: half the work where all are known to be scored."""
    blocks = Block.objects.filter(scoring_id__in=scoring_ids).order_by("scoring_id", "first")
    stored = bulk.stream(blocks.values_list("scoring_id", "first", "values"))
    for pk, rows in groupby(stored, key=itemgetter(0)):
        values, end = np.empty(length), 0
        for _, first, packed in rows:
            part = np.frombuffer(packed, "<f8")
            values[end : first - 1] = np.nan
            end = first - 1 + len(part)
            values[first - 1 : end] = part
        values[end:] = np.nan
        yield pk, values


def has_counts(scoring_id: int) -> bool:
    """Whether every block has them; older ones do not."""
    return not Block.objects.filter(scoring_id=scoring_id, counts=None).exists()


def load_counts(scoring_id: int, width: int, length: int) -> NDArray[np.int32]:
    """A line of `width` counts for each slot, −1 where there are none."""
    counts = np.full((length, width), -1, np.int32)
    blocks = Block.objects.filter(scoring_id=scoring_id).order_by("first")
    for first, packed in bulk.stream(blocks.values_list("first", "counts")):
        part = np.frombuffer(zlib.decompress(packed), "<i4").reshape(width, -1).T
        counts[first - 1 : first - 1 + len(part)] = part[: length - first + 1]
    return counts


def _joined(parts: list[tuple[int, Slots]]) -> Slots:
    """The column that these parts with their first slots make."""
    if _without_gaps(parts):
        arrays = zip(*((part.values, part.passed, part.status) for _, part in parts), strict=True)
        return Slots(*map(np.concatenate, arrays))
    column = Slots.absent(max(start + len(part) for start, part in parts))
    for start, part in parts:
        column.put(slice(start, start + len(part)), part)
    return column


def _without_gaps(parts: list[tuple[int, Slots]]) -> bool:
    end = 0
    for start, part in parts:
        if start != end:
            return False
        end += len(part)
    return True


def stretch(scoring_ids: Collection[int], first: int) -> dict[int, tuple[Slots, dict[int, str]]]:
    """The `CHUNK` slots of each scoring that begin with the position `first`, and its sentences by slot."""
    blocks = Block.objects.filter(scoring_id__in=scoring_ids, first__gte=first, first__lt=first + CHUNK)
    stored = blocks.values_list("scoring_id", "first", "values", "passed", "status", "notes")
    by_id: dict[int, tuple[Slots, dict[int, str]]] = {pk: (Slots.absent(CHUNK), {}) for pk in scoring_ids}
    for pk, begins, *packed, notes in stored:
        part, start = unpack(*packed), begins - first
        column, messages = by_id[pk]
        column.put(slice(start, start + len(part)), part)
        messages.update((start + int(slot), text) for slot, text in notes.get("messages", {}).items())
    return by_id


def blocks_with(scoring_id: int, status: Status) -> list[tuple[int, int, int]]:
    """First, last and number of examples of the blocks of a scoring in which an example has this status."""
    blocks = Block.objects.filter(scoring_id=scoring_id).order_by("first").values_list("first", "status")
    packed = ((first, np.frombuffer(raw, "u1")) for first, raw in blocks.iterator())
    return [
        (first, first + len(part) - 1, int(np.count_nonzero(part != Status.ABSENT)))
        for first, part in packed
        if (part == status).any()
    ]
