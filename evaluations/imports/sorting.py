"""Which rows of a file a dataset has already, which it has otherwise, and which are new; nothing is stored.

An example is found by its key, else by its contents. Of several equal examples without a key each is found once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import contents
from evaluations.models import Dataset
from evaluations.models import DatasetImport as Change
from evaluations.scoring import stretches
from evaluations.values import PARTS

from . import digests
from .digests import Digests, Mask, Seen

Positions = NDArray[np.int64]
APPEND, MIRROR = Change.Mode.APPEND, Change.Mode.MIRROR
KNOWN_KEY = "duplicate_key", "an example with the key “{key}” exists, with other contents"
SECOND_KEY = "duplicate_key", "an earlier row of the file has the key “{key}”"
SECOND = "duplicate_example", "another example has the same contents"


@dataclass
class Sorted:
    """The places of rows in their batch, by what becomes of them; `changed` with the positions that they replace."""

    added: list[int] = field(default_factory=list)
    changed: list[tuple[int, int]] = field(default_factory=list)
    same: int = 0
    duplicates: list[int] = field(default_factory=list)
    refused: dict[int, tuple[str, str]] = field(default_factory=dict)


@dataclass
class Known:
    """The examples of a version. `names` are digests of their keys, or of their contents where they have none: sorted.

    `used` are those that a row of the file was found to be; `times`, by the first of equal names, how many.
    """

    names: Digests
    contents: Digests
    positions: Positions
    used: Mask
    times: NDArray[np.int64]

    @classmethod
    def read(cls, dataset: Dataset, alive: Callable[[], None] = lambda: None) -> "Known":
        """Those of the newest version; `alive` is called after every stretch of them."""
        names, texts, positions = bytearray(), bytearray(), [np.empty(0, np.int64)]
        for stretch in stretches.of_dataset(dataset, dataset.version):
            own = contents.digests({part: stretch.parts[part] for part in PARTS})
            names += b"".join(named(stretch.keys, own))
            texts += b"".join(own)
            positions.append(np.array(stretch.positions, np.int64))
            alive()
        return cls.from_digests(
            digests.array([bytes(names)]), digests.array([bytes(texts)]), np.concatenate(positions)
        )

    @classmethod
    def from_digests(cls, names: Digests, texts: Digests, positions: Positions) -> "Known":
        # Equal names stay in the order of their positions.
        order = np.argsort(names, kind="stable")
        used, times = np.zeros(len(order), np.bool_), np.zeros(len(order), np.int64)
        return cls(names[order], texts[order], positions[order], used, times)

    def find(self, names: Digests) -> tuple[NDArray[np.int64], Mask]:
        """For each name the place of an example that no row was yet, else −1; and whether there is any at all."""
        starts, is_known = digests.place(self.names, names)
        places, rows = np.full(len(names), -1, np.int64), np.flatnonzero(is_known)
        is_first = (self.times[starts[rows]] == 0) & ~digests.repeated(starts[rows])
        first, later = rows[is_first], rows[~is_first]
        places[first] = starts[first]
        self.times[starts[first]] = 1
        for row in later.tolist():
            place = int(starts[row] + self.times[starts[row]])
            if place < len(self.names) and self.names[place] == names[row]:
                self.times[starts[row]] += 1
                places[row] = place
        self.used[places[places >= 0]] = True
        return places, is_known

    def unused(self) -> Positions:
        return np.sort(self.positions[~self.used])


def named(keys: Sequence[str | None], texts: Sequence[bytes]) -> list[bytes]:
    return [text if key is None else contents.of_key(key) for key, text in zip(keys, texts, strict=True)]


class Sorter:
    """Sorts the rows of a file, batch after batch, the same way in a dry run and in the import."""

    def __init__(self, known: Known, mode: str, duplicates: str):
        self.known, self.mode, self.duplicates = known, mode, duplicates
        # A mirror removes what the file lacks, so its rows are duplicates of each other only.
        self.others = digests.empty() if mode == MIRROR else np.sort(known.contents)
        self.keys, self.seen = Seen(), Seen()

    def sort(self, keys: Sequence[str | None], texts: Sequence[bytes]) -> Sorted:
        own, names = digests.array(texts), digests.array(named(keys, texts))
        has_key = np.array([key is not None for key in keys], np.bool_)
        second_key = has_key & (digests.repeated(names) | self.keys.has(names))
        self.keys.add(names[has_key & ~second_key])
        places, moved = self._places(names, own, has_key, second_key)
        is_same = (places >= 0) & ~moved
        is_same[is_same] = self.known.contents[places[is_same]] == own[is_same]
        is_other = ~is_same & ~second_key
        twice = is_other & ~moved & self._twice(own)
        rows = self._sorted(places, is_same, second_key, twice)
        dropped = np.zeros(len(own), np.bool_)
        dropped[[*rows.refused, *(rows.duplicates if self.duplicates == Change.Duplicates.SKIP else ())]] = (
            True
        )
        self.seen.add(own[~dropped])
        return rows

    def _places(
        self, names: Digests, own: Digests, has_key: Mask, second_key: Mask
    ) -> tuple[NDArray[np.int64], Mask]:
        """The known example of each row, −1 for none; and the rows that give a key to one that had none."""
        places = np.full(len(names), -1, np.int64)
        is_known = np.zeros(len(names), np.bool_)
        places[~second_key], is_known[~second_key] = self.known.find(names[~second_key])
        keyed = has_key & ~second_key & ~is_known & (self.mode != APPEND)
        places[keyed], _ = self.known.find(own[keyed])
        return places, keyed & (places >= 0)

    def _twice(self, own: Digests) -> Mask:
        return digests.repeated(own) | self.seen.has(own) | digests.place(self.others, own)[1]

    def _sorted(self, places: NDArray[np.int64], is_same: Mask, second_key: Mask, twice: Mask) -> Sorted:
        rows = Sorted(same=int(np.count_nonzero(is_same)))
        rows.refused = dict.fromkeys(np.flatnonzero(second_key).tolist(), SECOND_KEY)
        for row in np.flatnonzero(~is_same & ~second_key).tolist():
            if places[row] >= 0 and self.mode == APPEND:
                rows.refused[row] = KNOWN_KEY
            elif twice[row] and self.duplicates == Change.Duplicates.FAIL:
                rows.refused[row] = SECOND
            else:
                self._take(rows, row, int(places[row]), bool(twice[row]))
        return rows

    def _take(self, rows: Sorted, row: int, place: int, twice: bool) -> None:
        if twice:
            rows.duplicates.append(row)
            if self.duplicates == Change.Duplicates.SKIP:
                if place >= 0:  # A mirror removes what it was.
                    self.known.used[place] = False
                return
        if place < 0:
            rows.added.append(row)
        else:
            rows.changed.append((row, int(self.known.positions[place])))
