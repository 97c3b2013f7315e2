"""A file into examples, and the outputs of variants that lie beside them in its rows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, repeat
from typing import Any, BinaryIO

from django.db import transaction

from . import bulk, claims, datasets, experiments, ingest, jobs
from .columnmap import OUTPUT_FIELDS, ColumnMap, OutputReader, output_text, part_texts
from .datasets import EXAMPLE_FIELDS, PARTS
from .models import Dataset, Example, Import, Output, RefusedRow, Run
from .uploads import LIMITS
from .values import JSON, canonical_json

AT_ONCE = 5_000
AT_MOST_REFUSED = 1_000
SLICE = 5_000
Readers = list[tuple[int, OutputReader]]


class Pending:
    """Rows on their way in, as columns: their lines, keys and the texts of their parts, and outputs by run."""

    def __init__(self) -> None:
        self.batches: list[ingest.Batch] = []
        self.lines: list[int] = []
        self.keys: list[str | None] = []
        self.parts: dict[str, list[str]] = {part: [] for part in PARTS}
        self.outputs: dict[int, list[tuple[str | None, bool]]] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, batch: ingest.Batch, columns: ColumnMap, readers: Readers) -> None:
        self.batches.append(batch)
        self.lines += batch.lines
        keys = batch.column(columns.key) if columns.key else repeat(None, len(batch.lines))
        self.keys += map(datasets.key_text, keys)
        for part in PARTS:
            self.parts[part] += part_texts(batch, getattr(columns, part))
        for run, of_batch in readers:
            self.outputs.setdefault(run, []).extend(map(output_text, of_batch(batch)))

    @property
    def rows(self) -> list[ingest.Row]:
        """As they were in the file."""
        return [row for batch in self.batches for row in batch.rows]

    def examples(self, dataset: int, first: int, version: int) -> Iterator[tuple]:
        """Rows for the table of examples, in the order of `EXAMPLE_FIELDS`."""
        places = range(first, first + len(self))
        return zip(repeat(dataset), places, self.keys, *self.parts.values(), repeat(version))

    def outputs_of(self, run: int, first: int) -> list[tuple]:
        """Rows for the table of outputs, without those that have none."""
        placed = enumerate(self.outputs[run], first)
        return [(run, place, text, is_json) for place, (text, is_json) in placed if text is not None]

    def keep(self, rows: list[int]) -> None:
        """Only these rows, by their place."""
        for column in (self.lines, self.keys, *self.parts.values(), *self.outputs.values()):
            column[:] = [column[row] for row in rows]


class DatasetReading:
    """Reads one file. Its rows get the next version, which nobody sees before `_finish`."""

    def __init__(self, job: Import):
        self.job, self.dataset = job, job.dataset
        self.columns = ColumnMap.from_dict(job.mapping)
        self.version = self.dataset.version + 1
        self.accepted = 0
        self.pending = Pending()
        self.duplicates: list[dict[str, Any]] = []
        self.refused: list[ingest.RefusedRow] = []
        self.duplicate_count = 0
        self.output_counts: Counter[int] = Counter()

    def read(self, file: BinaryIO) -> None:
        self._clear()
        reader = ingest.open_rows(file, ingest.Format.from_dict(self.job.format), LIMITS)
        runs = dict(Run.objects.filter(experiment__dataset=self.dataset).values_list("variant", "pk"))
        readers = [(runs[variant], of_row) for variant, of_row in self.columns.readers()]
        for batch in reader:
            columns = self.columns.with_rest(reader.columns)
            if not self._is_lost_cause(reader):
                self.pending.add(batch, columns, readers)
            if len(self.pending) >= AT_ONCE:
                self._write(reader)
        self._end(reader)

    def _is_lost_cause(self, reader: ingest.Reader) -> bool:
        """The rest of a rejected file is read for its errors alone."""
        return self.job.on_error == "reject" and bool(reader.error_count or self.duplicate_count)

    def _write(self, reader: ingest.Reader) -> None:
        """Store what is pending, without the rows whose key is there already."""
        try:
            self._insert(reader)
        except bulk.DuplicateRow:
            self._drop_duplicates()
            if not self._is_lost_cause(reader):
                self._insert(reader)
        self.pending = Pending()

    def _insert(self, reader: ingest.Reader) -> None:
        pending, first = self.pending, self.dataset.last_position + self.accepted + 1
        examples = pending.examples(self.dataset.pk, first, self.version)
        outputs = {run: pending.outputs_of(run, first) for run in pending.outputs}
        with transaction.atomic():
            claims.keep(self.job, self.accepted + len(pending), reader.bytes_read)
            bulk.insert(Example, EXAMPLE_FIELDS, examples)
            bulk.insert(Output, OUTPUT_FIELDS, chain.from_iterable(outputs.values()))
        self.accepted += len(pending)
        self.output_counts.update({run: len(rows) for run, rows in outputs.items()})

    def _drop_duplicates(self) -> None:
        keys = [key for key in self.pending.keys if key is not None]
        stored = Example.objects.filter(dataset=self.dataset, removed_in=None, key__in=keys)
        rows, seen, kept = self.pending.rows, set(stored.values_list("key", flat=True)), []
        for row, (line, key) in enumerate(zip(self.pending.lines, self.pending.keys, strict=True)):
            if key is not None and key in seen:
                self._note_duplicate(line, key, rows[row])
            else:
                kept.append(row)
                seen.add(key)
        self.pending.keep(kept)

    def _note_duplicate(self, line: int, key: str, row: dict[str, Any]) -> None:
        self.duplicate_count += 1
        message = f"Line {line}: the key “{key[:80]}” is there already."
        if len(self.refused) < AT_MOST_REFUSED:
            cells = tuple(as_text(value) for value in row.values())
            self.refused.append(ingest.RefusedRow(line, "duplicate_key", message, cells))
        if len(self.duplicates) < LIMITS.errors_kept:
            self.duplicates.append(
                {
                    "code": "duplicate_key",
                    "message": message,
                    "hint": "Give every row a key of its own, or map no key.",
                    "where": {"line": line, "column": self.columns.key},
                }
            )

    def _end(self, reader: ingest.Reader) -> None:
        if not self._is_lost_cause(reader):
            self._write(reader)
        errors = [error.as_dict() for error in reader.errors] + self.duplicates
        count = reader.error_count + self.duplicate_count
        if self._is_lost_cause(reader):
            raise claims.Rejected(errors[: LIMITS.errors_kept], count)
        if not self.accepted:
            raise claims.Rejected(errors or [NO_ROWS], count or 1)
        self._finish(reader, errors, count)

    def _finish(self, reader: ingest.Reader, errors: list[dict[str, Any]], count: int) -> None:
        """Show all rows at once: the version counts, the status is ready, the outputs are counted."""
        columns = self.columns.with_rest(reader.columns)
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            dataset.status = Dataset.Status.READY
            dataset.last_position += self.accepted
            dataset.columns = merged(dataset.columns, columns)
            dataset.warnings = [warning.as_dict() for warning in reader.warnings] + _left_out(
                self.columns, reader
            )
            dataset.errors, dataset.error_count = errors[: LIMITS.errors_kept], count
            dataset.save()
            self._keep_refused(reader)
            datasets.next_version(
                dataset, dataset.created_by, self.accepted, f"from {self.job.filename}"[:200]
            )
            for run, outputs in self.output_counts.items():
                Run.objects.filter(pk=run).update(output_count=outputs)
            self._score()

    def _keep_refused(self, reader: ingest.Reader) -> None:
        """The rows that were left out, for a file to mend; of an earlier import nobody asks any more."""
        refused = sorted([*reader.refused, *self.refused], key=lambda row: row.line)[:AT_MOST_REFUSED]
        RefusedRow.objects.filter(dataset=self.dataset).delete()
        RefusedRow.objects.bulk_create(RefusedRow(dataset=self.dataset, **asdict(row)) for row in refused)

    def _score(self) -> None:
        """Queue what the upload's own experiment asks for; an appended file changes no experiment."""
        if self.version == 1:
            for run in Run.objects.filter(experiment__dataset=self.dataset):
                jobs.open_job(run, experiments.versions_of(run.experiment))

    def fail(self, errors: list[dict[str, Any]], count: int) -> None:
        """Leave no rows, only the reasons: of a new dataset its id, of an older one the version it had."""
        self._clear()
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            dataset.errors, dataset.error_count = errors, count
            if not dataset.version:
                dataset.status = Dataset.Status.FAILED
                dataset.experiments.all().delete()
            dataset.save()

    def _clear(self) -> None:
        """Remove what an earlier attempt wrote, a slice at a time, so that no write holds the database for long."""
        runs = list(Run.objects.filter(experiment__dataset=self.dataset).values_list("pk", flat=True))
        staged = Example.objects.filter(dataset=self.dataset, position__gt=self.dataset.last_position)
        while last := staged.order_by("-position").values_list("position", flat=True).first():
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                staged.filter(position__gt=last - SLICE).delete()
                if self.version == 1:
                    Output.objects.filter(run__in=runs, position__gt=last - SLICE).delete()


def as_text(value: JSON) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(value)


NO_ROWS = {
    "code": "no_rows",
    "message": "The file has no rows.",
    "hint": "A header alone is not a dataset: add at least one row.",
}


def merged(known: dict[str, list[str]], columns: ColumnMap) -> dict[str, list[str]]:
    """The columns of a dataset with those of a further file, in order of appearance."""
    return {part: list(dict.fromkeys([*known.get(part, ()), *getattr(columns, part)])) for part in PARTS}


def _left_out(columns: ColumnMap, reader: ingest.Reader) -> list[dict[str, Any]]:
    names = columns.left_out(reader.columns)
    if not names:
        return []
    message = f"Left out, because the mapping does not name them: {', '.join(names[:20])}."
    return [{"code": "columns_left_out", "message": message, "count": len(names), "first_lines": []}]
