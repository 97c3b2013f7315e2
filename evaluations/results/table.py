"""The table of an exported file: header (names and types) and columns."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, cast

from evaluations import json_cells
from evaluations.ingest import suggest
from evaluations.ingest.suggest import part_of
from evaluations.scoring import answer_measures, stretches
from evaluations.scoring.stretches import RunColumns, Stretch
from evaluations.values import JSON, PARTS, text_of

from .column_kinds import Kind, Kinds
from .csv_writer import Header
from .words import Words

SCORE_COLUMNS = {"": float, " passed": bool, " status": str, " version": int}
LABEL = " label"  # of scores with words


@dataclass(frozen=True)
class RunHeader:
    """The columns of a run: the prefix of their names, and its evaluators with version numbers.

    `about` describes the variant in one line; if it is "", that column is absent. Generated runs have columns for
    latency, tokens, cost and failures. `words` are those behind the numbers of an evaluator, if it has any. `origin`
    says in every row which run and dataset it is of, so that a row that is copied elsewhere can be found again.
    """

    prefix: str
    versions: dict[str, int]
    about: str = ""
    is_generated: bool = False
    words: dict[str, Words] = field(default_factory=dict)
    origin: dict[str, int | str] = field(default_factory=dict)

    @property
    def header(self) -> Header:
        scores = [
            (f"{self.prefix}{name}{suffix}", kind)
            for name in self.versions
            for suffix, kind in (SCORE_COLUMNS | ({LABEL: str} if name in self.words else {})).items()
        ]
        about = [(f"{self.prefix}about", str)] if self.about else []
        names = answer_measures.COLUMNS if self.is_generated else {}
        measures = [(f"{self.prefix}{name}", kind) for name, kind in names.items()]
        origin: Header = [(f"{self.prefix}{name}", type(value)) for name, value in self.origin.items()]
        return [(f"{self.prefix}output", str), *scores, *measures, *about, *origin]

    def columns(self, run: RunColumns) -> Iterator[Sequence[Any]]:
        yield as_cells(run.outputs)
        for name, version in self.versions.items():
            scores = run.scores[name]
            yield from (scores.values, scores.passed, scores.statuses)
            yield [version if status else None for status in scores.statuses]
            if words := self.words.get(name):
                yield [None if value is None else words.get(value) for value in scores.values]
        yield from run.measures
        if self.about:
            yield [self.about] * len(run.outputs)
        for value in self.origin.values():
            yield [value] * len(run.outputs)


class Table:
    """The header (names and types) and the columns.

    A column gets the prefix of its part (`inputs.`) if another part or Evalsite has a column with that name. In a file
    of runs it does also if an upload would read its name alone as another part; in the file of a dataset, if its name
    looks like one with a prefix. With `every_part` all columns get it; then a column of several kinds gets the suffix
    `:json`, and so does one whose name looks as if it had it. If two headers are equal even so, the second gets a
    number.
    """

    def __init__(
        self,
        columns: dict[str, list[str]],
        runs: Sequence[RunHeader] | None,
        kinds: Kinds | None = None,
        every_part: bool = False,
        is_table: bool = True,
        origin: Mapping[str, int | str] | None = None,
    ):
        self.runs, self.kinds, self.origin = runs, kinds or {}, origin or {}
        self.parts = [(part, name) for part in PARTS for name in columns.get(part, ())]
        fixed: Header = [("key", str)] if runs is None else [("position", int), ("key", str)]
        answers = [column for run in runs or () for column in run.header]
        answers += [(name, type(value)) for name, value in self.origin.items()]
        prefixed = self._with_prefix([name for name, _ in (*fixed, *answers)], every_part)
        mixed = {column for column, kind in self.kinds.items() if kind is object and every_part}
        self.typed = mixed | {
            (part, name) for part, name in self.parts if name in prefixed and name.endswith(json_cells.SUFFIX)
        }
        self.typed &= {*self.parts} if is_table and runs is None else set()
        shown = [self._shown(column, column[1] in prefixed) for column in self.parts]
        header = [
            *fixed,
            *zip(shown, map(self._kind, self.parts), strict=True),
            *answers,
        ]
        unique = stretches.unique_names([name for name, _ in header])
        self.header: Header = [(name, kind) for name, (_, kind) in zip(unique, header, strict=True)]
        part_names = unique[len(fixed) : len(fixed) + len(shown)]
        self.names = dict(zip(self.parts, part_names, strict=True))

    def _with_prefix(self, fixed_names: list[str], every_part: bool) -> set[str]:
        """The names of columns that need the prefix of their part."""
        names = Counter(name for _, name in self.parts)
        repeated = {name for name, count in names.items() if count > 1}
        parted = {name for name in names if every_part or (self.runs is None and part_of(name))}
        return {*fixed_names} | repeated | parted | self._unclear()

    def _unclear(self) -> set[str]:
        """The names that would be read as another part."""
        outputs = [f"{run.prefix}output" for run in self.runs or ()]
        read = suggest.roles(["key", *(name for _, name in self.parts), *outputs])
        return {name for part, name in self.parts if read[name] != part}

    def _shown(self, column: tuple[str, str], with_part: bool) -> str:
        named = ".".join(column) if with_part else column[1]
        return f"{named}{json_cells.SUFFIX}" if column in self.typed else named

    def _kind(self, column: tuple[str, str]) -> Kind:
        """The type of a column in the file."""
        kind = self.kinds.get(column, str)
        return str if kind is object or column in self.typed else kind

    def named(self, part: str, objects: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
        """The objects of a part with the column names of this table."""
        renamed = {
            name: shown for (owner, name), shown in self.names.items() if owner == part and name != shown
        }
        if not renamed:
            return objects
        return [{renamed.get(name, name): value for name, value in fields.items()} for fields in objects]

    def columns(self, stretch: Stretch) -> list[Sequence[Any]]:
        """The columns by name. In tables of runs, the key of an example without one is its position."""
        parsed = {part: stretch.parsed(part) for part in PARTS}
        cells = [
            self._cells((part, name), [row.get(name) for row in parsed[part]]) for part, name in self.parts
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
        origin = [[value] * len(keys) for value in self.origin.values()]
        return [stretch.positions, keys, *cells, *answers, *origin]

    def _cells(self, column: tuple[str, str], values: list[JSON]) -> Sequence[JSON]:
        """The cells of a column: texts, unless the file gives it another type."""
        if column in self.typed:
            return list(map(json_cells.cell_of, values))
        return as_cells(values) if self._kind(column) is str else values


def as_cells(values: Sequence[JSON]) -> Sequence[str | None]:
    """The values of a column as texts; nearly always they are texts already."""
    if {*map(type, values)} <= {str, NoneType}:
        return cast(Sequence[str | None], values)
    return list(map(text_of, values))
