"""Exports runs, experiments and datasets as files, streamed stretch by stretch in the order of the examples.

The rows of a page, if they are few, are written in the order of the page.
"""

import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import orjson

from evaluations.datasets import live_positions, splits
from evaluations.errors import Invalid
from evaluations.experiments import about
from evaluations.labelling import seal
from evaluations.launches import states
from evaluations.models import Dataset, Experiment, Run, Scoring, Split
from evaluations.numerals import grouped
from evaluations.scoring import answer_measures, coverage, stretches
from evaluations.scoring.stretches import ChosenRows, RunColumns, ScoreColumn, Stretch
from evaluations.statistics.ordering import Indices
from evaluations.values import JSON, PARTS

from . import column_kinds, words, xlsx_writer
from .column_kinds import Kinds
from .csv_writer import Options, csv_file
from .shown import scorings_by_run, scorings_of
from .table import RunHeader, Table
from .words import Words

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
OBJECTS = ("jsonl", "json")  # These formats have an object per row, the others columns.
MOST_ORDERED = 10_000  # rows of a file in another order than the examples, which are held in memory
MOST_XLSX_ROWS = 100_000  # The file is complete before its first byte is sent: about 20 s for this many rows.


def of_run(
    run: Run,
    kind: str,
    *,
    safe: bool = True,
    bom: bool = False,
    chosen: ChosenRows = None,
    order: Indices | None = None,
    shown: Sequence[Scoring] | None = None,
) -> Iterator[bytes]:
    """The run as a file of one of the `TYPES`, in the order of the examples; `chosen` comes from `results.chosen`.

    `order` has the positions of all chosen examples in another order. `shown` are scorings by other versions than the
    newest, if these are wanted.
    """
    scorings = {run.pk: list(scorings_of(run) if shown is None else shown)}
    rows = coverage.slots(run) if chosen is None else chosen
    read = stretches.of_runs(run.experiment, [run], scorings, rows, seal.hidden(scorings[run.pk]))
    read = read if order is None else stretches.in_order(read, order.tolist())
    [head] = _headers([run], [""], scorings)
    head = replace(head, origin=_origin(run))
    if kind in OBJECTS:
        return _objects(kind, (_lines(_run_objects(stretch, head)) for stretch in read))
    table = Table(run.experiment.dataset.columns, [head])
    return _tabular(kind, table, read, Options(safe, bom))


def of_experiment(
    experiment: Experiment,
    runs: Sequence[Run],
    kind: str,
    *,
    safe: bool = True,
    bom: bool = False,
    chosen: ChosenRows = None,
    order: Indices | None = None,
    summary: Sequence[Sequence[Any]] = (),
) -> Iterator[bytes]:
    """One row per example, with the outputs and scores of all these runs; a workbook opens on the `summary`, if any.

    `order` has the positions of all chosen examples in another order than theirs.
    """
    scorings = scorings_by_run(runs)
    hidden = seal.hidden(chain.from_iterable(scorings.values()))
    read = stretches.of_runs(experiment, runs, scorings, chosen, hidden)
    read = read if order is None else stretches.in_order(read, order.tolist())
    names = stretches.unique_names([run.variant for run in runs])
    headers = [
        replace(head, origin={"run": run.pk})
        for head, run in zip(_headers(runs, [f"{name} " for name in names], scorings), runs, strict=True)
    ]
    origin = _of_dataset(experiment)
    if kind in OBJECTS:
        return _objects(
            kind, (_lines(_experiment_objects(stretch, names, headers, origin)) for stretch in read)
        )
    table = Table(experiment.dataset.columns, headers, origin=origin)
    return _tabular(kind, table, read, Options(safe, bom), summary)


