"""The rows of a file during an import, as the columns to store; large files are read in a process of their own."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import repeat
from typing import Any, BinaryIO, TypeVar

from evaluations import ingest
from evaluations.datasets import contents
from evaluations.datasets.contents import SIZE
from evaluations.values import PARTS, output_text

from . import score_columns
from .columnmap import ColumnMap, OutputReader, key_texts
from .read_ahead import read_ahead

AT_ONCE = 5_000
CHARACTERS = 16_000_000
LARGE = 4 * 1024 * 1024  # bytes; reading a smaller file takes less time than starting a process
Readers = list[tuple[str, OutputReader]]
Fields = tuple[int | str | None, ...]
T = TypeVar("T")


class Pending:
    """A batch of rows as columns: lines, keys, texts of parts, and outputs (text, is JSON) by variant.

    `bytes_read` is how far into the file they reach. `batches` are the rows as read, stored only if they may be
    refused. Digests without names are compared within one file only, so flat rows are digested as plain texts.
    """

    def __init__(
        self, keep_rows: bool, with_contents: bool = False, with_names: bool = True, is_flat: bool = False
    ) -> None:
        self.keep_rows, self.with_contents = keep_rows, with_contents
        self.with_names, self.is_flat = with_names, is_flat
        self.batches: list[ingest.Batch] = []
        self.lines: list[int] = []
        self.keys: list[str | None] = []
        self.parts: dict[str, list[str]] = {part: [] for part in PARTS}
        self.outputs: dict[str, list[tuple[str | None, bool]]] = {}
        self.scores: dict[str, list[str | None]] = {}  # scores by variant, as JSON objects
        self.variants: list[str | None] = []  # the variant of each row, if rows name it
        self.identities: list[int] = []  # a hash for each row, equal for rows of the same example
        self.names, self.contents = bytearray(), bytearray()  # digests, if requested
        self.characters = self.bytes_read = 0

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def is_full(self) -> bool:
        return len(self) >= AT_ONCE or self.characters >= CHARACTERS

    @property
    def rows(self) -> list[ingest.Row]:
        """The rows as they are in the file; empty unless `keep_rows`."""
        return [row for batch in self.batches for row in batch.rows]

    def add(self, batch: ingest.Batch, columns: ColumnMap, readers: Readers) -> None:
        if self.keep_rows:
            self.batches.append(batch)
        self.lines += batch.lines
        self.keys += columns.key_texts(batch)
        for part in PARTS:
            self._add(self.parts[part], columns.part_texts(batch, part))
        if self.with_contents:
            self._add_digests(len(self.lines) - len(batch.lines))
        if columns.variant:
            self.variants += key_texts(batch, columns.variant)
            self.identities += self._identities(len(self.lines) - len(batch.lines))
        for variant, of_batch in readers:
            outputs = list(map(output_text, of_batch(batch)))
            self.outputs.setdefault(variant, []).extend(outputs)
            self.characters += sum(len(text) for text, _ in outputs if text)
        for variant, named in score_columns.by_variant(columns.scores).items():
            self.scores.setdefault(variant, []).extend(score_columns.texts(batch, named))

    def _add_digests(self, since: int) -> None:
        parts = {part: texts[since:] for part, texts in self.parts.items()}
        alone = self.is_flat and not self.with_names
        own = contents.of_texts(parts) if alone else contents.digests(parts)
        if self.with_names:
            self.names += contents.names(self.keys[since:], own)
        self.contents += b"".join(own)

    def _identities(self, since: int) -> list[int]:
        """A hash over the key and all parts of the example, for each row."""
        columns: list[Sequence[str | None]] = [self.keys, *self.parts.values()]
        rows = zip(*(column[since:] for column in columns), strict=True)
        # A key cannot be confused with a part, because parts are JSON objects.
        texts = ("\0".join(text or "" for text in row).encode() for row in rows)
        return [int.from_bytes(blake2b(text, digest_size=16).digest()) for text in texts]

    def _add(self, column: list[str], texts: list[str]) -> None:
        column += texts
        self.characters += sum(map(len, texts))

    def examples(self, dataset: int, first: int, version: int) -> Iterator[Fields]:
        """Rows for the table of examples, with the columns `datasets.EXAMPLE_FIELDS`."""
        places = range(first, first + len(self))
        return zip(repeat(dataset), places, self.keys, *self.parts.values(), repeat(version))

    def outputs_of(self, variant: str, run: int, first: int) -> list[Fields]:
        """Rows for the table of outputs, with the columns `IMPORTED_FIELDS`; rows without output are left out."""
        placed = enumerate(zip(self.outputs.get(variant, ()), self.scores_of(variant), strict=False), first)
        return [
            (run, place, text, is_json, scores)
            for place, ((text, is_json), scores) in placed
            if text is not None
        ]

    def scores_of(self, variant: str) -> Iterable[str | None]:
        """The scores of a variant's outputs, row by row."""
        return self.scores.get(variant) or repeat(None)

    def up_to(self, bytes_read: int) -> "Pending":
        self.bytes_read = bytes_read
        return self

    def keep(self, rows: list[int]) -> None:
        """Drop the rows except those at these indices."""
        _keep(self.lines, rows)
        _keep(self.keys, rows)
        for digests in (self.names, self.contents):
            if digests:
                digests[:] = b"".join(digests[SIZE * row : SIZE * (row + 1)] for row in rows)
        for texts in self.parts.values():
            _keep(texts, rows)
        for outputs in self.outputs.values():
            _keep(outputs, rows)
        for scores in self.scores.values():
            _keep(scores, rows)
        if self.batches:
            cells = self.rows
            self.batches = [ingest.Objects(range(len(rows)), [cells[row] for row in rows])]
        if self.variants:
            _keep(self.variants, rows)
            _keep(self.identities, rows)


