"""Rows of a new dataset that repeat the contents of an earlier row: counted, skipped or refused."""

from array import array
from typing import Any

import numpy as np

from evaluations import long_arrays
from evaluations.datasets import repeated
from evaluations.datasets.digests import Digests
from evaluations.statistics import numbering

from .incoming import Pending
from .refusals import Refusals
from .sorting import APPEND, KEEP, ExistingExamples, Refused, Sorter


class Repeats:
    """For imports that keep repeated rows: counts them at the end, using 12 bytes per row of a file."""

    def __init__(self) -> None:
        self._hashes, self._lines = long_arrays.Growing(np.int64), long_arrays.Growing(np.uint32)

    def drop(self, pending: Pending, refusals: Refusals) -> None:
        """Drop the repeated rows of `pending`: none here."""

    def stored(self, pending: Pending) -> None:
        """Note the hashes of stored rows."""
        self._hashes.extend(np.asarray(pending.hashes, np.int64))
        self._lines.extend(np.asarray(pending.lines, np.uint32))

    def warnings(self) -> list[dict[str, Any]]:
        firsts = numbering.first_slots(self._hashes.values)
        count, lines = 0, list[int]()
        for part in long_arrays.parts(len(firsts)):
            again = np.flatnonzero(firsts[part] != np.arange(part.start, part.start + len(firsts[part])))
            count += len(again)
            lines += self._lines.values[part][again[: repeated.FIRST - len(lines)]].tolist()
        return repeated.warnings(count, False, lines)


class Dropped(Repeats):
    """For imports that skip or refuse repeated rows. Rows with a repeated key are refused before."""

    def __init__(self, duplicates: str):
        self._count, self._first_lines = 0, array("I")
        nothing = ExistingExamples(Digests.empty(0), Digests.empty(0), np.empty(0, np.uint32))
        self._sorter = Sorter(nothing, APPEND, duplicates)

    def drop(self, pending: Pending, refusals: Refusals) -> None:
        if not pending:
            return
        has_key = np.array([key is not None for key in pending.keys], np.bool_)
        names, content_digests = Digests.from_bytes(pending.names), Digests.from_bytes(pending.contents)
        pending.names, pending.contents = bytearray(), bytearray()  # not needed any more
        first = self._sorter.first_pass(names, content_digests, has_key)
        [rows] = self._sorter.settle()
        skipped = [first.waiting[index] for index in rows.duplicates]
        self._count += len(skipped)
        self._first_lines.extend(
            pending.lines[index] for index in skipped[: repeated.FIRST - len(self._first_lines)]
        )
        refused = first.refused | {first.waiting[index]: why for index, why in rows.refused.items()}
        _refuse(pending, refused, refusals)
        dropped = {*refused, *skipped}
        if dropped:
            pending.keep([index for index in range(len(pending)) if index not in dropped])

    def stored(self, pending: Pending) -> None:
        """Nothing to do: the sorter remembers the rows."""

    def warnings(self) -> list[dict[str, Any]]:
        return repeated.warnings(self._count, True, self._first_lines)


def _refuse(pending: Pending, refused: Refused, refusals: Refusals) -> None:
    cells = pending.rows if refused else []
    for index, (code, reason) in sorted(refused.items()):
        key = (pending.keys[index] or "")[:80]
        refusals.add(pending.lines[index], code, reason.format(key=key), cells[index : index + 1])


def for_duplicates(duplicates: str) -> Repeats:
    return Repeats() if duplicates == KEEP else Dropped(duplicates)
