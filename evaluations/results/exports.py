"""A run, an experiment or a dataset as a file: streamed stretch by stretch, in the order of the examples."""

import importlib
import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import NoneType
from typing import Any, cast

import orjson

from evaluations import json_cells
from evaluations.datasets import live_positions, splits
from evaluations.errors import Invalid
from evaluations.experiments import about
from evaluations.ingest.suggest import part_of
from evaluations.models import Dataset, Experiment, Run, Scoring, Split
from evaluations.scoring import coverage, stretches, taken
from evaluations.scoring.stretches import Chosen, RunColumns, ScoreColumn, Stretch
from evaluations.values import JSON, PARTS, text_of

from . import column_kinds
from .column_kinds import Kind, Kinds
from .csv_writer import Header, Options, csv_file
from .shown import scorings_by_run, scorings_of

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
OBJECTS = ("jsonl", "json")  # These formats hold an object for each row, the others columns.
MOST_XLSX_ROWS = 100_000  # The file is written before its first byte is sent: about 20 s for these.
WRITERS = {"parquet": "parquet_writer", "xlsx": "xlsx_writer"}


def of_run(
    run: Run,
    kind: str,
    *,
    safe: bool = True,
    bom: bool = False,
    chosen: Chosen = None,
    shown: Sequence[Scoring] | None = None,
) -> Iterator[bytes]:
    """The run in one of the `TYPES`, in the order of the examples; `chosen` comes from `results.chosen`.

    `shown` are the scorings by other versions, where not the newest are wanted.
    """
    scorings = {run.pk: list(scorings_of(run) if shown is None else shown)}
    rows = coverage.slots(run) if chosen is None else chosen
    read = stretches.of_runs(run.experiment, [run], scorings, rows)
    if kind in OBJECTS:
        [head] = _headers([run], [""], scorings)
        return _objects(kind, (_lines(_run_objects(stretch, head)) for stretch in read))
    table = Table(run.experiment.dataset.columns, _headers([run], [""], scorings))
    return _tabular(kind, table, read, Options(safe, bom))


def of_experiment(
    experiment: Experiment,
    runs: Sequence[Run],
    kind: str,
    *,
    safe: bool = True,
    bom: bool = False,
    chosen: Chosen = None,
) -> Iterator[bytes]:
    """One row per example, with the outputs and scores of these runs side by side."""
    scorings = scorings_by_run(runs)
    read = stretches.of_runs(experiment, runs, scorings, chosen)
    names = stretches.unique_names([run.variant for run in runs])
    headers = _headers(runs, [f"{name} " for name in names], scorings)
    if kind in OBJECTS:
        return _objects(kind, (_lines(_experiment_objects(stretch, names, headers)) for stretch in read))
    return _tabular(kind, Table(experiment.dataset.columns, headers), read, Options(safe, bom))


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
    """A version of a dataset (else the newest), or a split of it; uploading the file again gives the same texts.

    With `parts` every column is named with its part, so that the upload needs no mapping, whatever its name; and
    in tables, a column whose values would become texts says that its cells are JSON.
    """
    version = version or dataset.version
    every = live_positions.of_version(dataset, version)
    chosen = splits.mask(split, version, every) if split else None
    read = stretches.of_dataset(dataset, version, chosen)
    # A file with types has them in its head, before the first row.
    known = stretches.of_dataset(dataset, version, chosen)
    kinds = column_kinds.of_dataset(known) if kind == "parquet" else {}
    if kind == "csv" and parts:
        kinds = column_kinds.beyond_texts(known)
    table = Table(dataset.columns, None, kinds, every_part=parts, is_table=kind not in OBJECTS)
    if kind in OBJECTS:
        return _objects(kind, (_examples_as_lines(table, stretch) for stretch in read))
    return _tabular(kind, table, read, Options(safe, bom))


def check(kind: str, rows: int = 0) -> str:
    """The media type of a format; raises `Invalid` for one that cannot be written here, or not with so many rows."""
    if kind not in TYPES:
        raise Invalid("unknown_format", f"Unknown format “{kind}”; there are {', '.join(TYPES)}.")
    if kind == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise Invalid("parquet_not_installed", "Parquet needs the extra: pip install evalsite[parquet].")
    if kind == "xlsx" and rows > MOST_XLSX_ROWS:
        raise Invalid(
            "too_many_rows",
            f"An Excel file holds at most {MOST_XLSX_ROWS:,} rows here; these are {rows:,}.",
            hint="Filter the rows, or export CSV or Parquet.",
        )
    return TYPES[kind]


