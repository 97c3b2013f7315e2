"""Does one edit to many examples: batch by batch they are retired, and what they become goes in behind the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from django.db import transaction

from evaluations import bulk
from evaluations.datasets import bitmaps
from evaluations.datasets.edits import Edit
from evaluations.datasets.schemas import Checker
from evaluations.engine import claims
from evaluations.errors import TooLarge
from evaluations.models import DatasetImport, Example, Import
from evaluations.values import PARTS

from .staging import INSERTED, Staging, parsed
from .uploads import LIMITS, require_space

BATCH = 1_000  # examples


class Row(NamedTuple):
    """An example as it is stored."""

    position: int
    origin: int | None
    key: str | None
    inputs: str
    reference: str
    metadata: str

    @property
    def parts(self) -> dict[str, Any]:
        return parsed(self[-len(PARTS) :])


class Editing(Staging):
    """Needs no file; the change has the edit and the positions. One example that cannot take it refuses it for all."""

    def __init__(self, job: Import, change: DatasetImport):
        super().__init__(job, change)
        self.edit = Edit(**change.edit)
        schema = self.dataset.schema.get(self.edit.part, {}).get(self.edit.column)
        self.checker = Checker({self.edit.part: {self.edit.column: schema}} if schema else {})
        self.problems: list[dict[str, Any]] = []
        self.problem_counts: Counter[str] = Counter()

    def read(self, file: BinaryIO) -> None:
        self._clear()
        self._begin()
        selected = bitmaps.positions(self.change.selected or b"")
        for start in range(0, len(selected), BATCH):
            require_space()
            positions = selected[start : start + BATCH].tolist()
            self.rows += len(positions)
            if self.edit.deletes:
                self._remove(positions)
            else:
                self._change(positions)
        self.change.first = self.first
        if self.problems:
            raise claims.Rejected(self.problems, self.problem_counts)
        self._finish(self.edit.columns(self.dataset.columns), [], Counter())

    def _remove(self, positions: Sequence[int]) -> None:
        self.counts["removed"] += len(positions)
        self._show("removed", list(self._stored(positions[: self._room("removed")]).values()))
        self._write(positions, [])

    def _change(self, positions: Sequence[int]) -> None:
        stored = Example.objects.filter(dataset=self.dataset, position__in=positions).order_by("position")
        rows = [Row(*each) for each in bulk.select(stored.values_list("position", "origin", "key", *PARTS))]
        refused_before = self.problem_counts.total()
        pairs = [(row, new) for row in rows if (new := self._edited(row))]
        refused = self.problem_counts.total() - refused_before
        self.counts.update(changed=len(pairs), same=len(rows) - len(pairs) - refused)
        self._show("changed", [_shown(row, new) for row, new in pairs[: self._room("changed")]])
        self._write([row.position for row, _ in pairs], [new for _, new in pairs])

    def _edited(self, row: Row) -> Row | None:
        """What becomes of an example; None where it stays as it is, or cannot take the edit."""
        try:
            text = self.edit.edited(getattr(row, self.edit.part))
        except TooLarge as refusal:
            self._refuse(row, refusal.code, refusal.message, refusal.where, refusal.hint)
            return None
        if text is None:
            return None
        edited = row._replace(**{self.edit.part: text})
        if self.checker.schemas and (mismatch := self.checker.mismatch(edited.parts)):
            self._refuse(row, "schema_mismatch", f"{mismatch.reason}.", mismatch.where, mismatch.hint)
            return None
        return edited

    def _refuse(self, row: Row, code: str, message: str, where: Mapping[str, Any], hint: str) -> None:
        self.problem_counts[code] += 1
        if len(self.problems) < LIMITS.errors_kept:
            place = {"example": row.position, **where}
            sentence = f"Example {row.position}: {message}"
            self.problems.append({"code": code, "message": sentence, "hint": hint, "where": place})

    def _write(self, retired: Sequence[int], rows: Sequence[Row]) -> None:
        """Retire examples and insert what comes for them, each with its key and its identity."""
        with transaction.atomic():
            claims.keep(self.job, self.rows, self.rows)
            if self.change.is_dry_run or self.problems:
                return
            self._retire(retired)
            bulk.insert(
                Example, INSERTED, [self._successor(*each) for each in enumerate(rows, self.next_position)]
            )
        self.inserted += len(rows)

    def _successor(self, position: int, row: Row) -> tuple[int | str | None, ...]:
        parts = (row.inputs, row.reference, row.metadata)
        return (self.dataset.pk, position, row.key, *parts, self.version, row.origin or row.position)

    def _note(self) -> str:
        return f"{self._counted()}: {self.edit.words}"[:200]


def _shown(before: Row, after: Row) -> dict[str, Any]:
    return {"key": before.key, "before": before.parts, "after": after.parts}
