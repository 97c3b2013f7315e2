"""Measures our reading and writing of files against libraries for the same tasks.

Each way reads the same bytes into rows, or writes the same rows. ijson is measured if it is installed.
"""

import csv
import io
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pyarrow.csv

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import Problems
from evaluations.ingest.csv_blocks import Blocks
from evaluations.ingest.json_array import records
from evaluations.results.csv_writer import Options, csv_file

Row = list[str]
Ways = dict[str, Callable[[], Any]]
HEADER = ("id", "question", "answer", "reference")
TURNS = 5
AT_ONCE = 4_000  # rows, as in an export
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "while",
    "it",
    "rained",
    "in",
    "Lima",
    "and",
    "nobody",
    "knew",
    "why",
]


# number of words in a text, and the share of texts that need quotes in CSV
SHAPES = {"short texts": (2, 6, 0.1), "long texts": (5, 90, 0.0), "long texts, quoted": (5, 90, 0.5)}


def rows(count: int, shape: str, seed: int = 1) -> list[Row]:
    """Rows of random texts; quoted ones contain a comma, quotes and sometimes a line break."""
    chance = random.Random(seed)
    return [[f"r{n}", *(_text(chance, *SHAPES[shape]) for _ in HEADER[1:])] for n in range(count)]


def _text(chance: random.Random, fewest: int, maximum: int, quoted: float) -> str:
    text = " ".join(chance.choices(WORDS, k=chance.randint(fewest, maximum)))
    if chance.random() >= quoted:
        return text
    return chance.choice([f'{text}, "yes"', f"{text},\nand so on"])


def tasks(sample: Sequence[Row]) -> dict[str, Ways]:
    """The measured ways to do each task, ours first."""
    table = _csv_by_ours(sample)
    array = json.dumps([dict(zip(HEADER, row, strict=True)) for row in sample]).encode()
    return {
        "read CSV": {
            "ours": lambda: [row for block in _blocks(table) for row in block.rows][1:],
            "csv": lambda: [*csv.reader(io.StringIO(table.decode(), newline=""))][1:],
            "pyarrow": lambda: _csv_by_pyarrow(table),
        },
        "write CSV": {
            "ours": lambda: _csv_by_ours(sample),
            "csv": lambda: _csv_by_writer(sample),
            "pyarrow": lambda: _written_by_pyarrow(sample),
        },
        "read a JSON array": {
            "ours": lambda: _objects(array),
            **_by_ijson(array),
            "json, whole in memory": lambda: json.loads(array),
        },
    }


def measure(count: int) -> list[str]:
    """A line for each way and task: thousands of rows a second, the best of several turns."""
    return [line for shape in SHAPES for line in _measured(shape, count)]


def _measured(shape: str, count: int) -> Iterator[str]:
    for task, ways in tasks(rows(count, shape)).items():
        best = dict.fromkeys(ways, float("inf"))
        for name, way in [*ways.items()] * TURNS:
            started = time.process_time()
            way()
            best[name] = min(best[name], time.process_time() - started)
        for name, seconds in best.items():
            yield f"{shape:<22}{task:<20}{name:<24}{count / seconds / 1_000:>8,.0f}"


# ---- the ways ----------------------------------------------------------------------------------------------


def _blocks(table: bytes) -> Blocks:
    return Blocks(io.BytesIO(table), Format("csv"), Limits(), Problems())


def _csv_by_pyarrow(table: bytes) -> list[Row]:
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(HEADER, pa.string()))
    read = pyarrow.csv.read_csv(io.BytesIO(table), parse_options=parsing, convert_options=texts)
    return [list(row) for row in zip(*read.to_pydict().values(), strict=True)]


def _csv_by_ours(sample: Sequence[Row]) -> bytes:
    stretches = (sample[first : first + AT_ONCE] for first in range(0, len(sample), AT_ONCE))
    columns: Iterator[list[Sequence[Any]]] = ([*zip(*stretch, strict=True)] for stretch in stretches)
    return b"".join(csv_file([(name, str) for name in HEADER], columns, Options(safe=False, bom=False)))


def _csv_by_writer(sample: Sequence[Row]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(HEADER)
    writer.writerows(sample)
    return file.getvalue().encode()


def _written_by_pyarrow(sample: Sequence[Row]) -> bytes:
    file = io.BytesIO()
    columns = [pa.array(column) for column in zip(*sample, strict=True)]
    pyarrow.csv.write_csv(pa.table(columns, names=list(HEADER)), file)
    return file.getvalue()


def _objects(array: bytes) -> list[Any]:
    return [row for *_, row, _ in records(io.BytesIO(array), Format("json"), Limits(), Problems())]


def _by_ijson(array: bytes) -> Ways:
    if find_spec("ijson") is None:
        return {}
    ijson: Any = import_module("ijson")
    return {f"ijson ({ijson.backend_name})": lambda: [*ijson.items(io.BytesIO(array), "item")]}