def _headers(
    runs: Sequence[Run], prefixes: Sequence[str], scorings: dict[int, list[Scoring]]
) -> list["RunHeader"]:
    generated = taken.generated(runs)
    return [
        RunHeader(prefix, _versions(scorings[run.pk]), about.line(about.facts(run)), run.pk in generated)
        for run, prefix in zip(about.with_prompts(runs), prefixes, strict=True)
    ]


def _versions(scorings: Sequence[Scoring]) -> dict[str, int]:
    """The number of the evaluator version behind each label."""
    names = stretches.labels(scorings)
    return {names[scoring.pk]: scoring.evaluator_version.number for scoring in scorings}


# ---- objects -----------------------------------------------------------------------------------------------


def _run_objects(stretch: Stretch, head: "RunHeader") -> Iterator[dict[str, Any]]:
    """Examples with output and scores; the parts go out as they are stored."""
    [run] = stretch.runs
    for example, answer in zip(_example_objects(stretch), _answers(run, head), strict=True):
        yield example | answer


def _experiment_objects(
    stretch: Stretch, names: Sequence[str], headers: Sequence["RunHeader"]
) -> Iterator[dict[str, Any]]:
    answers = [_answers(run, head) for run, head in zip(stretch.runs, headers, strict=True)]
    for example, *each in zip(_example_objects(stretch), *answers, strict=True):
        yield example | {"variants": dict(zip(names, each, strict=True))}


def _example_objects(stretch: Stretch) -> Iterator[dict[str, Any]]:
    parts = (map(orjson.Fragment, stretch.parts[part]) for part in PARTS)
    for position, key, inputs, reference, metadata in zip(
        stretch.positions, stretch.keys, *parts, strict=True
    ):
        yield {
            "position": position,
            "key": key,
            "inputs": inputs,
            "reference": reference,
            "metadata": metadata,
        }


def _answers(run: RunColumns, head: "RunHeader") -> Iterator[dict[str, Any]]:
    said = {"about": head.about} if head.about else {}
    scores = [_score_objects(column) for column in run.scores.values()]
    by_row = zip(*scores, strict=True) if scores else repeat(())
    took = zip(*run.taken, strict=True) if head.is_generated else repeat(())
    for output, row, values in zip(run.outputs, by_row, took, strict=False):
        named = {name: score for name, score in zip(run.scores, row, strict=True) if score}
        versions = {name: head.versions[name] for name in named}
        usage = {"usage": dict(zip(taken.COLUMNS, values, strict=True))} if values else {}
        yield {"output": output, "scores": named, "versions": versions, **usage, **said}


def _score_objects(column: ScoreColumn) -> list[dict[str, JSON] | None]:
    rows = zip(column.values, column.passed, column.statuses, column.messages, strict=True)
    return [
        {"value": value, "passed": passed, "status": status, "message": message} if status else None
        for value, passed, status, message in rows
    ]


def _examples_as_lines(table: "Table", stretch: Stretch) -> bytes:
    """The columns of all parts side by side, as they were uploaded."""
    parts = (table.named(part, stretch.parsed(part)) for part in PARTS)
    rows = zip(stretch.keys, *parts, strict=True)
    return _lines({"key": key, **inputs, **reference, **more} for key, inputs, reference, more in rows)


def _objects(kind: str, lines: Iterator[bytes]) -> Iterator[bytes]:
    return _array(lines) if kind == "json" else lines


def _array(lines: Iterator[bytes]) -> Iterator[bytes]:
    """JSON Lines as one array. Inside JSON a line break is escaped, so each one here ends an object."""
    between = b"[\n"
    for some in filter(None, lines):
        yield between + some.removesuffix(b"\n").replace(b"\n", b",\n")
        between = b",\n"
    yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _lines(objects: Iterable[dict[str, Any]]) -> bytes:
    return b"".join([orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in objects])


# ---- tables ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunHeader:
    """The columns of a run: what stands before their names, and its evaluators with the numbers of their versions.

    `about` says in one line what the variant is; without it there is no such column. What an answer took has columns
    where the run was generated.
    """

    prefix: str
    versions: dict[str, int]
    about: str = ""
    is_generated: bool = False

    @property
    def header(self) -> Header:
        scores = [
            (f"{self.prefix}{name}{suffix}", kind)
            for name in self.versions
            for suffix, kind in SCORE_COLUMNS.items()
        ]
        said = [(f"{self.prefix}about", str)] if self.about else []
        names = taken.COLUMNS if self.is_generated else {}
        took = [(f"{self.prefix}{name}", kind) for name, kind in names.items()]
        return [(f"{self.prefix}output", str), *scores, *took, *said]

    def columns(self, run: RunColumns) -> Iterator[Sequence[Any]]:
        yield as_cells(run.outputs)
        for name, version in self.versions.items():
            scores = run.scores[name]
            yield from (scores.values, scores.passed, scores.statuses)
            yield [version if status else None for status in scores.statuses]
        yield from run.taken
        if self.about:
            yield [self.about] * len(run.outputs)


