"""A file into examples, and the outputs of variants that lie beside them in its rows."""

from collections import Counter
from contextlib import closing
from dataclasses import asdict
from itertools import chain
from typing import Any, BinaryIO

from django.db import transaction

from evaluations import bulk, ingest
from evaluations.datasets import datasets
from evaluations.datasets.datasets import EXAMPLE_FIELDS
from evaluations.engine import claims
from evaluations.experiments import experiments
from evaluations.models import Dataset, Example, Import, Output, RefusedRow, Run
from evaluations.scoring import jobs
from evaluations.values import text_of

from . import incoming
from .columnmap import OUTPUT_FIELDS, PARTS, ColumnMap
from .incoming import Pending, Report
from .uploads import LIMITS

AT_MOST_REFUSED = 1_000
SLICE = 5_000


class DatasetReading:
    """Reads one file. Its rows get the next version, which nobody sees before `_finish`."""

    def __init__(self, job: Import):
        self.job, self.dataset = job, job.dataset
        self.columns = ColumnMap.from_dict(job.mapping)
        self.strict = job.on_error == "reject"
        self.version = self.dataset.version + 1
        self.accepted = 0
        self.duplicates: list[dict[str, Any]] = []
        self.refused: list[ingest.RefusedRow] = []
        self.duplicate_count = 0
        self.output_counts: Counter[int] = Counter()

    def read(self, file: BinaryIO) -> None:
        self._clear()
        self.runs = self._runs()
        fmt = ingest.Format.from_dict(self.job.format)
        found = incoming.read(file, self.job.size, fmt, LIMITS, self.columns, self.strict)
        with closing(found):
            for item in found:
                if isinstance(item, Report):
                    self._end(item)
                else:
                    self._write(item)

    def _runs(self) -> dict[str, int]:
        """The runs that the mapping's outputs go to, by variant."""
        runs = dict(Run.objects.filter(experiment__dataset=self.dataset).values_list("variant", "pk"))
        return {variant: runs[variant] for variant, _ in self.columns.outputs}

    def _write(self, pending: Pending) -> None:
        """Store these rows, without those whose key is there already."""
        try:
            self._insert(pending)
        except bulk.DuplicateRow:
            self._drop_duplicates(pending)
            self._insert(pending)

    def _insert(self, pending: Pending) -> None:
        first = self.dataset.last_position + self.accepted + 1
        examples = pending.examples(self.dataset.pk, first, self.version)
        outputs = {run: pending.outputs_of(variant, run, first) for variant, run in self.runs.items()}
        with transaction.atomic():
            claims.keep(self.job, self.accepted + len(pending), pending.bytes_read)
            bulk.insert(Example, EXAMPLE_FIELDS, examples)
            bulk.insert(Output, OUTPUT_FIELDS, chain.from_iterable(outputs.values()))
        self.output_counts.update({run: len(rows) for run, rows in outputs.items()})
        self.accepted += len(pending)

    def _drop_duplicates(self, pending: Pending) -> None:
        keys = [key for key in pending.keys if key is not None]
        stored = Example.objects.filter(dataset=self.dataset, removed_in=None, key__in=keys)
        rows, seen, kept = pending.rows, set(stored.values_list("key", flat=True)), []
        for row, (line, key) in enumerate(zip(pending.lines, pending.keys, strict=True)):
            if key is not None and key in seen:
                self._note_duplicate(line, key)
                if not self.strict:
                    self._refuse(line, key, rows[row])
            else:
                kept.append(row)
                seen.add(key)
        pending.keep(kept)

    def _note_duplicate(self, line: int, key: str) -> None:
        self.duplicate_count += 1
        if len(self.duplicates) < LIMITS.errors_kept:
            self.duplicates.append(
                {
                    "code": "duplicate_key",
                    "message": _is_there(line, key),
                    "hint": "Give every row a key of its own, or map no key.",
                    "where": {"line": line, "column": self.columns.key},
                }
            )

    def _refuse(self, line: int, key: str, row: dict[str, Any]) -> None:
        if len(self.refused) < AT_MOST_REFUSED:
            cells = tuple(text_of(value) or "" for value in row.values())
            self.refused.append(ingest.RefusedRow(line, "duplicate_key", _is_there(line, key), cells))

    def _end(self, report: Report) -> None:
        errors = report.errors + self.duplicates
        count = report.error_count + self.duplicate_count
        if self.strict and count:
            raise claims.Rejected(errors[: LIMITS.errors_kept], count)
        if not self.accepted:
            raise claims.Rejected(errors or [NO_ROWS], count or 1)
        self._finish(report, errors[: LIMITS.errors_kept], count)

    def _finish(self, report: Report, errors: list[dict[str, Any]], count: int) -> None:
        """Show all rows at once: the version counts, the status is ready, the outputs are counted."""
        columns = self.columns.with_rest(report.columns)
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            dataset.status = Dataset.Status.READY
            dataset.last_position += self.accepted
            dataset.columns = merged(dataset.columns, columns)
            dataset.warnings = report.warnings + _left_out(self.columns, report.columns)
            dataset.errors, dataset.error_count = errors, count
            dataset.save()
            self._keep_refused(report.refused)
            datasets.next_version(
                dataset, dataset.created_by, self.accepted, f"from {self.job.filename}"[:200]
            )
            for run, outputs in self.output_counts.items():
                Run.objects.filter(pk=run).update(output_count=outputs)
            self._score()

    def _keep_refused(self, by_reader: list[ingest.RefusedRow]) -> None:
        """The rows that were left out, for a file to mend; of an earlier import nobody asks any more."""
        refused = sorted([*by_reader, *self.refused], key=lambda row: row.line)[:AT_MOST_REFUSED]
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


def _is_there(line: int, key: str) -> str:
    return f"Line {line}: the key “{key[:80]}” is there already."


NO_ROWS = {
    "code": "no_rows",
    "message": "The file has no rows.",
    "hint": "A header alone is not a dataset: add at least one row.",
}


def merged(known: dict[str, list[str]], columns: ColumnMap) -> dict[str, list[str]]:
    """The columns of a dataset with those of a further file, in order of appearance."""
    return {part: list(dict.fromkeys([*known.get(part, ()), *getattr(columns, part)])) for part in PARTS}


def _left_out(columns: ColumnMap, there: list[str]) -> list[dict[str, Any]]:
    names = columns.left_out(there)
    if not names:
        return []
    message = f"Left out, because the mapping does not name them: {', '.join(names[:20])}."
    return [{"code": "columns_left_out", "message": message, "count": len(names), "first_lines": []}]
