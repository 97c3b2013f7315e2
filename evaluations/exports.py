"""A run, or a dataset, as a file: streamed stretch by stretch, complete, in the order of the examples."""

import csv
import importlib
import importlib.util
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from . import datasets, results
from .columns import CHUNK
from .datasets import PARTS
from .errors import Invalid
from .models import Dataset, Run, Scoring
from .results import Row, Score
from .values import JSON, canonical_json

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
RUNS_IN_A_SPREADSHEET = ("=", "+", "-", "@", "\t", "\r", "\n", "\x00", "＝", "＋", "－", "＠")
Cells = dict[str, Any]


def of_run(run: Run, kind: str, *, safe: bool = True) -> Iterator[bytes]:
    """The run as "csv", "jsonl" or "parquet". `safe`: no CSV cell runs in a spreadsheet."""
    scorings = results.scorings_of(run)
    if kind == "jsonl":
        return _jsonl(_as_object(row) for rows in _stretches(run, scorings) for row in rows)
    table = Table(
        run.experiment.dataset.columns, [scoring.evaluator_version.evaluator.name for scoring in scorings]
    )
    return _tabular(kind, table.header, (map(table.cells, rows) for rows in _stretches(run, scorings)), safe)


def of_dataset(
    dataset: Dataset, kind: str, *, safe: bool = True, version: int | None = None
) -> Iterator[bytes]:
    """A version of a dataset (else the newest); uploading the file again gives the same texts."""
    stretches = _examples(dataset, version)
    if kind == "jsonl":
        return _jsonl({"key": row.key} | _merged(row) for rows in stretches for row in rows)
    table = Table(dataset.columns, None)
    return _tabular(kind, table.header, (map(table.cells, rows) for rows in stretches), safe)


def check(kind: str) -> str:
    """The media type of a format; raises `Invalid` for one that cannot be written here."""
    if kind not in TYPES:
        raise Invalid("unknown_format", f"There is no format “{kind}”; there are {', '.join(TYPES)}.")
    if kind == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise Invalid("parquet_not_installed", "Parquet needs the extra: pip install evalsite[parquet].")
    return TYPES[kind]


# ---- rows --------------------------------------------------------------------------------------------------


def _stretches(run: Run, scorings: Sequence[Scoring]) -> Iterator[list[Row]]:
    for first in range(1, run.experiment.dataset.last_position + 1, CHUNK):
        yield results.rows_between(run, first, first + CHUNK - 1, scorings)


def _examples(dataset: Dataset, version: int | None) -> Iterator[list[Row]]:
    for first in range(1, dataset.last_position + 1, CHUNK):
        found = datasets.examples(dataset, version).filter(position__gte=first, position__lt=first + CHUNK)
        yield [results.row(example, None, {}) for example in found]


def _as_object(row: Row) -> dict[str, JSON]:
    scores = {name: asdict(score) for name, score in row.scores.items()}
    parts = {part: getattr(row, part) for part in PARTS}
    return {"position": row.position, "key": row.key, **parts, "output": row.output, "scores": scores}


def _merged(row: Row) -> dict[str, JSON]:
    """The columns of all parts side by side, as they were uploaded."""
    return {
        name: value for part in PARTS for name, value in datasets.by_column(part, getattr(row, part)).items()
    }


class Table:
    """A header and, for each row, its cells; a name that occurs twice says which part it belongs to."""

    def __init__(self, columns: dict[str, list[str]], evaluators: Sequence[str] | None):
        self.columns = [(part, name) for part in PARTS for name in columns.get(part, ())]
        self.evaluators = evaluators
        scores = [f"{name}{suffix}" for name in evaluators or () for suffix in ("", " passed", " status")]
        fixed = ["key"] if evaluators is None else ["position", "key"]
        names = [name for _, name in self.columns]
        taken = {name for name in names if names.count(name) > 1} | {*fixed, *scores, "output"}
        plain = [f"{part}.{name}" if name in taken else name for part, name in self.columns]
        self.header = [*fixed, *plain, *(["output"] if evaluators is not None else []), *scores]

    def cells(self, row: Row) -> list[Any]:
        parts = {part: datasets.by_column(part, getattr(row, part)) for part in PARTS}
        texts = [as_cell(parts[part].get(name)) for part, name in self.columns]
        if self.evaluators is None:
            return [row.key, *texts]
        none = Score(None, None, "")
        scores = (row.scores.get(name, none) for name in self.evaluators)
        flat = [cell for score in scores for cell in (score.value, score.passed, score.status)]
        return [row.position, row.key, *texts, as_cell(row.output), *flat]


def as_cell(value: JSON) -> str | None:
    """A value as the text of a cell: a text as it is, null as nothing, all else as JSON."""
    return value if isinstance(value, str) or value is None else canonical_json(value)


# ---- formats -----------------------------------------------------------------------------------------------


def _jsonl(objects: Iterator[dict[str, JSON]]) -> Iterator[bytes]:
    lines: list[bytes] = []
    for each in objects:
        lines.append(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE))
        if len(lines) >= 500:
            yield b"".join(lines)
            lines.clear()
    yield b"".join(lines)


def _tabular(
    kind: str, header: list[str], stretches: Iterator[Iterator[list]], safe: bool
) -> Iterator[bytes]:
    if kind == "parquet":
        # Imported by name, because its library is an extra that may be absent.
        return importlib.import_module("evaluations.parquet").write(header, stretches)
    return _csv(header, stretches, safe)


def _csv(header: list[str], stretches: Iterator[Iterator[list]], safe: bool) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([guarded(name) for name in header] if safe else header)
    for rows in stretches:
        writer.writerows([guarded(cell) for cell in row] for row in rows) if safe else writer.writerows(rows)
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()


def guarded(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula, behind an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RUNS_IN_A_SPREADSHEET) else cell
