"""Score columns: the scores of a run as arrays, packed into blocks of up to 4 000 positions.

A block has a slot for each of its positions, a whole column one for each of the `Positions` it is read for. A slot
without a score, because its example is not in the run's version or not yet done, is `ABSENT` and counts nowhere. No
other module reads the bytes.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Sum
from django.db.models.functions import Coalesce, Length
from numpy.typing import NDArray

from evaluations import bulk, long_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Scoring
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
            long_arrays.filled(length, np.nan, np.float64),
            long_arrays.filled(length, -1, np.int8),
            long_arrays.filled(length, Status.ABSENT, np.uint8),
        )

    def __len__(self) -> int:
        return len(self.status)

    def put(self, slots: Any, column: "Slots") -> None:
        """Write a `column` at the indices `slots` (an array or a slice) of this column."""
        self.values[slots], self.passed[slots], self.status[slots] = (
            column.values,
            column.passed,
            column.status,
        )

    def at(self, slots: Any) -> "Slots":
        """The part at these slots (indices, a mask or a slice)."""
        return Slots(self.values[slots], self.passed[slots], self.status[slots])

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """The mask of slots with any status but ABSENT: scored, or tried without result."""
        return np.asarray(self.status != Status.ABSENT)

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.passed.nbytes + self.status.nbytes

    def freeze(self) -> None:
        """Make the arrays read-only, because several threads share them."""
        for array in (self.values, self.passed, self.status):
            array.flags.writeable = False


def pack(slots: Slots | Scores) -> tuple[bytes, bytes, bytes]:
    """values, passed and status as little-endian bytes: ten per slot."""
    return (
        slots.values.astype("<f8").tobytes(),
        slots.passed.astype("i1").tobytes(),
        slots.status.astype("u1").tobytes(),
    )


def pack_counts(counts: NDArray[np.int32] | None) -> bytes | None:
    """The counts behind corpus scores, compressed count by count to a few bytes per slot."""
    return None if counts is None else zlib.compress(counts.T.astype("<i4").tobytes(), 1)


def unpack(values: bytes, passed: bytes, status: bytes) -> Slots:
    return Slots(np.frombuffer(values, "<f8"), np.frombuffer(passed, "i1"), np.frombuffer(status, "u1"))


def load(scoring_id: int) -> Slots:
    """All slots that are filled so far, in the order of positions."""
    blocks = Block.objects.filter(scoring_id=scoring_id).order_by("first")
    size = blocks.aggregate(size=Coalesce(Sum(Length("status")), 0))["size"]
    slots, end = Slots.absent(size), 0
    for packed in bulk.stream(blocks.values_list("values", "passed", "status")):
        part = unpack(*packed)
        known = part.is_known
        begin, end = end, end + int(np.count_nonzero(known))
        slots.put(slice(begin, end), part if known.all() else part.at(known))
    return slots.at(slice(end))


def load_many(scoring_ids: Collection[int], positions: Positions) -> dict[int, Slots]:
    """The columns of several scorings from one query, with a slot for each of these positions."""
    blocks = Block.objects.filter(scoring_id__in=scoring_ids).order_by("scoring_id", "first")
    stored = bulk.stream(blocks.values_list("scoring_id", "first", "values", "passed", "status"))
    by_id = {
        pk: _placed(((first, unpack(*packed)) for _, first, *packed in rows), positions)
        for pk, rows in groupby(stored, key=itemgetter(0))
    }
    return {pk: by_id[pk] if pk in by_id else Slots.absent(len(positions)) for pk in scoring_ids}


def read_values(
    scoring_ids: Collection[int], positions: Positions
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Only the values of each scoring: half the work, if all slots are known to be scored."""
    blocks = Block.objects.filter(scoring_id__in=scoring_ids).order_by("scoring_id", "first")
    stored = bulk.stream(blocks.values_list("scoring_id", "first", "values"))
    for pk, rows in groupby(stored, key=itemgetter(0)):
        values, end = long_arrays.zeros(len(positions), np.float64), 0
        for _, first, packed in rows:
            part = np.frombuffer(packed, "<f8")
            slots, offsets = positions.span(first, len(part))
            values[end : slots.start] = np.nan
            values[slots], end = part[offsets], slots.stop
        values[end:] = np.nan
        yield pk, values


def load_counts(scoring_id: int, positions: Positions) -> NDArray[np.int32] | None:
    """Counts with shape (slots, numbers of an example); −1 for a slot without. None if no block has any."""
    counts: NDArray[np.int32] | None = None
    blocks = Block.objects.filter(scoring_id=scoring_id, counts__isnull=False).order_by("first")
    for first, packed, status in bulk.stream(blocks.values_list("first", "counts", "status")):
        part = np.frombuffer(zlib.decompress(packed), "<i4").reshape(-1, len(status)).T
        if counts is None:
            counts = np.full((len(positions), part.shape[1]), -1, np.int32)
        slots, offsets = positions.span(first, len(part))
        counts[slots] = part[offsets]
    return counts


def digest(scoring: Scoring | None) -> str:
    """SHA-256 of the scores of a scoring, whatever its blocks; "" if there are none."""
    if scoring is None:
        return ""
    slots = load(scoring.pk)
    hashed = sha256()
    for packed in pack(slots):
        hashed.update(packed)
    return hashed.hexdigest()


def _placed(parts: Iterable[tuple[int, Slots]], positions: Positions) -> Slots:
    """One column from parts, each with its first position."""
    column = Slots.absent(len(positions))
    for first, part in parts:
        slots, offsets = positions.span(first, len(part))
        column.put(slots, part.at(offsets))
    return column


def stretch(scoring_ids: Collection[int], first: int) -> dict[int, tuple[Slots, dict[int, str]]]:
    """`CHUNK` slots of each scoring, from the position `first` on, and the stored sentences by slot."""
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
    """First position, last position and number of examples of the blocks with this status."""
    blocks = Block.objects.filter(scoring_id=scoring_id).order_by("first").values_list("first", "status")
    packed = ((first, np.frombuffer(raw, "u1")) for first, raw in blocks.iterator())
    return [
        (first, first + len(part) - 1, int(np.count_nonzero(part != Status.ABSENT)))
        for first, part in packed
        if (part == status).any()
    ]
