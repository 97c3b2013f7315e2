"""Imports a file into the outputs of a run, matched to examples by key, by position, or row by row."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Any, BinaryIO

from django.db import transaction

from evaluations import bulk, ingest
from evaluations.experiments import runs
from evaluations.models import Import, Output, Run
from evaluations.scoring import coverage

from .. import by_metadata, claims, outputs
from ..columns.columnmap import IMPORTED_FIELDS, OutputColumns, source_of
from ..columns.measure_columns import MeasureColumn
from ..columns.score_columns import ScoreColumn
from ..rows import calls, incoming, second_outputs
from ..rows.incoming import Fields, Pending, Report
from ..uploads import uploads
from ..uploads.uploads import LIMITS

SLICE = 5_000
NAMED = "Choose the column with the examples' keys or positions."
UNNAMED = "Match the rows by inputs, by position or in order."
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
        self.columns = OutputColumns(
            key_source=self.matching.source,
            matched=tuple(self.matching.by_inputs.values()),
            outputs=((OUTPUT, source_of(job.mapping, "output")),),
            scores=tuple(
                ScoreColumn.of_stored(fields)._replace(variant=OUTPUT)
                for fields in job.mapping.get("scores", ())
            ),
            measures=tuple(
                MeasureColumn(*fields)._replace(variant=OUTPUT) for fields in job.mapping.get("measures", ())
            ),
            decimal=job.mapping.get("decimal", ""),
            variant=job.mapping.get("variant"),
            repeats=job.mapping.get("repeats", ""),
        )
        self.extra = 0
        self.first_extra: list[int] = []
        self.stored = Counter[int]()  # outputs of each run

    @property
    def runs(self) -> list[int]:
        """The ids of the runs that the file fills."""
        return [self.run.pk]

    def _owners(self, pending: Pending, positions: Sequence[int | None]) -> Sequence[int]:
        """The run of each row; what it is for rows without a position does not matter."""
        return [self.run.pk] * len(positions)

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
        positions, outputs = self.matching.positions(pending.keys), pending.outputs[OUTPUT].rows()
        owners, rows = self._owners(pending, positions), []
        for index, (position, output) in enumerate(zip(positions, outputs, strict=False)):
            if position is None:
                self._note_extra(pending.lines[index])
            elif output[0] is not None or output[2] is not None:  # the score of an empty output
                rows.append((index, (owners[index], position, *output)))
        try:
            with transaction.atomic():
                rows = second_outputs.kept(rows, self.job.mapping.get("keep", ""), self.stored)
                answered = Counter(run for _, (run, _, text, *_) in rows if text is not None)
                claims.keep(self.job, self.stored.total() + answered.total(), pending.bytes_read)
                bulk.insert(
                    Output, IMPORTED_FIELDS + pending.outputs[OUTPUT].beside, [row for _, row in rows]
                )
                calls.store(pending.outputs[OUTPUT], ((index, row[:2]) for index, row in rows))
        except bulk.DuplicateRow as repeated:
            raise claims.Rejected([self._second_output(pending, rows)]) from repeated
        self.stored.update(answered)

    def _end(self, report: Report) -> None:
        if report.error_count:
            raise claims.Rejected(report.errors, Counter(report.error_counts))
        if not self.stored:
            raise claims.Rejected([self._nothing_matched()])
        self._finish()

    def _note_extra(self, line: int) -> None:
        self.extra += 1
        if len(self.first_extra) < 10:
            self.first_extra.append(line)

    def _finish(self) -> None:
        asked = coverage.count(self.run) or outputs.example_count(self.run.experiment)
        of_file = {
            "extra": self.extra,
            "first_extra_lines": self.first_extra,
            "left_out": self.job.mapping.get("left_out", []),
            "start": self.job.mapping["start"],
        }
        with transaction.atomic():
            claims.end(self.job)
            for run in Run.objects.filter(pk__in=self.runs).select_related("experiment"):
                count = self.stored[run.pk]
                note = {"matched": count, "missing": asked - count} | of_file
                Run.objects.filter(pk=run.pk).update(output_count=count, outputs_note=note)
                if self.columns.measures:
                    calls.keep_sums([run.pk])
                if self.job.mapping["start"]:
                    runs.begin(run)

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        self._clear()
        with transaction.atomic():
            claims.end(self.job)
            error = errors[0] | {"errors": errors, "error_count": counts.total()}
            Run.objects.filter(pk__in=self.runs).exclude(pk=self.run.pk).delete()
            Run.objects.filter(pk=self.run.pk).update(status=Run.Status.FAILED, error=error)

    def _clear(self) -> None:
        """Delete the outputs of an earlier attempt, a slice at a time."""
        for run in self.runs:
            stored = Output.objects.filter(run=run)
            for last_kept in bulk.slices_from_the_end(stored, SLICE):
                with transaction.atomic():
                    claims.keep(self.job, 0, 0)
                    stored.filter(position__gt=last_kept).delete()
                    calls.clear([run], last_kept)

    def _nothing_matched(self) -> dict[str, Any]:
        by = self.matching.column or ", ".join(self.matching.by_inputs) or "the order of the rows"
        message, hint = f"No row of the file belongs to an example: matched by {by}.", NAMED
        if self.matching.by_key and not self.matching.has_keys:
            message = (
                f"No row of the file belongs to an example by {by}: the examples of this dataset have no keys"
            )
            about = by_metadata.about(self.run.experiment, by)
            message, hint = f"{message}{about}.", UNNAMED
        return {"code": "nothing_matched", "message": message, "hint": hint}

    def _second_output(self, pending: Pending, rows: Sequence[tuple[int, Fields]]) -> dict[str, Any]:
        """The first of these rows, given with their index, whose example has an output of the same run already."""
        pairs: list[tuple[object, object]] = [(run, position) for _, (run, position, *_) in rows]
        stored = Output.objects.filter(run__in=self.runs, position__in={position for _, position in pairs})
        index = rows[_first_repeated(pairs, {*stored.values_list("run", "position")})][0]
        key = pending.keys[index]
        example = f"The example “{key[:80]}”" if key is not None else "An example"
        return {
            "code": "duplicate_output",
            "message": f"Line {pending.lines[index]}: {example} gets a second output.",
            "hint": "Keep one row for each example, or say by “long” what tells its rows apart.",
            "where": {"line": pending.lines[index]},
        }


def _first_repeated(pairs: Sequence[tuple[object, object]], earlier: set[tuple[object, object]]) -> int:
    """The index of the first pair that is among the earlier ones, or repeats one; 0 if there is none."""
    for index, pair in enumerate(pairs):
        if pair in earlier:
            return index
        earlier.add(pair)
    return 0
