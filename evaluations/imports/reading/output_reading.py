"""Imports a file into the outputs of a run, matched to examples by key, by position, or row by row."""

from collections import Counter
from contextlib import closing
from typing import Any, BinaryIO

from django.db import transaction

from evaluations import bulk, ingest
from evaluations.experiments import runs
from evaluations.models import Import, Output, Run
from evaluations.scoring import coverage

from .. import claims, outputs
from ..columns.columnmap import IMPORTED_FIELDS, ColumnMap, of_column
from ..columns.score_columns import ScoreColumn
from ..rows import incoming
from ..rows.incoming import Pending, Report
from ..uploads import uploads
from ..uploads.uploads import LIMITS

SLICE = 5_000
OUTPUT = "output"


class OutputReading:
    """Reads one file into a draft run and counts matches; `columnmap.check_outputs` describes the mapping."""

    keeps_file = False

    def __init__(self, job: Import):
        assert job.run is not None  # as of every import of outputs
        self.job, self.run = job, job.run
        experiment = self.run.experiment
        included = coverage.mask(self.run, experiment.dataset.last_position)
        self.matching = outputs.Matching(experiment, job.mapping, included)
        self.columns = ColumnMap(
            key=self.matching.column,
            outputs=((OUTPUT, of_column(job.mapping["output"])),),
            scores=tuple(
                ScoreColumn(*fields)._replace(variant=OUTPUT) for fields in job.mapping.get("scores", ())
            ),
            decimal=job.mapping.get("decimal", ""),
        )
        self.matched = self.extra = 0
        self.first_extra: list[int] = []

    def read(self, file: BinaryIO) -> None:
        self._clear()
        fmt = ingest.Format.from_dict(self.job.format)
        with closing(incoming.read(file, self.job.size, fmt, LIMITS, self.columns)) as items:
            for item in items:
                if isinstance(item, Report):
                    self._end(item)
                else:
                    self._write(item)

    def _write(self, pending: Pending) -> None:
        uploads.require_space()
        rows = []
        positions, outputs = self.matching.positions(pending.keys), pending.outputs[OUTPUT].rows()
        for line, position, output in zip(pending.lines, positions, outputs, strict=False):
            if position is None:
                self._note_extra(line)
            elif output[0] is not None:
                rows.append((self.run.pk, position, *output))
        try:
            with transaction.atomic():
                claims.keep(self.job, self.matched + len(rows), pending.bytes_read)
                bulk.insert(Output, IMPORTED_FIELDS, rows)
        except bulk.DuplicateRow as repeated:
            raise claims.Rejected([_second_output(pending)]) from repeated
        self.matched += len(rows)

    def _end(self, report: Report) -> None:
        if report.error_count:
            raise claims.Rejected(report.errors, Counter(report.error_counts))
        if not self.matched:
            raise claims.Rejected([self._nothing_matched()])
        self._finish()

    def _note_extra(self, line: int) -> None:
        self.extra += 1
        if len(self.first_extra) < 10:
            self.first_extra.append(line)

    def _finish(self) -> None:
        note = {
            "matched": self.matched,
            "missing": (coverage.count(self.run) or outputs.example_count(self.run.experiment))
            - self.matched,
            "extra": self.extra,
            "first_extra_lines": self.first_extra,
            "start": self.job.mapping["start"],
        }
        with transaction.atomic():
            claims.end(self.job)
            Run.objects.filter(pk=self.run.pk).update(output_count=self.matched, outputs_note=note)
            if self.job.mapping["start"]:
                runs.begin(self.run)

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        self._clear()
        with transaction.atomic():
            claims.end(self.job)
            error = errors[0] | {"errors": errors, "error_count": counts.total()}
            Run.objects.filter(pk=self.run.pk).update(status=Run.Status.FAILED, error=error)

    def _clear(self) -> None:
        """Delete the outputs of an earlier attempt, a slice at a time."""
        stored = Output.objects.filter(run=self.run)
        for last_kept in bulk.slices_from_the_end(stored, SLICE):
            with transaction.atomic():
                claims.keep(self.job, 0, 0)
                stored.filter(position__gt=last_kept).delete()

    def _nothing_matched(self) -> dict[str, Any]:
        by = self.matching.column or "the order of the rows"
        return {
            "code": "nothing_matched",
            "message": f"No row of the file belongs to an example: matched by {by}.",
            "hint": "Choose the column with the examples' keys or positions.",
        }


def _second_output(pending: Pending) -> dict[str, Any]:
    return {
        "code": "duplicate_output",
        "message": f"Between lines {pending.lines[0]} and {pending.lines[-1]} an example gets a second output.",
        "hint": "Keep one row for each example.",
        "where": {"line": pending.lines[0]},
    }