def of_dataset(
    dataset: Dataset,
    kind: str,
    *,
    safe: bool = True,
    bom: bool = False,
    version: int | None = None,
    split: Split | None = None,
    parts: bool = False,
) -> Iterator[bytes]:
    """A version of a dataset (by default the newest), or a split of it; uploading the file again gives the same texts.

    With `parts`, every column name includes its part, so that an upload needs no mapping. In tables, a column whose
    values would become texts is then marked as JSON.
    """
    version = version or dataset.version
    every = live_positions.of_version(dataset, version)
    chosen = splits.mask(split, version, every) if split else None
    read = stretches.of_dataset(dataset, version, chosen)
    kinds = _kinds(dataset, version, chosen, kind, parts)
    table = Table(dataset.columns, None, kinds, every_part=parts, is_table=kind not in OBJECTS)
    if kind in OBJECTS:
        return _objects(kind, (_examples_as_lines(table, stretch) for stretch in read))
    return _tabular(kind, table, read, Options(safe, bom))


def _kinds(dataset: Dataset, version: int, chosen: ChosenRows, kind: str, parts: bool) -> Kinds:
    """The types of the columns, for formats that need them before the first row."""
    if kind == "parquet":
        # Without `parts`, a column with any text is one of texts, whatever follows.
        return column_kinds.of_dataset(dataset, version, chosen, {object} if parts else {str, object})
    if kind in ("csv", "xlsx") and parts:
        return column_kinds.beyond_texts(stretches.of_dataset(dataset, version, chosen))
    return {}


def check(kind: str, rows: int = 0) -> str:
    """The media type of a format; raises `Invalid` for one that cannot be written, or not with so many rows."""
    if kind not in TYPES:
        raise Invalid("unknown_format", f"Unknown format “{kind}”; use one of {', '.join(TYPES)}.")
    if kind == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise Invalid("parquet_not_installed", "Parquet needs the extra: pip install evalsite[parquet].")
    if kind == "xlsx" and rows > MOST_XLSX_ROWS:
        raise Invalid(
            "too_many_rows",
            f"An Excel file can have at most {grouped(MOST_XLSX_ROWS)} rows; this export has {grouped(rows)}.",
            hint="Filter the rows, or export CSV or Parquet.",
        )
    return TYPES[kind]


def _headers(
    runs: Sequence[Run], prefixes: Sequence[str], scorings: dict[int, list[Scoring]]
) -> list[RunHeader]:
    generated, sizes = answer_measures.generated(runs), states.stopped_early(runs)
    return [
        RunHeader(
            prefix,
            _versions(scorings[run.pk]),
            _about(run, sizes.get(run.pk)),
            run.pk in generated,
            _words(scorings[run.pk]),
        )
        for run, prefix in zip(about.with_prompts(runs), prefixes, strict=True)
    ]


def _origin(run: Run) -> dict[str, int | str]:
    return {"run": run.pk, "variant": run.variant, **_of_dataset(run.experiment)}


def _of_dataset(experiment: Experiment) -> dict[str, int | str]:
    return {"dataset": experiment.dataset.name, "dataset_version": experiment.dataset_version}


def _about(run: Run, size: int | None) -> str:
    """The facts about the variant in one line, and whether it stopped early, before all `size` examples."""
    count = grouped(coverage.count(run) or 0)
    early = [about.Fact("stopped early", f"at {count} of {grouped(size)} examples")] if size else []
    return about.statement([*about.facts(run), *early])


def _versions(scorings: Sequence[Scoring]) -> dict[str, int]:
    """The number of the evaluator version for each label."""
    names = stretches.labels(scorings)
    return {names[scoring.pk]: scoring.evaluator_version.number for scoring in scorings}


def _words(scorings: Sequence[Scoring]) -> dict[str, Words]:
    """The words of each evaluator that has any, by its label in the file."""
    names = stretches.labels(scorings)
    found = {names[scoring.pk]: words.of_version(scoring.evaluator_version) for scoring in scorings}
    return {name: known for name, known in found.items() if known}


# ---- objects -----------------------------------------------------------------------------------------------


def _run_objects(stretch: Stretch, head: RunHeader) -> Iterator[dict[str, Any]]:
    [run] = stretch.runs
    return _objects_with(_answers(run, head), stretch)


def _experiment_objects(
    stretch: Stretch, names: Sequence[str], headers: Sequence[RunHeader], origin: dict[str, int | str]
) -> Iterator[dict[str, Any]]:
    answers = [_answers(run, head) for run, head in zip(stretch.runs, headers, strict=True)]
    rows = zip(*answers, strict=True) if answers else repeat(())
    variants = ({"variants": dict(zip(names, row, strict=True)), **origin} for row in rows)
    return _objects_with(variants, stretch)


