"""Imports a file into a dataset that is there: append, merge or mirror.

Rows are sorted by what becomes of them (`sorting`). Batch by batch the examples that change are retired under the
coming version and their successors inserted under it, so that nobody sees them before the last write. A dry run does
the same without any write.
"""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any, BinaryIO

import orjson
from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import bulk, ingest, leases
from evaluations.datasets import datasets
from evaluations.datasets.datasets import EXAMPLE_FIELDS
from evaluations.engine import claims
from evaluations.models import Dataset, DatasetImport, Example, Import, RefusedRow, Upload
from evaluations.values import PARTS

from . import incoming
from .columnmap import ColumnMap
from .dataset_reading import NO_ROWS, SLICE, left_out, merged, some_of_each
from .incoming import Pending, Report
from .refusals import AT_MOST_REFUSED, Refusals
from .sorting import MIRROR, Known, Sorted, Sorter
from .uploads import LIMITS, require_space

SHOWN = 5  # of each kind of change
SHOWN_CHARACTERS = 20_000  # of an example; longer ones are counted only
EVERY = 5.0  # seconds between two extensions of the lease while the dataset is read
INSERTED = (*EXAMPLE_FIELDS, "origin")


class ChangeReading:
    """Reads one file; `keeps_file` says that it waits for another import afterwards."""

    def __init__(self, job: Import, change: DatasetImport):
        self.job, self.change, self.dataset = job, change, change.dataset
        self.columns = ColumnMap.from_dict(job.mapping)
        self.strict = job.on_error == "reject"
        self.version = self.dataset.version + 1
        self.keeps_file = change.is_dry_run
        self.counts: Counter[str] = Counter()

    def read(self, file: BinaryIO) -> None:
        self._clear()
        self.inserted = self.rows = 0
        self.first: dict[str, list[dict[str, Any]]] = {}
        self.counts.clear()
        self.refusals = Refusals(self.columns.key)
        self.sorter = Sorter(
            Known.read(self.dataset, self._stay_alive()), self.change.mode, self.change.duplicate_rows
        )
        fmt = ingest.Format.from_dict(self.job.format)
        keep_rows = self.change.is_dry_run or not self.strict
        items = incoming.read(file, self.job.size, fmt, LIMITS, self.columns, keep_rows, with_contents=True)
        with closing(items):
            for item in items:
                if isinstance(item, Report):
                    self._end(item)
                else:
                    self._take(item)

    def _stay_alive(self) -> Any:
        """Holds the lease while the dataset is read, which can take longer."""
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
        self.rows += len(pending)
        rows = self.sorter.sort(pending.keys, pending.contents)
        self._refuse(pending, rows)
        self._count(pending, rows)
        if self.change.is_dry_run:
            claims.keep(self.job, self.rows, pending.bytes_read)
        else:
            self._store(pending, rows)

    def _refuse(self, pending: Pending, rows: Sorted) -> None:
        cells = pending.rows if rows.refused else []
        for place, (code, reason) in sorted(rows.refused.items()):
            key = (pending.keys[place] or "")[:80]
            self.refusals.add(pending.lines[place], code, reason.format(key=key), cells[place : place + 1])

    def _count(self, pending: Pending, rows: Sorted) -> None:
        self.counts.update(
            added=len(rows.added),
            changed=len(rows.changed),
            same=rows.same,
            duplicates=len(rows.duplicates),
        )
        self._show("added", [_shown(pending, row) for row in rows.added[:SHOWN]])
        self._show("duplicates", [_shown(pending, row) for row in rows.duplicates[:SHOWN]])
        replaced = self._stored([position for _, position in rows.changed[: self._room("changed")]])
        changed = [(row, replaced[position]) for row, position in rows.changed if position in replaced]
        self._show("changed", [before | _shown(pending, row) for row, before in changed])

    def _room(self, kind: str) -> int:
        return SHOWN - len(self.first.setdefault(kind, []))

    def _show(self, kind: str, examples: Sequence[dict[str, Any]]) -> None:
        short = [each for each in examples if len(orjson.dumps(each)) <= SHOWN_CHARACTERS]
        self.first.setdefault(kind, []).extend(short[: self._room(kind)])

    def _stored(self, positions: Sequence[int]) -> dict[int, dict[str, Any]]:
        """The parts of examples by position."""
        if not positions:
            return {}
        rows = Example.objects.filter(dataset=self.dataset, position__in=positions)
        stored = rows.order_by("position").values_list("position", "key", *PARTS)
        return {position: {"key": key, "before": _parsed(texts)} for position, key, *texts in stored}

    def _store(self, pending: Pending, rows: Sorted) -> None:
        """Retire what changes, then insert what comes for it: a key belongs to one live example."""
        replaced = [position for _, position in rows.changed]
        with transaction.atomic():
            claims.keep(self.job, self.rows, pending.bytes_read)
            examples = self._inserted(pending, rows, self._origins(replaced))
            self._retire(replaced)
            bulk.insert(Example, INSERTED, examples)
        self.inserted += len(examples)

    def _origins(self, positions: Sequence[int]) -> dict[int, int]:
        """Where examples began that were edited before, by position."""
        edited = Example.objects.filter(dataset=self.dataset, position__in=positions, origin__isnull=False)
        return dict(edited.values_list("position", "origin"))

    def _inserted(
        self, pending: Pending, rows: Sorted, origins: dict[int, int]
    ) -> list[tuple[int | str | None, ...]]:
        """The new and the changed rows in the order of the file."""
        since = self.dataset.last_position + self.inserted + 1
        identities = {row: origins.get(position, position) for row, position in rows.changed}
        parts = list(pending.parts.values())
        return [
            (
                self.dataset.pk,
                position,
                pending.keys[row],
                *(texts[row] for texts in parts),
                self.version,
                identities.get(row),
            )
            for position, row in enumerate(sorted([*rows.added, *identities]), since)
        ]

    def _retire(self, positions: Sequence[int]) -> None:
        retired = Example.objects.filter(dataset=self.dataset, position__in=positions)
        retired.update(removed_in=self.version)

    # ---- the end -------------------------------------------------------------------------------------------

    def _end(self, report: Report) -> None:
        self.change.first = self.first
        counts = Counter(report.error_counts) + self.refusals.counts
        errors = some_of_each(report.errors, self.refusals.problems)
        self._keep_refused(report.refused)
        self.change.warnings = report.warnings + left_out(self.columns, report.columns)
        if self.strict and errors:
            raise claims.Rejected(errors, counts)
        if not self.rows:
            raise claims.Rejected(errors or [NO_ROWS], counts or Counter(no_rows=1))
        self._remove()
        self._finish(self.columns.with_rest(report.columns), errors, counts)

    def _keep_refused(self, by_reader: list[ingest.RefusedRow]) -> None:
        refused = sorted([*by_reader, *self.refusals.rows], key=lambda row: row.line)[:AT_MOST_REFUSED]
        with transaction.atomic():
            claims.keep(self.job, self.rows, self.job.size)
            RefusedRow.objects.filter(change=self.change).delete()
            RefusedRow.objects.bulk_create(
                RefusedRow(dataset=self.dataset, change=self.change, **asdict(row)) for row in refused
            )

    def _remove(self) -> None:
        """Retire the examples that a mirror's file does not have, slice by slice."""
        if self.change.mode != MIRROR:
            return
        removed = self.sorter.known.unused().tolist()
        self.counts["removed"] = len(removed)
        self._show("removed", list(self._stored(removed[:SHOWN]).values()))
        if self.change.is_dry_run:
            return
        for start in range(0, len(removed), SLICE):
            with transaction.atomic():
                claims.keep(self.job, self.rows, self.job.size)
                self._retire(removed[start : start + SLICE])

    def _finish(self, columns: ColumnMap, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Show everything at once, as a new version if anything changed."""
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            if not self.change.is_dry_run and (self.inserted or self.counts["removed"]):
                dataset.last_position += self.inserted
                dataset.columns = merged(dataset.columns, columns)
                more = self.counts["added"] - self.counts["removed"]
                datasets.next_version(dataset, self.change.created_by, more, self._note())
            self._close(DatasetImport.Status.READY, dataset.version, errors, counts)

    def _note(self) -> str:
        kinds = ("added", "changed", "removed")
        said = ", ".join(f"{self.counts[kind]:,} {kind}" for kind in kinds if self.counts[kind])
        return f"{said}, from {self.change.filename}"[:200]

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Leave the dataset as it was, and the file for another try."""
        self._clear()
        if not self.change.is_dry_run:  # Nothing came of it.
            self.counts, self.change.first = Counter(), {}
        self.keeps_file = default_storage.exists(self.job.stored_as)
        with transaction.atomic():
            claims.end(self.job)
            self._close(DatasetImport.Status.FAILED, self.dataset.version, errors, counts)

    def _close(self, status: str, version: int, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        change = self.change
        for kind, number in self.counts.items():
            setattr(change, kind, number)
        change.status, change.version, change.finished_at = status, version, leases.now()
        change.errors, change.error_counts, change.error_count = errors, dict(counts), counts.total()
        change.upload = self._parked() if self.keeps_file else None
        change.save()

    def _parked(self) -> Upload:
        """The file as an upload again, which is forgotten after an hour."""
        return Upload.objects.create(
            project=self.dataset.project,
            user=self.change.created_by,
            filename=self.job.filename,
            stored_as=self.job.stored_as,
            size=self.job.size,
            sha256=self.change.sha256,
            format=self.job.format,
            mapping={"dataset": self.dataset.pk, "mapped": self.job.mapping, "on_error": self.job.on_error},
            touched_at=leases.now(),
        )

    def _clear(self) -> None:
        """Undo what an earlier attempt wrote, a slice at a time: first what it inserted, as that may hold keys."""
        examples = Example.objects.filter(dataset=self.dataset)
        staged = examples.filter(position__gt=self.dataset.last_position)
        for behind in bulk.slices_from_the_end(staged, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                staged.filter(position__gt=behind).delete()
        retired = examples.filter(removed_in=self.version)
        for behind in bulk.slices_from_the_end(retired, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                retired.filter(position__gt=behind).update(removed_in=None)


def _shown(pending: Pending, row: int) -> dict[str, Any]:
    return {"key": pending.keys[row], "after": _parsed([texts[row] for texts in pending.parts.values()])}


def _parsed(texts: Sequence[str]) -> dict[str, Any]:
    return {part: orjson.loads(text) for part, text in zip(PARTS, texts, strict=True)}
