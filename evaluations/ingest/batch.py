"""The batches that every reader yields: valid rows in file order, some hundred at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .record import JSON, Record

ROWS = 1_000
SIZE = 8_000_000
Row = dict[str, JSON]


@dataclass(frozen=True)
class Objects:
    """Rows whose fields may differ. `lines[i]` is the line where `rows[i]` begins; in Parquet, the row's number."""

    lines: Sequence[int]
    rows: Sequence[Row]

    def column(self, name: str) -> Sequence[JSON]:
        """The value of each row, None if it has none."""
        return [row.get(name) for row in self.rows]

    def only(self, names: Iterable[str]) -> Sequence[Row]:
        """The rows with only these fields, as far as they have them."""
        return [{name: row[name] for name in names if name in row} for row in self.rows]


@dataclass(frozen=True)
class Table:
    """Rows with the same fields, stored by column, so that no object is built for each row."""

    lines: Sequence[int]
    columns: dict[str, Sequence[JSON]]

    @property
    def rows(self) -> Sequence[Row]:
        return self.only(self.columns)

    def column(self, name: str) -> Sequence[JSON]:
        return self.columns.get(name) or [None] * len(self.lines)

    def only(self, names: Iterable[str]) -> Sequence[Row]:
        present = [name for name in names if name in self.columns]
        if not present:
            return [{} for _ in self.lines]
        cells = zip(*(self.columns[name] for name in present), strict=True)
        return [dict(zip(present, row, strict=True)) for row in cells]


Batch = Objects | Table


def batched(records: Callable[..., Iterator[Record]]) -> Callable[..., Iterator[Objects]]:
    """Group a reader's records in batches of up to a thousand, fewer if they are large."""

    def batches(*arguments: Any) -> Iterator[Objects]:
        *_, problems = arguments
        lines, rows, size, begin = [], [], 0, 0
        for number, line, row, length in records(*arguments):
            problems.rows, size = number, size + length
            problems.characters += length
            if row is not None:
                lines.append(line)
                rows.append(row)
            if number - begin == ROWS or size > SIZE:
                yield Objects(lines, rows)
                lines, rows, size, begin = [], [], 0, number
        yield Objects(lines, rows)

    return batches
