"""A run, or a dataset, as a file: streamed stretch by stretch, complete, in the order of the examples."""

import importlib
import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from types import NoneType
from typing import Any

import orjson

from evaluations.datasets.datasets import PARTS
from evaluations.errors import Invalid
from evaluations.models import Dataset, Run
from evaluations.scoring import stretches
from evaluations.scoring.stretches import ScoreColumn, Stretch
from evaluations.spreadsheet import guarded
from evaluations.values import JSON, text_of

from . import results

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
Header = Sequence[tuple[str, type]]
SCORE_COLUMNS = {"": float, " passed": bool, " status": str}


def of_run(run: Run, kind: str, *, safe: bool = True) -> Iterator[bytes]:
    """The run as "csv", "jsonl" or "parquet". `safe`: no CSV cell runs in a spreadsheet."""
    scorings = results.scorings_of(run)
    read = stretches.of_run(run, scorings)
    if kind == "jsonl":
        return map(_rows_as_lines, read)
    names = [scoring.evaluator_version.evaluator.name for scoring in scorings]
    return _tabular(kind, Table(run.experiment.dataset.columns, names), read, safe)


def of_dataset(
    dataset: Dataset, kind: str, *, safe: bool = True, version: int | None = None
) -> Iterator[bytes]:
    """A version of a dataset (else the newest); uploading the file again gives the same texts."""
    read = stretches.of_dataset(dataset, version or dataset.version)
    table = Table(dataset.columns, None)
    if kind == "jsonl":
        return (_examples_as_lines(table, stretch) for stretch in read)
    return _tabular(kind, table, read, safe)


def check(kind: str) -> str:
    """The media type of a format; raises `Invalid` for one that cannot be written here."""
    if kind not in TYPES:
        raise Invalid("unknown_format", f"There is no format “{kind}”; there are {', '.join(TYPES)}.")
    if kind == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise Invalid("parquet_not_installed", "Parquet needs the extra: pip install evalsite[parquet].")
    return TYPES[kind]


# ---- JSON lines --------------------------------------------------------------------------------------------


def _rows_as_lines(stretch: Stretch) -> bytes:
    """Examples with output and scores; the parts go out as they are stored."""
    scores = (_score_objects(column) for column in stretch.scores.values())
    by_row = zip(*scores, strict=True) if stretch.scores else repeat(())
    parts = (map(orjson.Fragment, stretch.parts[part]) for part in PARTS)
    return _lines(
        {
            "position": position,
            "key": key,
            "inputs": inputs,
            "reference": reference,
            "metadata": metadata,
            "output": output,
            "scores": {name: score for name, score in zip(stretch.scores, row, strict=True) if score},
        }
        for position, key, inputs, reference, metadata, output, row in zip(
            stretch.positions, stretch.keys, *parts, stretch.outputs, by_row, strict=False
        )
    )


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


def _lines(objects: Iterable[dict[str, Any]]) -> bytes:
    return b"".join([orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in objects])


# ---- tables ------------------------------------------------------------------------------------------------


class Table:
    """The header (names and types) and the columns; a name that occurs twice says which part it belongs to."""

    def __init__(self, columns: dict[str, list[str]], evaluators: Sequence[str] | None):
        self.evaluators = evaluators
        self.parts = [(part, name) for part in PARTS for name in columns.get(part, ())]
        scores = [
            (f"{name}{suffix}", of) for name in evaluators or () for suffix, of in SCORE_COLUMNS.items()
        ]
        fixed = [("key", str)] if evaluators is None else [("position", int), ("key", str)]
        output = [] if evaluators is None else [("output", str)]
        names = Counter(name for _, name in self.parts)
        taken = {name for name, count in names.items() if count > 1}
        taken |= {name for name, _ in (*fixed, *output, *scores)}
        self.names = {(part, name): f"{part}.{name}" if name in taken else name for part, name in self.parts}
        self.header = [*fixed, *((name, str) for name in self.names.values()), *output, *scores]

    def named(self, part: str, objects: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
        """Objects of a part by the names that its columns have here."""
        renamed = {name: shown for (of, name), shown in self.names.items() if of == part and name != shown}
        if not renamed:
            return objects
        return [{renamed.get(name, name): value for name, value in each.items()} for each in objects]

    def columns(self, stretch: Stretch) -> list[Sequence[Any]]:
        """One for each name."""
        parsed = {part: stretch.parsed(part) for part in PARTS}
        texts = [as_cells([each.get(name) for each in parsed[part]]) for part, name in self.parts]
        if self.evaluators is None:
            return [stretch.keys, *texts]
        found = (stretch.scores[name] for name in self.evaluators)
        scores = [column for score in found for column in (score.values, score.passed, score.statuses)]
        return [stretch.positions, stretch.keys, *texts, as_cells(stretch.outputs), *scores]


def as_cells(values: Sequence[JSON]) -> Sequence[str | None]:
    """The values of a column as the texts of its cells; nearly always they are texts already."""
    if {*map(type, values)} <= {str, NoneType}:
        return values
    return list(map(text_of, values))


def _tabular(kind: str, table: Table, read: Iterator[Stretch], safe: bool) -> Iterator[bytes]:
    columns = map(table.columns, read)
    if kind == "parquet":
        # Imported by name, because its library is an extra that may be absent.
        return importlib.import_module("evaluations.results.parquet_writer").write(table.header, columns)
    return _csv(table.header, columns, safe)


# ---- CSV ---------------------------------------------------------------------------------------------------


def _csv(header: Header, stretches: Iterator[list[Sequence[Any]]], safe: bool) -> Iterator[bytes]:
    """As `csv.writer` has it, which takes ten times as long: it looks at every character by itself."""
    spell = {str: _quoted_safely if safe else quoted, int: _plain, float: _plain, bool: _plain}
    yield _csv_lines([spell[str]([name]) for name, _ in header])
    for columns in stretches:
        yield _csv_lines([spell[of](column) for (_, of), column in zip(header, columns, strict=True)])


def _quoted_safely(column: Sequence[str | None]) -> list[str]:
    return quoted(map(guarded, column))


def quoted(cells: Iterable[str | None]) -> list[str]:
    """Cells, between quotation marks where they would be read as several."""
    return [
        '"' + cell.replace('"', '""') + '"'
        if "," in cell or '"' in cell or "\n" in cell or "\r" in cell
        else cell
        for cell in [cell or "" for cell in cells]
    ]


def _plain(column: Sequence[float | bool | None]) -> Iterable[str]:
    """Numbers and verdicts as their texts; what a column repeats, as scores do, is spelt once."""
    known = {value: "" if value is None else repr(value) for value in set(column)}
    return map(known.__getitem__, column)


def _csv_lines(columns: Iterable[Iterable[str]]) -> bytes:
    return "".join([f"{','.join(cells)}\r\n" for cells in zip(*columns, strict=True)]).encode()