def _objects_with(answers: Iterable[dict[str, Any]], stretch: Stretch) -> Iterator[dict[str, Any]]:
    """Examples with these answers; their parts are written as stored."""
    parts = (map(orjson.Fragment, stretch.parts[part]) for part in PARTS)
    for position, key, inputs, reference, metadata, answer in zip(
        stretch.positions, stretch.keys, *parts, answers, strict=False
    ):
        yield {
            "position": position,
            "key": key,
            "inputs": inputs,
            "reference": reference,
            "metadata": metadata,
            **answer,
        }


def _answers(run: RunColumns, head: RunHeader) -> Iterator[dict[str, Any]]:
    about = {"about": head.about} if head.about else {}
    columns = [_score_objects(column, head.words.get(name)) for name, column in run.scores.items()]
    by_row = zip(*columns, strict=True) if columns else repeat(())
    measures = map(_usage_and_error, zip(*run.measures, strict=True)) if head.is_generated else repeat({})
    for output, row, usage in zip(run.outputs, by_row, measures, strict=False):
        scores, versions = dict(zip(run.scores, row, strict=True)), head.versions
        if None in row:
            scores = {name: score for name, score in scores.items() if score}
            versions = {name: head.versions[name] for name in scores}
        yield {"output": output, "scores": scores, "versions": versions, **usage, **about, **head.origin}


def _usage_and_error(values: Sequence[Any]) -> dict[str, Any]:
    """The usage of a generated answer, and, if there are any, its error, partial text and reasoning."""
    usage = dict(zip(answer_measures.COLUMNS, values, strict=True))
    texts = {name: usage.pop(name) for name in ("error", "partial_output", "reasoning")}
    return {"usage": usage} | {name: text for name, text in texts.items() if text}


def _score_objects(column: ScoreColumn, words: Words | None) -> list[dict[str, JSON] | None]:
    rows = zip(column.values, column.passed, column.statuses, column.messages, strict=True)
    return [_score_object(*row, words) if row[2] else None for row in rows]


def _score_object(
    value: float | None, passed: bool | None, status: str, message: str, words: Words | None
) -> dict[str, JSON]:
    score: dict[str, JSON] = {"value": value, "passed": passed, "status": status, "message": message}
    if words is not None:
        score["label"] = None if value is None else words.get(value)
    return score


def _examples_as_lines(table: Table, stretch: Stretch) -> bytes:
    """The columns of all parts side by side, as they were uploaded."""
    parts = (table.named(part, stretch.parsed(part)) for part in PARTS)
    rows = zip(stretch.keys, *parts, strict=True)
    return _lines({"key": key, **inputs, **reference, **more} for key, inputs, reference, more in rows)


def _objects(kind: str, lines: Iterator[bytes]) -> Iterator[bytes]:
    return _array(lines) if kind == "json" else lines


def _array(lines: Iterator[bytes]) -> Iterator[bytes]:
    """JSON Lines as one array. JSON escapes line breaks in texts, so each line break here ends an object."""
    between = b"[\n"
    for objects in filter(None, lines):
        yield between + objects.removesuffix(b"\n").replace(b"\n", b",\n")
        between = b",\n"
    yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _lines(objects: Iterable[dict[str, Any]]) -> bytes:
    return b"".join([orjson.dumps(object, option=orjson.OPT_APPEND_NEWLINE) for object in objects])


# ---- tables ------------------------------------------------------------------------------------------------


def _tabular(
    kind: str,
    table: Table,
    read: Iterator[Stretch],
    options: Options,
    summary: Sequence[Sequence[Any]] = (),
) -> Iterator[bytes]:
    columns = map(table.columns, read)
    if kind == "xlsx":
        return xlsx_writer.write(table.header, columns, summary)
    if kind == "parquet":
        # imported here, because its library is an optional extra
        writer = importlib.import_module("evaluations.results.parquet_writer")
        written: Iterator[bytes] = writer.write(table.header, columns)
        return written
    return csv_file(table.header, columns, options)
