"""Writes a change of a dataset as its next version, which nobody sees before the last write.

Until then every step can be undone: new examples are after the last position, and retired ones refer to the next
version.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson
from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import bulk, leases, numerals
from evaluations.datasets import datasets
from evaluations.datasets.datasets import EXAMPLE_FIELDS
from evaluations.models import Dataset, DatasetImport, Example, Import, Upload
from evaluations.values import PARTS

from . import claims

SLICE = 5_000
SHOWN = 5  # examples of each kind of change
SHOWN_CHARACTERS = 20_000  # of an example; longer ones are only counted
INSERTED = (*EXAMPLE_FIELDS, "origin")
Columns = dict[str, list[str]]


class Staging:
    """`inserted` counts new rows, `counts` the changes by kind; `keeps_file` keeps the file for another import."""

    def __init__(self, job: Import, change: DatasetImport):
        self.job, self.change, self.dataset = job, change, change.dataset
        self.version = self.dataset.version + 1
        self.keeps_file = change.is_dry_run and bool(job.stored_as)
        self._begin()

    def _begin(self) -> None:
        self.inserted = self.rows = 0
        self.counts: Counter[str] = Counter()
        self.first: dict[str, list[dict[str, Any]]] = {}

    # ---- sample examples --------------------------------------------------------------------------------

    def _room(self, kind: str) -> int:
        return SHOWN - len(self.first.setdefault(kind, []))

    def _show(self, kind: str, examples: Sequence[dict[str, Any]]) -> None:
        short = [example for example in examples if len(orjson.dumps(example)) <= SHOWN_CHARACTERS]
        self.first.setdefault(kind, []).extend(short[: self._room(kind)])

    def _stored(self, positions: Sequence[int]) -> dict[int, dict[str, Any]]:
        """The parts of examples by position."""
        if not positions:
            return {}
        rows = Example.objects.filter(dataset=self.dataset, position__in=positions)
        stored = rows.order_by("position").values_list("position", "key", *PARTS)
        return {position: {"key": key, "before": parsed(texts)} for position, key, *texts in stored}

    # ---- examples ------------------------------------------------------------------------------------------

    @property
    def next_position(self) -> int:
        return self.dataset.last_position + self.inserted + 1

    def _origins(self, positions: Sequence[int]) -> dict[int, int]:
        """The first positions of examples edited before, by their position."""
        edited = Example.objects.filter(dataset=self.dataset, position__in=positions, origin__isnull=False)
        return dict[int, Any](edited.values_list("position", "origin"))

    def _retire(self, positions: Sequence[int]) -> None:
        retired = Example.objects.filter(dataset=self.dataset, position__in=positions)
        retired.update(removed_in=self.version)

    # ---- the end -------------------------------------------------------------------------------------------

    def _finish(self, columns: Columns, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Publish everything at once, as a new version if anything changed."""
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            if not self.change.is_dry_run and (self.inserted or self.counts["removed"]):
                dataset.last_position += self.inserted
                dataset.columns = columns
                more = self.counts["added"] - self.counts["removed"]
                datasets.next_version(dataset, self.change.created_by, more, self._note())
            self._close(DatasetImport.Status.READY, dataset.version, errors, counts)

    def _note(self) -> str:
        return f"{self._counted()}, from {self.change.filename}"[:200]

    def _counted(self) -> str:
        kinds = ("added", "changed", "removed")
        return ", ".join(
            f"{numerals.grouped(self.counts[kind])} {kind}" for kind in kinds if self.counts[kind]
        )

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Leave the dataset as it was, and keep the file for another try."""
        self._clear()
        if not self.change.is_dry_run:  # A change that failed has no result.
            self.counts, self.change.first = Counter(), {}
        self.keeps_file = bool(self.job.stored_as) and default_storage.exists(self.job.stored_as)
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
        """The file as an upload again, which is deleted after an hour."""
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
        """Undo the writes of an earlier attempt in slices: inserted rows first, because they may hold keys."""
        examples = Example.objects.filter(dataset=self.dataset)
        staged = examples.filter(position__gt=self.dataset.last_position)
        for last_kept in bulk.slices_from_the_end(staged, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                staged.filter(position__gt=last_kept).delete()
        retired = examples.filter(removed_in=self.version)
        for last_kept in bulk.slices_from_the_end(retired, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                retired.filter(position__gt=last_kept).update(removed_in=None)


def parsed(texts: Sequence[str]) -> dict[str, Any]:
    return {part: orjson.loads(text) for part, text in zip(PARTS, texts, strict=True)}
