"""Which rows of a file a dataset has already, which it has otherwise, and which are new; nothing is stored.

An example is found by its key, else by its contents. Of several equal examples without a key each is found once.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import contents
from evaluations.datasets.digests import Digests, Mask, Places, Seen
from evaluations.models import Dataset
from evaluations.models import DatasetImport as Change
from evaluations.scoring import stretches

Positions = NDArray[np.uint32]
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


class Known:
    """The examples of a version. `names` are digests of their keys, or of their contents where they have none: sorted.

    `contents` are sorted for themselves, and `content` says which of them each example has. `used` are those that a
    row of the file was found to be. Of equal names `taken` tells whether the first was, and `more` counts the others.
    """

    def __init__(self, names: Digests, texts: Digests, positions: Positions):
        self.contents = texts.sorted()
        content = self.contents.place(texts)[0].astype(np.uint32)
        order = names.order()  # Equal names stay in the order of their positions.
        self.names, self.positions, self.content = names[order], positions[order], content[order]
        self.used, self.taken = np.zeros((2, len(names)), np.bool_)
        self.more: Counter[int] = Counter()

    @classmethod
    def read(cls, dataset: Dataset, alive: Callable[[], None] = lambda: None) -> "Known":
        """Those of the newest version; `alive` is called after every stretch of them."""
        names, texts = Digests.empty(dataset.example_count), Digests.empty(dataset.example_count)
        positions, first = np.empty(dataset.example_count, np.uint32), 0
        for stretch in stretches.of_dataset(dataset, dataset.version):
            own = contents.digests(stretch.parts)
            names.put(first, Digests.from_bytes(contents.names(stretch.keys, own)))
            texts.put(first, Digests.from_bytes(b"".join(own)))
            positions[first : first + len(own)] = stretch.positions
            first += len(own)
            alive()
        return cls(names, texts, positions)

    def find(self, names: Digests) -> tuple[Places, Mask]:
        """For each name the place of an example that no row was yet, else −1; and whether there is any at all."""
        starts, is_known = self.names.place(names)
        places, rows = np.full(len(names), -1, np.intp), np.flatnonzero(is_known)
        is_first = ~self.taken[starts[rows]] & ~names[rows].repeated()
        first, later = rows[is_first], rows[~is_first]
        places[first] = starts[first]
        self.taken[starts[first]] = True
        for row in later.tolist():
            places[row] = self._next(int(starts[row]))
        self.used[places[places >= 0]] = True
        return places, is_known

    def _next(self, start: int) -> int:
        """The place of another example with the name of the one at `start`, or −1."""
        place = start + self.more[start] + 1
        both = self.names[[start, min(place, len(self.names) - 1)]]
        if place == len(self.names) or not both.repeated()[1]:
            return -1
        self.more[start] += 1
        return place

    def unused(self) -> Positions:
        return np.sort(self.positions[~self.used])


class Sorter:
    """Sorts the rows of a file, batch after batch, the same way in a dry run and in the import."""

    def __init__(self, known: Known, mode: str, duplicates: str):
        self.known, self.mode, self.duplicates = known, mode, duplicates
        # A mirror removes what the file lacks, so its rows are duplicates of each other only.
        self.is_there = np.full(len(known.contents), mode != MIRROR)
        self.new_keys, self.new_contents = Seen(), Seen()

    def sort(self, names: Digests, own: Digests, has_key: Mask) -> Sorted:
        """Rows by their names, which are digests of their keys where they have one, and by their contents."""
        places, is_known = self.known.find(names)
        second_key = self._second_keys(names, has_key, places, is_known)
        moved = self._moved(own, places, has_key & ~second_key & ~is_known)
        content, is_stored = self.known.contents.place(own)
        is_same = (places >= 0) & ~moved & is_stored
        is_same[is_same] = self.known.content[places[is_same]] == content[is_same]
        twice = ~is_same & ~second_key & ~moved & self._twice(own, content, is_stored)
        rows = self._sorted(places, is_same, second_key, twice)
        stays = np.ones(len(own), np.bool_)
        stays[[*rows.refused, *(rows.duplicates if self.duplicates == Change.Duplicates.SKIP else ())]] = (
            False
        )
        self.is_there[content[stays & is_stored]] = True
        self.new_contents.add(own[stays & ~is_stored])
        return rows

    def _second_keys(self, names: Digests, has_key: Mask, places: Places, is_known: Mask) -> Mask:
        """The rows whose key an earlier row has."""
        second = names.repeated() | self.new_keys.has(names)
        second[is_known] = places[is_known] < 0
        self.new_keys.add(names[has_key & ~second & ~is_known])
        return has_key & second

    def _moved(self, own: Digests, places: Places, has_new_key: Mask) -> Mask:
        """Find the examples without a key to which rows with these contents give one."""
        rows = np.flatnonzero(has_new_key & (self.mode != APPEND))
        places[rows], _ = self.known.find(own[rows])
        moved = np.zeros(len(own), np.bool_)
        moved[rows] = places[rows] >= 0
        return moved

    def _twice(self, own: Digests, content: Places, is_stored: Mask) -> Mask:
        twice = own.repeated() | self.new_contents.has(own)
        twice[is_stored] |= self.is_there[content[is_stored]]
        return twice

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
