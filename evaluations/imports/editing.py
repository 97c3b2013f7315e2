"""Edits many examples: batch by batch it retires them and inserts the edited ones after all others."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add, itemgetter
from typing import Any, BinaryIO, NamedTuple, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Length

from evaluations import bulk
from evaluations.datasets import bitmaps
from evaluations.datasets.edits import Edit
from evaluations.datasets.schemas import Checker
from evaluations.errors import TooLarge
from evaluations.models import DatasetImport, Example, Import
from evaluations.values import PARTS

from . import claims
from .staging import INSERTED, Staging, parsed
from .uploads.uploads import LIMITS, require_space

BATCH, CHARACTERS = 1_000, 16_000_000  # limits on the examples in memory
T = TypeVar("T")


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
        return parsed((self.inputs, self.reference, self.metadata))

    @property
    def size(self) -> int:
        return len(self.inputs) + len(self.reference) + len(self.metadata)


def portions(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Lists of items with at most `CHARACTERS` characters together; a larger item is a list of its own.

    >>> list(portions([9_000_000, 9_000_000, 1, 20_000_000], size=int))
    [[9000000], [9000000, 1], [20000000]]
    """
    portion: list[T] = []
    characters = 0
    for item in items:
        if portion and characters + size(item) > CHARACTERS:
            yield portion
            portion, characters = [], 0
        portion.append(item)
        characters += size(item)
    if portion:
        yield portion


class Editing(Staging):
    """Applies an edit to the selected examples. If one of them cannot be edited, none is."""

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
            claims.keep(self.job, self.rows, self.rows)
            self._take(positions)
        self.change.first = self.first
        if self.problems:
            raise claims.Rejected(self.problems, self.problem_counts)
        self._finish(self.edit.columns(self.dataset.columns), [], Counter())

    def _take(self, positions: Sequence[int]) -> None:
        if self.edit.deletes:
            self._remove(positions)
            return
        for sizes in portions(self._sizes(positions), itemgetter(1)):
            pairs = self._pairs([position for position, _ in sizes])
            for changed in portions(pairs, lambda pair: pair[1].size):
                self._replace(changed)

    def _sizes(self, positions: Sequence[int]) -> list[tuple[Any, ...]]:
        """Position and number of characters of each example."""
        characters = reduce(add, map(Length, PARTS))
        return bulk.select(self._examples(positions).values_list("position", characters))

    def _examples(self, positions: Sequence[int]) -> QuerySet[Example]:
        return Example.objects.filter(dataset=self.dataset, position__in=positions).order_by("position")

    def _remove(self, positions: Sequence[int]) -> None:
        self.counts["removed"] += len(positions)
        self._show("removed", list(self._stored(positions[: self._room("removed")]).values()))
        self._write(positions, [])

    def _pairs(self, positions: Sequence[int]) -> Iterator[tuple[Row, Row]]:
        """The examples that change, before and after."""
        columns = self._examples(positions).values_list("position", "origin", "key", *PARTS)
        for row in map(Row._make, bulk.select(columns)):
            edited = self._edited(row)
            if edited is row:
                self.counts["same"] += 1
            elif edited is not None:
                yield row, edited

    def _replace(self, pairs: Sequence[tuple[Row, Row]]) -> None:
        self.counts["changed"] += len(pairs)
        self._show("changed", [_shown(row, edited) for row, edited in pairs[: self._room("changed")]])
        self._write([row.position for row, _ in pairs], [edited for _, edited in pairs])

    def _edited(self, row: Row) -> Row | None:
        """The example after the edit: the same object if nothing changes, None if the edit fails."""
        try:
            text = self.edit.edited(getattr(row, self.edit.part))
        except TooLarge as refusal:
            self._refuse(row, refusal.code, refusal.message, refusal.where, refusal.hint)
            return None
        if text is None:
            return row
        changes: dict[str, Any] = {self.edit.part: text}
        edited = row._replace(**changes)
        if self.checker.schemas and (mismatch := self.checker.mismatch(edited.parts)):
            self._refuse(row, "schema_mismatch", f"{mismatch.reason}.", mismatch.where, mismatch.hint)
            return None
        return edited

    def _refuse(self, row: Row, code: str, message: str, where: Mapping[str, Any], hint: str) -> None:
        self.problem_counts[code] += 1
        if len(self.problems) < LIMITS.errors_kept:
            location = {"example": row.position, **where}
            sentence = f"Example {row.position}: {message}"
            self.problems.append({"code": code, "message": sentence, "hint": hint, "where": location})

    def _write(self, retired: Sequence[int], rows: Sequence[Row]) -> None:
        """Retire examples and insert their successors, with the same keys and identities."""
        if self.change.is_dry_run or self.problems:
            return
        with transaction.atomic():
            claims.keep(self.job, self.rows, self.rows)
            self._retire(retired)
            bulk.insert(
                Example, INSERTED, [self._successor(*row) for row in enumerate(rows, self.next_position)]
            )
        self.inserted += len(rows)

    def _successor(self, position: int, row: Row) -> tuple[int | str | None, ...]:
        parts = (row.inputs, row.reference, row.metadata)
        return (self.dataset.pk, position, row.key, *parts, self.version, row.origin or row.position)

    def _note(self) -> str:
        return f"{self._counted()}: {self.edit.words}"[:200]


def _shown(before: Row, after: Row) -> dict[str, Any]:
    return {"key": before.key, "before": before.parts, "after": after.parts}
