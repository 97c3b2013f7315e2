"""The benchmark's work as a bare script: one process, plain tables, a library call if there is one.

It has no checks, leases, versions, pages or explanations, so the remaining time is the cost of Evalsite itself.
"""

import csv
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import add, eq
from pathlib import Path
from typing import Any, TypeVar

from django.db import connection
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

ROWS = 100_000
BATCH = 4_000
COLUMNS = ("id", "question", "reference", "answer")
TABLE = "evalsite_benchmark_floor"
Row = tuple[int | str, ...]
T = TypeVar("T")


def seconds(file: Path, folder: Path) -> dict[str, float]:
    """Seconds per row by stage ("parse", "insert", "read", "score"), over the first 100 000 rows of the file."""
    spent: dict[str, float] = {}
    spent["parse"], rows = _timed(lambda: _parsed(file))
    store = _PostgreSQL() if connection.vendor == "postgresql" else _SQLite(folder / "floor.sqlite3")
    try:
        spent["insert"], _ = _timed(lambda: store.insert(rows))
        spent["read"], pairs = _timed(lambda: list(store.read(len(rows))))
    finally:
        store.drop()
    spent["score"], _ = _timed(lambda: [_scores(batch) for batch in pairs])
    return {stage: total / len(rows) for stage, total in spent.items()}


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def _parsed(file: Path) -> list[Row]:
    with file.open(newline="") as source:
        reader = csv.reader(source)
        next(reader)
        return [(number, *row) for number, row in enumerate(islice(reader, ROWS), start=1)]


class _SQLite:
    def __init__(self, path: Path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.connection.execute(f"CREATE TABLE {TABLE} (n integer primary key, {', '.join(COLUMNS)})")

    def insert(self, rows: Sequence[Row]) -> None:
        self.connection.execute("BEGIN")
        self.connection.executemany(f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?)", rows)
        self.connection.execute("COMMIT")

    def read(self, count: int) -> Iterator[list[tuple[str, str]]]:
        for first in range(1, count + 1, BATCH):
            query = f"SELECT answer, reference FROM {TABLE} WHERE n BETWEEN ? AND ?"
            yield self.connection.execute(query, (first, first + BATCH - 1)).fetchall()

    def drop(self) -> None:
        self.connection.close()


class _PostgreSQL:
    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE TABLE {TABLE} (n integer primary key, {', '.join(f'{c} text' for c in COLUMNS)})"
            )

    def insert(self, rows: Sequence[Row]) -> None:
        with connection.cursor() as cursor, cursor.copy(f"COPY {TABLE} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def read(self, count: int) -> Iterator[list[tuple[str, str]]]:
        with connection.cursor() as cursor:
            for first in range(1, count + 1, BATCH):
                query = f"SELECT answer, reference FROM {TABLE} WHERE n BETWEEN %s AND %s"
                cursor.execute(query, (first, first + BATCH - 1))
                yield cursor.fetchall()

    def drop(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {TABLE}")


def _scores(pairs: Sequence[tuple[str, str]]) -> list[Sequence[float] | NDArray[Any]]:
    """Scores by exact match, both Levenshteins, Jaccard of words and Dice of character pairs."""
    actual, expected = zip(*pairs, strict=True)
    return [
        list(map(eq, actual, expected)),
        cpdist(actual, expected, scorer=Levenshtein.normalized_similarity, workers=1),
        cpdist(actual, expected, scorer=Levenshtein.distance, workers=1),
        list(map(_jaccard, actual, expected)),
        list(map(_dice, actual, expected)),
    ]


def _jaccard(a: str, b: str) -> float:
    x, y = set(a.split()), set(b.split())
    return len(x & y) / (len(x | y) or 1)


def _dice(a: str, b: str) -> float:
    x, y = Counter(map(add, a, a[1:])), Counter(map(add, b, b[1:]))
    return 2 * sum(map(min, x.values(), map(y.__getitem__, x))) / ((len(a) + len(b) - 2) or 1)
