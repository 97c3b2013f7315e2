"""Sorts rows of a file by their effect on a dataset: unchanged, changed or new; nothing is stored.

Examples are found by key, else by contents; of several equal examples without a key, each is found once.
Later rows can decide about earlier ones, so in a merge or a mirror rows wait for the end of the file, except those
that equal an example of the dataset. The counts do not depend on the order of rows.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets import contents
from evaluations.datasets.digests import Digests, DigestSet, Indices, Mask
from evaluations.models import Dataset, DatasetVersion
from evaluations.models import DatasetImport as Change
from evaluations.scoring import stretches

Positions = NDArray[np.uint32]
APPEND, MIRROR = Change.Mode.APPEND, Change.Mode.MIRROR
KEEP, SKIP, FAIL = Change.Duplicates.KEEP, Change.Duplicates.SKIP, Change.Duplicates.FAIL
KNOWN_KEY = "duplicate_key", "an example with the key “{key}” exists, with other contents"
KNOWN_KEY_REMEDY = "Choose “New and changed examples” to change that one, or give the row a key of its own."
SECOND_KEY = "duplicate_key", "an earlier row of the file has the key “{key}”"
SECOND = "duplicate_example", "another example has the same contents"
Refused = dict[int, tuple[str, str]]


@dataclass
class FirstPass:
    """The result for a batch before later rows are read: `same` counts rows, the others are indices in the batch."""

    same: int
    refused: Refused
    waiting: list[int]


@dataclass
class SortedRows:
    """Indices of rows in their batch, by effect; for `changed` rows, also the positions that they replace."""

    added: list[int]
    changed: list[tuple[int, int]]
    duplicates: list[int]
    refused: Refused


class ExistingExamples:
    """The examples of a version. `names` are sorted digests of their keys, or of their contents without a key.

    `contents` are sorted separately, and `content` is each example's index among them. `used` marks examples that
    a row matched. For equal names, `first_used` marks whether the first is used, and `more` counts the others.
    """

    def __init__(self, names: Digests, texts: Digests, positions: Positions):
        self.contents = texts.sorted()
        content = long_arrays.zeros(len(texts), np.uint32)
        for part in long_arrays.parts(len(texts)):
            content[part] = self.contents.find(texts[part])[0]
        order = names.order()  # Equal names stay in the order of their positions.
        self.names = names.taken(order)
        self.positions, self.content = long_arrays.taken(positions, order), long_arrays.taken(content, order)
        self._begin()

    def _begin(self) -> None:
        self.used, self.first_used = (long_arrays.filled(len(self.names), False, np.bool_) for _ in range(2))
        self.more: Counter[int] = Counter()

    def again(self) -> "ExistingExamples":
        """The same examples, of which none is used."""
        same = copy(self)
        same._begin()
        return same

    @classmethod
    def read(
        cls,
        dataset: Dataset,
        alive: Callable[[], None] = lambda: None,
        version: DatasetVersion | None = None,
    ) -> "ExistingExamples":
        """Load the examples of a version, by default the newest; `alive` is called after every stretch."""
        count = version.example_count if version else dataset.example_count
        names, texts = Digests.empty(count), Digests.empty(count)
        positions, first = long_arrays.zeros(count, np.uint32), 0
        for stretch in stretches.of_dataset(dataset, version.number if version else dataset.version):
            digests = contents.digests(stretch.parts)
            names.put(first, Digests.from_bytes(contents.names(stretch.keys, digests)))
            texts.put(first, Digests.from_bytes(b"".join(digests)))
            positions[first : first + len(digests)] = stretch.positions
            first += len(digests)
            alive()
        return cls(names, texts, positions)

    def find(self, names: Digests) -> tuple[Indices, Mask]:
        """For each name, the index of an example without a row so far, or −1; and whether any example has the name."""
        starts, is_known = self.names.find(names)
        examples, rows = np.full(len(names), -1, np.intp), np.flatnonzero(is_known)
        is_first = ~self.first_used[starts[rows]] & ~names[rows].repeated()
        first, later = rows[is_first], rows[~is_first]
        examples[first] = starts[first]
        self.first_used[starts[first]] = True
        for row in later.tolist():
            examples[row] = self._next(int(starts[row]))
        self.used[examples[examples >= 0]] = True
        return examples, is_known

    def _next(self, start: int) -> int:
        """The index of another example with the same name as the one at `start`, or −1."""
        index = start + self.more[start] + 1
        both = self.names[[start, min(index, len(self.names) - 1)]]
        if index == len(self.names) or not both.repeated()[1]:
            return -1
        self.more[start] += 1
        return index

    def has_no_key(self) -> Mask:
        return self.names.equals(self.contents[self.content])

    def unused(self) -> Positions:
        return np.sort(self.positions[~self.used])


class Sorter:
    """Sorts the rows of a file, batch after batch, identically in a dry run and in the import."""

    def __init__(self, existing: ExistingExamples, mode: str, duplicates: str):
        self.existing, self.mode, self.duplicates = existing, mode, duplicates
        # A mirror removes whatever the file lacks, so its rows can only duplicate each other.
        self.is_there = np.full(len(existing.contents), mode != MIRROR)
        self.new_keys, self.new_contents = DigestSet(), DigestSet()
        self.waiting: list[tuple[Indices, Digests]] = []

    def first_pass(self, names: Digests, digests: Digests, has_key: Mask) -> FirstPass:
        """Sort a batch as far as possible by names (digests of keys, or of contents without a key) and contents."""
        examples, is_known = self.existing.find(names)
        second_key = self._second_keys(names, has_key, examples, is_known)
        content, is_stored = self.existing.contents.find(digests)
        is_same = (examples >= 0) & is_stored
        is_same[is_same] = self.existing.content[examples[is_same]] == content[is_same]
        self.is_there[content[is_same]] = True
        known_key = (examples >= 0) & ~is_same & (self.mode == APPEND)
        rows = np.flatnonzero(~(is_same | second_key | known_key))
        self.waiting.append((examples[rows], digests[rows]))
        refused = dict.fromkeys(np.flatnonzero(second_key).tolist(), SECOND_KEY)
        refused |= dict.fromkeys(np.flatnonzero(known_key).tolist(), KNOWN_KEY)
        return FirstPass(int(np.count_nonzero(is_same)), refused, rows.tolist())

    def settle(self) -> Iterator[SortedRows]:
        """Sort the waiting rows at the end of the file, batch by batch."""
        waiting, self.waiting = self.waiting, []
        examples = np.concatenate([batch_examples for batch_examples, _ in waiting])
        digests = Digests.joined([batch_digests for _, batch_digests in waiting])
        is_duplicate = self._settled(examples, digests)
        ends = np.cumsum([len(batch_examples) for batch_examples, _ in waiting])[:-1]
        for batch_examples, is_duplicate_in_batch in zip(
            np.split(examples, ends), np.split(is_duplicate, ends), strict=True
        ):
            yield self._sorted(batch_examples, is_duplicate_in_batch)

    def _second_keys(self, names: Digests, has_key: Mask, examples: Indices, is_known: Mask) -> Mask:
        """The rows whose key an earlier row has."""
        second = names.repeated() | self.new_keys.has(names)
        second[is_known] = examples[is_known] < 0
        self.new_keys.add(names[has_key & ~second & ~is_known])
        return has_key & second

    def _settled(self, examples: Indices, digests: Digests) -> Mask:
        """The mask of duplicates. Rows that equal examples with another key get the indices of these in `examples`."""
        content, is_stored = self.existing.contents.find(digests)
        is_new = (examples < 0) & is_stored
        renamed = self._rename(examples, content, is_new, self._free())
        is_duplicate = ~renamed & self._duplicates(examples, digests, content, is_stored, ~renamed)
        if self.mode == MIRROR and self.duplicates == SKIP:
            skipped = np.zeros(len(self.existing.used), np.bool_)
            skipped[examples[is_duplicate & (examples >= 0)]] = True
            # A mirror removes the example of a skipped row, unless another row matches it.
            self.existing.used &= ~skipped
            self._rename(examples, content, is_new & ~renamed & ~is_duplicate, skipped)
        stays = ~is_duplicate | (self.duplicates == KEEP)
        self.is_there[content[stays & is_stored]] = True
        self.new_contents.add(digests[stays & ~is_stored])
        return is_duplicate

    def _free(self) -> Mask:
        """The examples that may get another key: in a mirror those it would remove, in a merge those without a key."""
        if self.mode == APPEND:
            return np.zeros(len(self.existing.used), np.bool_)
        return ~self.existing.used & (self.existing.has_no_key() | (self.mode == MIRROR))

    def _rename(self, examples: Indices, content: Indices, is_row: Mask, is_free: Mask) -> Mask:
        """Assign the free examples to rows with the same contents, one each."""
        rows, free = np.flatnonzero(is_row), np.flatnonzero(is_free)
        free = free[np.argsort(self.existing.positions[free])]
        chosen, matching = _pairs(content[rows], self.existing.content[free])
        examples[rows[chosen]] = free[matching]
        self.existing.used[free[matching]] = True
        self.is_there[content[rows[chosen]]] = True
        renamed = np.zeros(len(examples), np.bool_)
        renamed[rows[chosen]] = True
        return renamed

    def _duplicates(
        self, examples: Indices, digests: Digests, content: Indices, is_stored: Mask, is_candidate: Mask
    ) -> Mask:
        """The rows whose contents the dataset or an earlier row has. Changed examples take precedence over new ones."""
        is_duplicate, rows = self.new_contents.has(digests), np.flatnonzero(is_candidate)
        is_duplicate[is_stored] |= self.is_there[content[is_stored]]
        replaced = examples[rows]
        rank = np.full(len(rows), np.iinfo(np.int64).max)
        rank[replaced >= 0] = self.existing.positions[replaced[replaced >= 0]]
        ordered = rows[np.argsort(rank, kind="stable")]
        is_duplicate[ordered] |= digests[ordered].repeated()
        return is_duplicate

    def _sorted(self, examples: Indices, is_duplicate: Mask) -> SortedRows:
        duplicate_rows = np.flatnonzero(is_duplicate).tolist()
        stays = ~is_duplicate | (self.duplicates == KEEP)
        changed = np.flatnonzero(stays & (examples >= 0))
        return SortedRows(
            added=np.flatnonzero(stays & (examples < 0)).tolist(),
            changed=list(
                zip(changed.tolist(), self.existing.positions[examples[changed]].tolist(), strict=True)
            ),
            duplicates=[] if self.duplicates == FAIL else duplicate_rows,
            refused=dict.fromkeys(duplicate_rows, SECOND) if self.duplicates == FAIL else {},
        )


def _pairs(first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> tuple[Indices, Indices]:
    """The indices of equal numbers in both arrays, paired in order: the first with the first, and so on."""
    _, first_indices, second_indices = np.intersect1d(
        _numbered(first), _numbered(second), assume_unique=True, return_indices=True
    )
    return first_indices, second_indices


def _numbered(numbers: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Each number together with how many equal ones precede it, as one number."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    before = np.empty(len(numbers), np.int64)
    before[order] = np.arange(len(numbers)) - np.searchsorted(ordered, ordered)
    result: NDArray[np.int64] = numbers.astype(np.int64) << 32 | before
    return result
