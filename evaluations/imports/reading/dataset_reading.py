"""Imports a file into a new or existing dataset, with the outputs of variants in its rows."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import Any, BinaryIO

from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import bulk, ingest, leases, owned
from evaluations.datasets import datasets
from evaluations.datasets.datasets import EXAMPLE_FIELDS
from evaluations.datasets.schemas import Checker
from evaluations.evaluators import whole_references
from evaluations.experiments import asked, experiments
from evaluations.models import (
    Dataset,
    Example,
    ExperimentEvaluator,
    FailedImport,
    Import,
    Output,
    Run,
)
from evaluations.scoring import jobs
from evaluations.values import PARTS

from .. import claims, refused_rows
from ..columns import guessed_roles
from ..columns.columnmap import ColumnMap
from ..rows import calls, incoming, repeats
from ..rows.incoming import Pending, Report
from ..rows.refusals import AT_MOST_REFUSED, Refusals
from ..rows.schema_checks import drop_mismatches
from ..rows.sorting import KEEP
from ..uploads.uploads import LIMITS, require_space

FILE = ("filename", "stored_as", "size", "format", "mapping", "duplicate_rows")
SLICE = 5_000


class NotAKey(Exception):
    """The column that was guessed to be the key, from its name, repeats values; no user chose it."""


class DatasetReading:
    """Reads one file. Its rows belong to the next version, which nobody sees before `_finish`."""

    keeps_file = False

    def __init__(self, job: Import):
        assert job.dataset is not None  # as of every import that is not of outputs or a change
        self.job, self.dataset = job, job.dataset
        self.columns = ColumnMap.from_dict(job.mapping)
        self.finds_repeats = not self.dataset.version and not self.columns.variant
        self.strict = job.on_error == "reject"
        self.version = self.dataset.version + 1
        self.checker = Checker(self.dataset.schema)
        self.warnings: list[dict[str, Any]] = []
        self.refusals = Refusals(self.columns.key)
        self.unread: list[ingest.RefusedRow] = []  # by the reader of the file
        self.header: list[str] = []

    def read(self, file: BinaryIO) -> None:
        try:
            self._read(file)
        except NotAKey:
            self.warnings.append(guessed_roles.key_not_unique(self.columns.key))
            self.columns = replace(self.columns, key=None)
            self._read(file)

    def _read(self, file: BinaryIO) -> None:
        self.accepted = 0
        self.refusals = Refusals(self.columns.key)
        self.output_counts: Counter[int] = Counter()
        self.repeats = repeats.for_duplicates(self.job.duplicate_rows)
        self._clear()
        self.runs = self._runs()
        fmt = ingest.Format.from_dict(self.job.format)
        drops = self.job.duplicate_rows != KEEP
        items = incoming.read(
            file,
            self.job.size,
            fmt,
            LIMITS,
            self.columns,
            keep_rows=True,
            with_digests=self.finds_repeats and drops,
            with_hashes=self.finds_repeats and not drops,
        )
        with closing(items):
            for item in items:
                if isinstance(item, Report):
                    self._end(item)
                else:
                    self._write(item)

    def _runs(self) -> dict[str, int]:
        """By variant, the new runs for the mapped outputs."""
        runs = dict(Run.objects.filter(experiment__dataset=self.dataset).values_list("variant", "pk"))
        return {variant: runs[name] for variant, name in owned.distinct(dict(self.columns.outputs)).items()}

    def _write(self, pending: Pending) -> None:
        """Store these rows, except those that violate the schema, or repeat a key or contents that must not repeat."""
        require_space()
        drop_mismatches(self.checker, pending, self.refusals)
        if self.finds_repeats:
            self._drop_repeats(pending)
        try:
            self._insert(pending)
        except bulk.DuplicateRow:
            self._drop_duplicates(pending)
            self._insert(pending)
        if self.finds_repeats:
            self.repeats.stored(pending)

    def _drop_repeats(self, pending: Pending) -> None:
        self.repeats.drop(pending, self.refusals)
        if "duplicate_key" in self.refusals.counts:
            self._require_key()

    def _require_key(self) -> None:
        """Raise `NotAKey` if the key column was only guessed: it has a value twice."""
        if self.columns.takes_remaining and self.version == 1:
            raise NotAKey

    def _insert(self, pending: Pending) -> None:
        first = self.dataset.last_position + self.accepted + 1
        examples = pending.examples(self.dataset.pk, first, self.version)
        outputs = {run: pending.outputs[variant] for variant, run in self.runs.items()}
        with transaction.atomic():
            claims.keep(self.job, self.accepted + len(pending), pending.bytes_read)
            bulk.insert(Example, EXAMPLE_FIELDS, examples)
            for run, answers in outputs.items():
                bulk.insert(Output, answers.fields, answers.rows_of(run, first))
                calls.store(answers, ((row, (run, first + row)) for row in range(len(pending))))
        self.output_counts.update({run: answers.count for run, answers in outputs.items()})
        self.accepted += len(pending)

    def _drop_duplicates(self, pending: Pending) -> None:
        self._require_key()
        keys = [key for key in pending.keys if key is not None]
        stored = Example.objects.filter(dataset=self.dataset, removed_in=None, key__in=keys)
        rows, known_keys, kept_rows = pending.rows, set(stored.values_list("key", flat=True)), []
        for row, (line, key) in enumerate(zip(pending.lines, pending.keys, strict=True)):
            if key is not None and key in known_keys:
                reason = f"the key “{key[:80]}” already exists"
                self.refusals.add(line, "duplicate_key", reason, rows[row : row + 1])
            else:
                kept_rows.append(row)
                known_keys.add(key)
        pending.keep(kept_rows)

    def _end(self, report: Report) -> None:
        self.unread, self.header = report.refused, [*report.columns]
        counts = Counter(report.error_counts) + self.refusals.counts
        errors = some_of_each(report.errors, self.refusals.problems)
        if self.strict and errors:
            raise claims.Rejected(errors, counts)
        if not self.accepted:
            raise claims.Rejected(errors or [NO_ROWS], counts or Counter(no_rows=1))
        self._finish(report, errors, counts)

    def _finish(self, report: Report, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Publish all rows at once: raise the version, set the status to ready, and count the outputs."""
        columns = self.columns.with_remaining(report.columns)
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            dataset.status = Dataset.Status.READY
            dataset.last_position += self.accepted
            dataset.columns = merged(dataset.columns, columns)
            known_before = guessed_roles.kept(dataset.warnings) if self.version == 1 else []
            dataset.warnings = report.warnings + self.warnings + self.repeats.warnings()
            dataset.warnings += guessed_roles.columns_not_recognised(self.columns)
            dataset.warnings += guessed_roles.scores_recognised(self.columns)
            dataset.warnings += guessed_roles.as_repetitions(self.columns)
            dataset.warnings += guessed_roles.as_labels(self.columns)
            dataset.warnings += known_before
            dataset.warnings += guessed_roles.left_out(
                [*self.columns.left_out(report.columns), *self.columns.unread]
            )
            dataset.warnings += whole_references.about_columns(dataset.columns["reference"])
            keep_errors(dataset, errors, counts)
            dataset.save()
            self._keep_refused()
            datasets.next_version(
                dataset, dataset.created_by, self.accepted, f"from {self.job.filename}"[:200]
            )
            for run, outputs in self.output_counts.items():
                Run.objects.filter(pk=run).update(output_count=outputs)
            if self.columns.measures:
                calls.keep_sums(self.output_counts)
            self._score()

    def _keep_refused(self) -> None:
        """Store the refused rows for download."""
        refused = sorted([*self.unread, *self.refusals.rows], key=lambda row: row.line)[:AT_MOST_REFUSED]
        refused_rows.keep(self.dataset, refused, self.header)

    def _score(self) -> None:
        """Queue the scoring of the new experiment; appending to a dataset changes no experiment."""
        if self.version == 1:
            for experiment in self.dataset.experiments.all():
                asked.by_design(experiment)
            for run in Run.objects.filter(experiment__dataset=self.dataset):
                jobs.open_job(run, experiments.versions_of(run.experiment))

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Store the errors, the file and the refused rows. A new dataset has failed, an older one keeps its version."""
        self._clear()
        with transaction.atomic():
            self._keep_refused()
            claims.end(self.job)
            self._keep_file()
            end_failed(self.dataset, errors, counts)

    def _keep_file(self) -> None:
        """Keep the file and its settings for another try."""
        if not default_storage.exists(self.job.stored_as):
            return
        links = ExperimentEvaluator.objects.filter(experiment__dataset=self.dataset)
        evaluators = links.values_list("evaluator_version__evaluator", flat=True) if self.version == 1 else []
        file = {name: getattr(self.job, name) for name in FILE}
        FailedImport.objects.update_or_create(
            dataset=self.dataset, defaults=file | {"evaluators": [*evaluators], "failed_at": leases.now()}
        )

    def _clear(self) -> None:
        """Delete the rows of an earlier attempt in slices, so that no write locks the database for long."""
        runs = list(Run.objects.filter(experiment__dataset=self.dataset).values_list("pk", flat=True))
        staged = Example.objects.filter(dataset=self.dataset, position__gt=self.dataset.last_position)
        for last_kept in bulk.slices_from_the_end(staged, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                staged.filter(position__gt=last_kept).delete()
                if self.version == 1:
                    Output.objects.filter(run__in=runs, position__gt=last_kept).delete()
                    calls.clear(runs, last_kept)


def end_failed(dataset: Dataset, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
    """Store the errors of a file. A new dataset has failed and has no experiments, an older one stays as it is."""
    locked = Dataset.objects.select_for_update().get(pk=dataset.pk)
    keep_errors(locked, errors, counts)
    if not locked.version:
        locked.status = Dataset.Status.FAILED
        locked.experiments.all().delete()
    locked.save()


def keep_errors(dataset: Dataset, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
    dataset.errors, dataset.error_counts, dataset.error_count = errors, dict(counts), counts.total()


def some_of_each(errors: list[dict[str, Any]], problems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The problems to store, up to a limit: of unreadable and of refused rows, half of each if there are many."""
    maximum = LIMITS.errors_kept
    room = max(maximum - len(problems), maximum // 2)
    return (errors[:room] + problems)[:maximum]


NO_ROWS = {
    "code": "no_rows",
    "message": "The file has no rows.",
    "hint": "A header alone is not a dataset: add at least one row.",
}


def merged(dataset_columns: dict[str, list[str]], columns: ColumnMap) -> dict[str, list[str]]:
    """The columns of a dataset with those of a further file, in order of appearance."""
    return {
        part: list(dict.fromkeys([*dataset_columns.get(part, ()), *getattr(columns, part)])) for part in PARTS
    }
