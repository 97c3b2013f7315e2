"""Imports a file into an existing dataset: append, merge or mirror.

`sorting` decides what each row does; in a merge or a mirror only after the whole file was read. Batch
by batch the examples that change are retired under the coming version and their successors inserted under it, so that
nobody sees them before the last write. A dry run does the same without any write.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
from django.db import transaction

from evaluations import bulk, ingest
from evaluations.datasets.contents import SIZE
from evaluations.datasets.digests import Digests
from evaluations.datasets.schemas import Checker
from evaluations.evaluators import whole_references
from evaluations.models import DatasetImport, Example, Import

from .. import claims, refused_rows
from ..columns import guessed_roles
from ..columns.columnmap import EQUAL_ROWS, ColumnMap
from ..rows import incoming, large_changes
from ..rows.incoming import Pending, Report
from ..rows.refusals import AT_MOST_REFUSED, Refusals
from ..rows.returned_examples import Removed
from ..rows.schema_checks import drop_mismatches
from ..rows.sorting import (
    APPEND,
    FAIL,
    KNOWN_KEY,
    KNOWN_KEY_REMEDY,
    MIRROR,
    ExistingExamples,
    Refused,
    SortedRows,
    Sorter,
)
from ..rows.waiting_rows import WaitingRows
from ..staging import INSERTED, SHOWN, SLICE, Staging, parsed
from ..uploads.uploads import LIMITS, require_space
from .dataset_reading import NO_ROWS, merged, some_of_each

EVERY = 5.0  # seconds between two extensions of the lease while the dataset is read


class ChangeReading(Staging):
    """Reads one file into a dataset, or counts its changes in a dry run."""

    def __init__(self, job: Import, change: DatasetImport):
        super().__init__(job, change)
        self.columns = ColumnMap.from_dict(job.mapping)
        self.strict = job.on_error == "reject"
        self.checker = Checker(self.dataset.schema)
        self.seen = set[bytes]()  # digests of rows, if rows repeat examples

    def read(self, file: BinaryIO) -> None:
        self._clear()
        self._begin()
        self.refusals = Refusals(self.columns.key)
        fmt = ingest.Format.from_dict(self.job.format)
        items = incoming.read(
            file, self.job.size, fmt, LIMITS, self.columns, keep_rows=True, with_digests=True
        )
        with closing(items), WaitingRows() as self.waiting:
            # Starts the reading process now, because it copies this one, which is still small.
            first = next(items)
            self._learn()
            for item in chain([first], items):
                if isinstance(item, Report):
                    self._settle(self.waiting.batches())
                    self._end(item)
                else:
                    self._take(item)

    def _learn(self) -> None:
        """Load the examples that the dataset has and had."""
        existing = ExistingExamples.read(self.dataset, self._lease_extender())
        self.sorter = Sorter(existing, self.change.mode, self.change.duplicate_rows)
        self.removed = Removed.read(self.dataset)

    def _lease_extender(self) -> Callable[[], None]:
        """A function that extends the lease while the dataset is read, which may take longer than one."""
        last = time.monotonic()

        def extend() -> None:
            nonlocal last
            if time.monotonic() - last > EVERY:
                last = time.monotonic()
                claims.keep(self.job, 0, 0)

        return extend

    # ---- rows ----------------------------------------------------------------------------------------------

    def _take(self, pending: Pending) -> None:
        require_space()
        drop_mismatches(self.checker, pending, self.refusals)
        self._drop_repeated(pending)
        self.rows += len(pending)
        has_key = np.array([key is not None for key in pending.keys], np.bool_)
        first_pass = self.sorter.first_pass(
            Digests.from_bytes(pending.names), Digests.from_bytes(pending.contents), has_key
        )
        self._refuse(pending, first_pass.refused)
        self.counts["same"] += first_pass.same
        self._shorten(pending, first_pass.waiting)
        if self.change.mode == APPEND:
            self._settle([pending])
        else:
            claims.keep(self.job, self.rows, pending.bytes_read)
            self.waiting.add(pending)

    def _drop_repeated(self, pending: Pending) -> None:
        """Of rows that equal an earlier one, its key included, keep the first, if the file repeats examples."""
        if self.columns.repeats != EQUAL_ROWS:
            return
        rows = []
        for index in range(len(pending)):
            part = slice(SIZE * index, SIZE * (index + 1))
            digest = bytes(pending.names[part] + pending.contents[part])
            if digest not in self.seen:
                rows.append(index)
            self.seen.add(digest)
        pending.keep(rows)

    def _shorten(self, pending: Pending, rows: list[int]) -> None:
        """Drop the cells that waiting rows no longer need."""
        pending.names, pending.contents = bytearray(), bytearray()
        if self.change.duplicate_rows != FAIL:  # Waiting rows cannot be refused any more.
            pending.batches = []
        pending.keep(rows)

    def _settle(self, batches: Iterable[Pending]) -> None:
        if not self.sorter.waiting:
            return
        for pending, rows in zip(batches, self.sorter.settle(), strict=True):
            self._refuse(pending, rows.refused)
            self._count(pending, rows)
            if self.change.is_dry_run:
                claims.keep(self.job, self.rows, pending.bytes_read)
            else:
                self._store(pending, rows)

    def _refuse(self, pending: Pending, refused: Refused) -> None:
        cells = pending.rows if refused else []
        for index, (code, reason) in sorted(refused.items()):
            key = (pending.keys[index] or "")[:80]
            hint = KNOWN_KEY_REMEDY if (code, reason) == KNOWN_KEY else ""
            at, row = pending.lines[index], cells[index : index + 1]
            self.refusals.add(at, code, reason.format(key=key), row, hint=hint)

    def _count(self, pending: Pending, rows: SortedRows) -> None:
        self.counts.update(
            added=len(rows.added),
            changed=len(rows.changed),
            duplicates=len(rows.duplicates),
        )
        self._show("added", [_shown(pending, row) for row in rows.added[:SHOWN]])
        self._show("duplicates", [_shown(pending, row) for row in rows.duplicates[:SHOWN]])
        replaced = self._stored([position for _, position in rows.changed[: self._room("changed")]])
        changed = [(row, replaced[position]) for row, position in rows.changed if position in replaced]
        self._show("changed", [_replaced(before, _shown(pending, row)) for row, before in changed])

    def _store(self, pending: Pending, rows: SortedRows) -> None:
        """Retire changed examples, then insert their successors: only one live example may have a key."""
        replaced = [position for _, position in rows.changed]
        with transaction.atomic():
            claims.keep(self.job, self.rows, pending.bytes_read)
            examples = self._rows_to_insert(pending, rows, self._origins(replaced))
            self._retire(replaced)
            bulk.insert(Example, INSERTED, examples)
        self.inserted += len(examples)

    def _rows_to_insert(
        self, pending: Pending, rows: SortedRows, origins: dict[int, int]
    ) -> list[tuple[int | str | None, ...]]:
        """The new and the changed rows in file order."""
        identities: dict[int, int | None] = dict.fromkeys(rows.added)
        identities |= {row: origins.get(position, position) for row, position in rows.changed}
        keys = {key: row for row in rows.added if (key := pending.keys[row]) is not None}
        back = self.removed.identities_of(list(keys))
        identities |= {keys[key]: identity for key, identity in back.items()}
        parts = list(pending.parts.values())
        return [
            (
                self.dataset.pk,
                position,
                pending.keys[row],
                *(texts[row] for texts in parts),
                self.version,
                identities[row],
            )
            for position, row in enumerate(sorted(identities), self.next_position)
        ]

    # ---- the end -------------------------------------------------------------------------------------------

    def _end(self, report: Report) -> None:
        self.change.first = self.first
        counts = Counter(report.error_counts) + self.refusals.counts
        errors = some_of_each(report.errors, self.refusals.problems)
        self._keep_refused(report)
        columns = merged(self.dataset.columns, self.columns.with_remaining(report.columns))
        self.change.warnings = report.warnings + guessed_roles.left_out(
            [*self.columns.left_out(report.columns), *self.columns.unread]
        )
        if len(self.dataset.columns.get("reference", ())) < 2:  # otherwise the first import warned already
            self.change.warnings += whole_references.about_columns(columns["reference"])
        if self.strict and errors:
            raise claims.Rejected(errors, counts)
        if not self.rows:
            raise claims.Rejected(errors or [NO_ROWS], counts or Counter(no_rows=1))
        self._remove()
        self.change.warnings = (
            large_changes.warnings(self.counts, self.dataset.example_count) + self.change.warnings
        )
        self._finish(columns, errors, counts)

    def _keep_refused(self, report: Report) -> None:
        refused = sorted([*report.refused, *self.refusals.rows], key=lambda row: row.line)[:AT_MOST_REFUSED]
        with transaction.atomic():
            claims.keep(self.job, self.rows, self.job.size)
            refused_rows.keep(self.dataset, refused, report.columns, self.change)

    def _remove(self) -> None:
        """Retire the examples that the file of a mirror lacks, slice by slice."""
        if self.change.mode != MIRROR:
            return
        removed = self.sorter.existing.unused().tolist()
        self.counts["removed"] = len(removed)
        self._show("removed", list(self._stored(removed[:SHOWN]).values()))
        if self.change.is_dry_run:
            return
        for start in range(0, len(removed), SLICE):
            with transaction.atomic():
                claims.keep(self.job, self.rows, self.job.size)
                self._retire(removed[start : start + SLICE])


def _shown(pending: Pending, row: int) -> dict[str, Any]:
    return {"key": pending.keys[row], "after": parsed([texts[row] for texts in pending.parts.values()])}


def _replaced(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """An example before and after, with its earlier key if the key changed."""
    old = {"key_before": before["key"]} if before["key"] not in (None, after["key"]) else {}
    return before | old | after