SCORE_COLUMNS = {"": float, " passed": bool, " status": str, " version": int}


class Table:
    """The header (names and types) and the columns.

    A column that two parts have says which part it belongs to, and so does one with the name of a column of ours. In
    the file of a dataset, which is uploaded again, one whose name looks as if it did says so too; or `every_part`.
    With it, a column of several kinds says that its cells are JSON, and so does one whose name looks as if it did.
    A name that is taken even so gets a number: no two headers are equal.
    """

    def __init__(
        self,
        columns: dict[str, list[str]],
        runs: Sequence[RunHeader] | None,
        kinds: Kinds | None = None,
        every_part: bool = False,
        is_table: bool = True,
    ):
        self.runs, self.kinds = runs, kinds or {}
        self.parts = [(part, name) for part in PARTS for name in columns.get(part, ())]
        fixed: Header = [("key", str)] if runs is None else [("position", int), ("key", str)]
        answers = [column for run in runs or () for column in run.header]
        names = Counter(name for _, name in self.parts)
        taken = {name for name, count in names.items() if count > 1}
        taken |= {name for name, _ in (*fixed, *answers)}
        taken |= {name for name in names if every_part or (runs is None and part_of(name))}
        mixed = {column for column, each in self.kinds.items() if each is object and every_part}
        self.typed = mixed | {
            (part, name) for part, name in self.parts if name in taken and name.endswith(json_cells.SUFFIX)
        }
        self.typed &= {*self.parts} if is_table and runs is None else set()
        shown = [self._shown(column, column[1] in taken) for column in self.parts]
        header = [
            *fixed,
            *zip(shown, map(self._kind, self.parts), strict=True),
            *answers,
        ]
        unique = stretches.unique_names([name for name, _ in header])
        self.header: Header = [(name, kind) for name, (_, kind) in zip(unique, header, strict=True)]
        own = unique[len(fixed) : len(fixed) + len(shown)]
        self.names = dict(zip(self.parts, own, strict=True))

    def _shown(self, column: tuple[str, str], with_part: bool) -> str:
        named = ".".join(column) if with_part else column[1]
        return f"{named}{json_cells.SUFFIX}" if column in self.typed else named

    def _kind(self, column: tuple[str, str]) -> Kind:
        """The kind of the column in the file."""
        kind = self.kinds.get(column, str)
        return str if kind is object or column in self.typed else kind

    def named(self, part: str, objects: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
        """Objects of a part by the names that its columns have here."""
        renamed = {
            name: shown for (owner, name), shown in self.names.items() if owner == part and name != shown
        }
        if not renamed:
            return objects
        return [{renamed.get(name, name): value for name, value in each.items()} for each in objects]

    def columns(self, stretch: Stretch) -> list[Sequence[Any]]:
        """One for each name. In tables of runs an example without a key has its position there."""
        parsed = {part: stretch.parsed(part) for part in PARTS}
        cells = [
            self._cells((part, name), [each.get(name) for each in parsed[part]]) for part, name in self.parts
        ]
        if self.runs is None:
            return [stretch.keys, *cells]
        keys = [
            str(position) if key is None else key
            for key, position in zip(stretch.keys, stretch.positions, strict=True)
        ]
        answers = [
            column for head, run in zip(self.runs, stretch.runs, strict=True) for column in head.columns(run)
        ]
        return [stretch.positions, keys, *cells, *answers]

    def _cells(self, column: tuple[str, str], values: list[JSON]) -> Sequence[JSON]:
        """Texts, unless the column of the file has another type."""
        if column in self.typed:
            return list(map(json_cells.cell_of, values))
        return as_cells(values) if self._kind(column) is str else values


def as_cells(values: Sequence[JSON]) -> Sequence[str | None]:
    """The values of a column as the texts of its cells; nearly always they are texts already."""
    if {*map(type, values)} <= {str, NoneType}:
        return cast(Sequence[str | None], values)
    return list(map(text_of, values))


def _tabular(kind: str, table: Table, read: Iterator[Stretch], options: Options) -> Iterator[bytes]:
    columns = map(table.columns, read)
    if kind in WRITERS:
        # Imported by name, because the library of Parquet is an extra that may be absent.
        return importlib.import_module(f"evaluations.results.{WRITERS[kind]}").write(table.header, columns)
    return csv_file(table.header, columns, options)
