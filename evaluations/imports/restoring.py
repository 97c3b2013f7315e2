"""Restores an older version as a new one: retires examples that differ, and inserts copies of the older ones."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO

from django.db import transaction

from evaluations import bulk
from evaluations.datasets import differences
from evaluations.datasets.differences import Difference
from evaluations.models import DatasetImport, Example, Import
from evaluations.values import PARTS

from . import claims
from .staging import INSERTED, SHOWN, SLICE, Staging


class Restoring(Staging):
    """Restores a version, whose number is in the mapping; reads no file."""

    def __init__(self, job: Import, change: DatasetImport):
        super().__init__(job, change)
        self.restored = int(job.mapping["version"])

    def read(self, file: BinaryIO) -> None:
        self._clear()
        self._begin()
        changes = differences.between(self.dataset, self.dataset.version, self.restored)
        self.counts.update(change.kind for change in changes)
        retired = self.counts["changed"] + self.counts["removed"]
        self.counts["same"] = self.dataset.example_count - retired
        self._note_first(changes)
        self._retire_all([change.before for change in changes if change.before is not None])
        self._copy_all([change.after for change in changes if change.after is not None])
        self._finish(self.dataset.columns, [], Counter())

    def _note_first(self, changes: Sequence[Difference]) -> None:
        for kind in ("added", "changed", "removed"):
            few = [change for change in changes if change.kind == kind][:SHOWN]
            self._show(kind, [_shown(row) for row in differences.described(self.dataset, few)])
        self.change.first = self.first

    def _retire_all(self, positions: Sequence[int]) -> None:
        """Retire all examples before the first copy is inserted, because the copy may have the key of any of them."""
        for start in range(0, len(positions), SLICE):
            with transaction.atomic():
                claims.keep(self.job, start, 0)
                self._retire(positions[start : start + SLICE])

    def _copy_all(self, positions: Sequence[int]) -> None:
        ordered = sorted(positions)
        for start in range(0, len(ordered), SLICE):
            with transaction.atomic():
                claims.keep(self.job, start, 0)
                copies = self._copies(ordered[start : start + SLICE])
                bulk.insert(Example, INSERTED, copies)
            self.inserted += len(copies)

    def _copies(self, positions: Sequence[int]) -> list[tuple[Any, ...]]:
        """The examples at these positions as new rows, with their identities."""
        rows = Example.objects.filter(dataset=self.dataset, position__in=positions).order_by("position")
        stored = bulk.select(rows.values_list("position", "origin", "key", *PARTS))
        return [
            (self.dataset.pk, new_position, key, *texts, self.version, origin or position)
            for new_position, (position, origin, key, *texts) in enumerate(stored, self.next_position)
        ]

    def _note(self) -> str:
        return f"version {self.restored} restored"


def _shown(described: dict[str, Any]) -> dict[str, Any]:
    """A change without absent parts, and without an equal earlier key."""
    parts = {name: value for name, value in described.items() if value and name != "change"}
    if described["key_before"] == described["key"]:
        parts.pop("key_before", None)
    return {"key": described["key"], **parts}