def _keep(column: list[T], rows: list[int]) -> None:
    column[:] = [column[row] for row in rows]


@dataclass(frozen=True)
class Report:
    """The result of reading a file to its end."""

    columns: list[str]
    errors: list[dict[str, Any]]
    error_counts: dict[str, int]
    warnings: list[dict[str, Any]]
    refused: list[ingest.RefusedRow]

    @property
    def error_count(self) -> int:
        return sum(self.error_counts.values())

    @classmethod
    def from_reader(cls, reader: ingest.Reader) -> "Report":
        errors = [error.as_dict() for error in reader.errors]
        warnings = [warning.as_dict() for warning in reader.warnings]
        return cls(reader.columns, errors, dict(reader.error_counts), warnings, reader.refused)


def read(
    file: BinaryIO,
    size: int,
    fmt: ingest.Format,
    limits: ingest.Limits,
    columns: ColumnMap,
    keep_rows: bool = False,
    with_contents: bool = False,
    with_names: bool = True,
) -> Generator[Pending | Report, None, None]:
    """Yield thousands of rows at a time, then the report; raises `ingest.FileError` and `read_ahead.ProcessEnded`."""
    arguments = (file, fmt, limits, columns, keep_rows, with_contents, with_names)
    return read_ahead(_read, *arguments) if size > LARGE else _read(*arguments)


def _read(
    file: BinaryIO,
    fmt: ingest.Format,
    limits: ingest.Limits,
    columns: ColumnMap,
    keep_rows: bool,
    with_contents: bool,
    with_names: bool,
) -> Generator[Pending | Report, None, None]:
    reader, readers = ingest.open_rows(file, fmt, limits), columns.readers()
    is_flat = fmt.kind == "csv" and not columns.paths  # Cells are texts, in the same order in every row.
    begin = partial(Pending, keep_rows, with_contents, with_names, is_flat)
    pending = begin()
    for batch in reader.batches():
        if batch.lines:
            pending.add(batch, columns.with_rest(reader.columns), readers)
        # Yield batches without rows too: they report progress, which extends the lease.
        if pending.is_full or not batch.lines:
            yield pending.up_to(reader.bytes_read)
            pending = begin()
    yield pending.up_to(reader.bytes_read)
    yield Report.from_reader(reader)
