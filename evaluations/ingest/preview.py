"""Previews the first rows of a file, for the page on which the user confirms how it is read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from evaluations import jsonpath
from evaluations.files.codes import HINTS
from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileWarning, RefusedRow, RowError

from . import marked, own_exports, tool_scores, unsided, wrapped
from .batch import Row
from .guesses import guesses
from .likely import likely_outputs, likely_scores
from .looked_at import Guess
from .parted import Parted
from .reader import open_rows
from .record import JSON
from .sides import Sides
from .sniff import sniff
from .suggest import column_of, named_outputs, output_paths, roles

SHOWN = 20
READ = 1_000  # rows that are read
CHARACTERS = 8_000_000
SECONDS = 5.0


@dataclass(frozen=True)
class Preview:
    """`rows` are the first 20, `lines` their lines; other fields are computed from the first one or two thousand rows.

    `roles` are suggested from well-known names and shapes, or "leave out"; `outputs` are columns and paths recognised
    as outputs by name, by variant. `guesses` are roles that differ from those, from words in names and from contents.
    `likely_outputs` are guessed from the contents of columns alone, `likely_scores` by the names of outputs. `scores`
    are columns that look like scores of another tool, by name, if there is one column of outputs; else they are
    `unplaced_scores`. `row_count` is the number of good rows in the file, None if not all of them were read;
    `rows_read` has those with problems, too.
    """

    format: Format
    columns: list[str]
    rows: list[dict[str, JSON]]
    lines: list[int]
    row_count: int | None
    rows_read: int
    errors: list[RowError]
    error_counts: dict[str, int]
    refused: list[RefusedRow]
    warnings: list[FileWarning]
    output_paths: list[str]
    roles: dict[str, str]
    outputs: dict[str, str]
    likely_outputs: list[str]
    likely_scores: list[str]
    scores: dict[str, str]
    unplaced_scores: list[str]
    guesses: dict[str, Guess]

    @property
    def hides_rows(self) -> bool:
        """Whether the file may have more rows than were counted."""
        return self.row_count is None or any(error.hides_rows for error in self.errors)


def preview(
    file: BinaryIO,
    filename: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    limits: Limits,
    fmt: Format | None = None,
) -> Preview:
    """Preview the head of the file: at most 8 MB of text or five seconds; raises `FileError` if it cannot be read.

    `fmt` is its format, if that is known.
    """
    fmt = fmt or sniff(file, filename, overrides, limits=limits, whole=False)
    reader = open_rows(file, fmt, limits)
    rows: list[Row] = []
    lines: list[int] = []
    for batch in reader.head(READ, CHARACTERS, SECONDS):
        rows += batch.rows
        lines += batch.lines
    columns = list(reader.columns)
    suggested = _with_own_scores(columns, rows, fmt, reader.outputs)
    return Preview(
        format=fmt,
        columns=columns,
        rows=rows[:SHOWN],
        lines=lines[:SHOWN],
        row_count=len(rows) if reader.is_whole else None,
        rows_read=reader.rows_seen,
        errors=reader.errors,
        error_counts=dict(reader.error_counts),
        refused=reader.refused,
        warnings=[
            *reader.warnings,
            *_of_objects({} if fmt.grid else suggested.outputs, rows),
            *unsided.warnings(columns, rows, suggested.roles | _roles_of(suggested.guesses)),
        ],
        output_paths=suggested.output_paths,
        roles={name: suggested.roles[name] for name in columns},
        outputs=suggested.outputs,
        likely_outputs=suggested.likely_outputs,
        likely_scores=suggested.likely_scores,
        scores=suggested.scores,
        unplaced_scores=suggested.unplaced_scores,
        # Lists inside other rows were found by well-known names, so their columns keep those roles.
        guesses={} if fmt.nested else suggested.guesses,
    )


def _roles_of(guesses: Mapping[str, Guess]) -> dict[str, str]:
    return {name: guess.role for name, guess in guesses.items()}


def _of_objects(outputs: Mapping[str, str], rows: Sequence[Row]) -> Iterator[FileWarning]:
    """Warnings about columns of outputs that have nothing but objects."""
    for source in outputs.values():
        cells = [row.get(source) for row in rows if row.get(source) is not None]
        if cells and all(isinstance(cell, dict) for cell in cells):
            message = f"Each output in “{source[:80]}” is a whole JSON object."
            yield FileWarning("object_outputs", message, HINTS["object_outputs"])


class _Suggested(NamedTuple):
    roles: dict[str, str]
    outputs: dict[str, str]
    output_paths: list[str]
    likely_outputs: list[str]
    likely_scores: list[str]
    scores: dict[str, str]
    unplaced_scores: list[str]
    guesses: dict[str, Guess]


def _with_own_scores(
    columns: list[str], rows: list[Row], fmt: Format, by_variant: Mapping[str, str]
) -> _Suggested:
    """What is suggested, where scores that Evalsite wrote beside outputs count if nothing is known to be right."""
    scores = {column: (variant, name) for column, variant, name in fmt.own[2]} if fmt.own else {}
    beside = {*scores, *(fmt.own[3] if fmt.own else ())}
    found = _suggest([name for name in columns if name not in beside], rows, fmt, by_variant)
    if not fmt.own:
        return found
    guessed = _roles_of(found.guesses)
    is_known = "reference" in {*(found.roles | guessed).values(), *(part for _, part, _ in fmt.own[4])}
    roles = found.roles | dict.fromkeys(scores, "leave out" if is_known else "metadata")
    roles |= dict.fromkeys(fmt.own[3], "leave out")
    parts = {column: part for column, part, _ in fmt.own[4]}
    parts |= {column: "output" for _, column in fmt.own[1]}  # whatever its texts look like
    guesses = found.guesses | ({} if is_known else own_exports.guesses(scores, rows))
    guesses = {name: guess for name, guess in guesses.items() if name not in parts} | own_exports.taken(
        fmt.own[1], columns
    )
    return found._replace(roles=roles | parts, guesses=guesses, likely_scores=[], unplaced_scores=[])


def _suggest(columns: list[str], rows: list[Row], fmt: Format, by_variant: Mapping[str, str]) -> _Suggested:
    """`by_variant` are the columns of outputs that the reader made."""
    column_roles, paths = roles(columns), output_paths(rows)
    column_roles |= dict.fromkeys((name for name in columns if _are_empty(name, rows)), "metadata")
    if answer := wrapped.find(rows):
        around = {name: role for name, role in answer.roles.items() if name in column_roles}
        column_roles |= around | {str(answer.steps[0]): "leave out"}
        paths = [answer.path, *(path for path in paths if path != answer.path)]
    column_roles |= _of_marked([name for (name,) in fmt.marked], column_roles)
    column_roles |= _of_tasks(fmt.tasks[0], column_roles) if fmt.tasks else {}
    column_roles |= _of_tags(fmt.tag_lists) if fmt.tag_lists else {}
    outputs = named_outputs(column_roles, paths)
    column_roles |= {name: "leave out" for name, _ in fmt.lifted[:1]}  # it differs between variants
    column_roles |= {column: "leave out" for column, *_ in fmt.said}  # what most said stands beside it
    if by_variant:
        whole = {one.column for one in map(Parted.of_stored, fmt.parted) if one.form != "one"}
        outputs = {**by_variant}
        paths = [path for path in paths if column_of(path, columns) not in whole]
        others = [name for name, role in column_roles.items() if role == "output"]
        column_roles |= dict.fromkeys(others, "metadata") | dict.fromkeys(whole, "leave out")
        column_roles |= dict.fromkeys(outputs.values(), "output")
    nested = {column_of(source, columns) for source in outputs.values() if source not in column_roles}
    column_roles |= {name: "leave out" for name in nested if column_roles[name] == "metadata"}
    free = [name for name in columns if column_roles[name] == "metadata"]
    of_tool = tool_scores.find(free, rows)
    has_place = len(outputs) == 1
    column_roles |= dict.fromkeys(of_tool.values(), "score") if has_place else {}
    if sides := Sides(*fmt.sides) if fmt.sides else None:
        column_roles |= dict.fromkeys(sides.settled, "leave out")
    likely = [name for name in likely_outputs(columns, rows) if name not in of_tool.values()]
    undecided = [name for name in columns if column_roles[name] == "metadata" and name not in likely]
    scores = likely_scores(undecided, [*outputs, *likely], rows)
    placed, unplaced = (of_tool, []) if has_place else ({}, [*of_tool.values()])
    parts = [column for column, *_ in (*fmt.parted, *fmt.lifted, *fmt.said)]
    beginnings = tuple(f"{name} " for name in by_variant.values())
    parts += [name for name in columns if by_variant and name.startswith(beginnings)]
    guessed = _guesses(columns, rows, column_roles, outputs, sides, parts)
    return _Suggested(column_roles, outputs, paths, likely, scores, placed, unplaced, guessed)


def _are_empty(name: str, rows: Sequence[Row]) -> bool:
    """Whether a column has nothing but lists or objects without members, which answer and ask nothing."""
    present = [value for row in rows if (value := row.get(name)) is not None]
    return bool(present) and all(isinstance(value, list | dict) and not value for value in present)


def _of_tags(found: Sequence[Any]) -> dict[str, str]:
    """Words are asked about, and the tags that no model is named for are right."""
    words, right, _ = found
    return {words: "inputs"} | ({right: "reference"} if right else {})


def _of_tasks(right: str, by_name: Mapping[str, str]) -> dict[str, str]:
    """What people said of tasks is right, and the data of these was shown to them, whatever its names."""
    if right not in by_name:
        return {}
    shown = [name for name, role in by_name.items() if role in ("reference", "output")]
    return dict.fromkeys(shown, "inputs") | {right: "reference"}


def _of_marked(names: Sequence[str], by_name: Mapping[str, str]) -> dict[str, str]:
    """The first column of marked options is the reference, if no name says which is, and its options are asked."""
    others = {role for column, role in by_name.items() if column not in names}
    first = None if "reference" in others else next(iter(names), None)
    options = [(name, f"{name} {marked.OPTIONS}") for name in names]
    return {
        column: ("reference" if column == name else "inputs") if name == first else "metadata"
        for name, beside in options
        for column in (name, beside)
    }


def _guesses(
    columns: list[str],
    rows: list[Row],
    by_name: Mapping[str, str],
    outputs: Mapping[str, str],
    sides: Sides | None,
    whole: Sequence[str],
) -> dict[str, Guess]:
    """The guesses; where no name says what is right, outputs inside columns are looked at like columns."""
    inside = [source for source in outputs.values() if source not in by_name]
    if "reference" in by_name.values():
        inside = []
    if inside:
        paths = [(source, jsonpath.compile(source)) for source in inside]
        rows = [row | {source: next(iter(path.find(row)), None) for source, path in paths} for row in rows]
        columns = [name for name in columns if by_name[name] != "leave out"]  # those around the outputs
    no_answers, preferred = ([*whole, *sides.models], sides.preferred) if sides else (whole, "")
    found = guesses(
        [*columns, *inside], rows, {**by_name, **dict.fromkeys(inside, "output")}, no_answers, preferred
    )
    return {name: guess for name, guess in found.items() if name in by_name}
