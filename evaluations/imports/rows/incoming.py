"""The rows of a file during an import, as the columns to store; large files are read in a process of their own."""

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import compress, repeat, zip_longest
from typing import Any, BinaryIO, TypeVar

from evaluations import ingest
from evaluations.datasets import contents
from evaluations.datasets.contents import SIZE
from evaluations.values import PARTS, output_text

from ..columns import measure_columns, naming, score_columns
from ..columns.columnmap import IMPORTED_FIELDS, ColumnMap, OutputReader
from .read_ahead import read_ahead

AT_ONCE = 5_000
CHARACTERS = 16_000_000
LARGE = 4 * 1024 * 1024  # bytes; reading a smaller file takes less time than starting a process
Readers = list[tuple[str, OutputReader]]
Fields = tuple[int | str | None, ...]
Text = TypeVar("Text", str, str | None)


@dataclass
class Outputs:
    """Outputs of a variant as columns; `texts` are None for rows without output, `scores` are empty or JSON objects.

    `measured` is what each answer took, by the column of a table, if the file says so.
    """

    texts: list[str | None] = field(default_factory=list)
    are_json: list[bool] = field(default_factory=list)
    scores: list[str | None] = field(default_factory=list)
    measured: dict[str, list[int | None]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of rows with an output."""
        return len(self.texts) - self.texts.count(None)

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns of the table of outputs that say what an answer took, behind those of `IMPORTED_FIELDS`."""
        return tuple(name for name in measure_columns.OF_OUTPUT if name in self.measured)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The values of the rows: text, whether it is JSON, scores, and those of `beside`."""
        taken = [self.measured[name] for name in self.beside]
        return zip(self.texts, self.are_json, self.scores or repeat(None), *taken, strict=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns of `rows_of`. Scores only where there are some, because storing nulls takes time, too."""
        return (IMPORTED_FIELDS if self.scores else IMPORTED_FIELDS[:-1]) + self.beside

    def rows_of(self, run: int, first: int) -> Iterator[Fields]:
        """Rows for the table of outputs, from the position `first`; those without output and score are left out.

        The score that a file gives to an empty output is what silence is worth, if that is worse than all answers.
        """
        positions = range(first, first + len(self.texts))
        columns: list[Iterable[Any]] = [repeat(run), positions, self.texts, self.are_json]
        columns += [self.scores] if self.scores else []
        columns += [self.measured[name] for name in self.beside]
        said = zip_longest(self.texts, self.scores)
        return compress(
            zip(*columns, strict=False), (text is not None or score is not None for text, score in said)
        )

    def keep(self, rows: list[int]) -> None:
        columns: list[list[Any]] = [self.texts, self.are_json, self.scores, *self.measured.values()]
        for column in columns:
            _keep(column, rows)


class Pending:
    """A batch of rows as columns: lines, keys, texts of parts, and outputs by variant.

    `bytes_read` is how far into the file they reach. `batches` are the rows as read, stored only if they may be
    refused. `names` and `contents` are digests of 16 bytes, `hashes` are comparable within one file; each if requested.
    """

    def __init__(
        self, keep_rows: bool, with_digests: bool = False, with_hashes: bool = False, is_flat: bool = False
    ) -> None:
        self.keep_rows, self.with_digests = keep_rows, with_digests
        self.with_hashes, self.is_flat = with_hashes, is_flat
        self.batches: list[ingest.Batch] = []
        self.lines = array("I")
        self.keys: list[str | None] = []
        self.parts: dict[str, list[str]] = {part: [] for part in PARTS}
        self.outputs = defaultdict[str, Outputs](Outputs)
        self.variants: list[str | None] = []  # the variant of each row, if rows name it
        self.labels: list[str | None] = []  # what the rater of each row said, if rows name raters
        self.identities: list[int] = []  # a hash for each row, equal for rows of the same example
        self.names, self.contents, self.hashes = bytearray(), bytearray(), array("q")
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
        self.lines.extend(batch.lines)
        self.keys += columns.key_texts(batch)
        for part in PARTS:
            self._add(self.parts[part], columns.part_texts(batch, part))
        self._add_digests(len(self.lines) - len(batch.lines))
        if columns.variant:
            by_order = columns.repeats == "order"  # then they are counted when their examples are known
            self.variants += [""] * len(batch.lines) if by_order else naming.texts(batch, columns.variant)
            self.identities += self._identities(len(self.lines) - len(batch.lines))
            self.labels += naming.texts(batch, columns.label) if columns.label else []
        for variant, of_batch in readers:
            texts, are_json = zip(*map(output_text, of_batch(batch)), strict=True)
            self._add(self.outputs[variant].texts, texts)
            self.outputs[variant].are_json += are_json
        for variant, named in score_columns.by_variant(columns.scores).items():
            self.outputs[variant].scores += score_columns.texts(batch, named, columns.decimal)
        for variant, measures in measure_columns.by_variant(columns.measures).items():
            for name, numbers in measure_columns.numbers(batch, measures).items():
                self.outputs[variant].measured.setdefault(name, []).extend(numbers)

    def _add_digests(self, since: int) -> None:
        parts = {part: texts[since:] for part, texts in self.parts.items()}
        if self.with_hashes:
            self.hashes.extend(contents.hashes(parts, self.is_flat))
        if self.with_digests:
            content_digests = contents.digests(parts)
            self.names += contents.names(self.keys[since:], content_digests)
            self.contents += b"".join(content_digests)

    def _identities(self, since: int) -> list[int]:
        """A hash over the key and all parts of the example, for each row."""
        columns: list[Sequence[str | None]] = [self.keys, *self.parts.values()]
        rows = zip(*(column[since:] for column in columns), strict=True)
        # A key cannot be confused with a part, because parts are JSON objects.
        texts = ("\0".join(text or "" for text in row).encode() for row in rows)
        return [int.from_bytes(blake2b(text, digest_size=16).digest()) for text in texts]

    def _add(self, column: list[Text], texts: Sequence[Text]) -> None:
        column += texts
        self.characters += sum(map(len, filter(None, texts)))

    def examples(self, dataset: int, first: int, version: int) -> Iterator[Fields]:
        """Rows for the table of examples, with the columns `datasets.EXAMPLE_FIELDS`."""
        positions = range(first, first + len(self))
        return zip(repeat(dataset), positions, self.keys, *self.parts.values(), repeat(version))

    def up_to(self, bytes_read: int) -> "Pending":
        self.bytes_read = bytes_read
        return self

    def keep(self, rows: list[int]) -> None:
        """Drop the rows except those at these indices."""
        for column in (self.lines, self.keys, self.variants, self.labels, self.identities, self.hashes):
            _keep(column, rows)
        for texts in self.parts.values():
            _keep(texts, rows)
        for outputs in self.outputs.values():
            outputs.keep(rows)
        for digests in (self.names, self.contents):
            if digests:
                digests[:] = b"".join(digests[SIZE * row : SIZE * (row + 1)] for row in rows)
        if self.batches:
            cells = self.rows
            self.batches = [ingest.Objects(range(len(rows)), [cells[row] for row in rows])]


def _keep(column: MutableSequence[Any], rows: list[int]) -> None:
    """Keep the values of these rows, which ascend; does nothing if the column is empty."""
    if column:
        for index, row in enumerate(rows):
            column[index] = column[row]
        del column[len(rows) :]


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
    with_digests: bool = False,
    with_hashes: bool = False,
) -> Generator[Pending | Report, None, None]:
    """Yield thousands of rows at a time, then the report; raises `ingest.FileError` and `read_ahead.ProcessEnded`."""
    arguments = (file, fmt, limits, columns, keep_rows, with_digests, with_hashes)
    return read_ahead(_read, *arguments) if size > LARGE else _read(*arguments)


def _read(
    file: BinaryIO,
    fmt: ingest.Format,
    limits: ingest.Limits,
    columns: ColumnMap,
    keep_rows: bool,
    with_digests: bool,
    with_hashes: bool,
) -> Generator[Pending | Report, None, None]:
    reader, readers = ingest.open_rows(file, fmt, limits), columns.readers()
    is_flat = fmt.kind == "csv" and not columns.paths  # Cells are texts, in the same order in every row.
    begin = partial(Pending, keep_rows, with_digests, with_hashes, is_flat)
    pending = begin()
    for batch in reader.batches():
        if batch.lines:
            pending.add(batch, columns.with_remaining(reader.columns), readers)
        # Yield batches without rows too: they report progress, which extends the lease.
        if pending.is_full or not batch.lines:
            yield pending.up_to(reader.bytes_read)
            pending = begin()
    yield pending.up_to(reader.bytes_read)
    yield Report.from_reader(reader)
