"""The contexts of a batch of rows, stored as columns."""

import time
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any, Literal, TypeAlias, TypeVar, cast

from evaluations import jsonpath, python_lists
from evaluations.jsonpath import ABSENT, Path, Step
from evaluations.mapping.reading import Reading
from evaluations.numerals import grouped
from evaluations.process_cache import remembered
from evaluations.values import JSON, Column, Status, canonical_json, opened_json, text_of, text_or_json

Inside = TypeVar("Inside")

Many: TypeAlias = Literal["error", "first", "join", "any", "references"]

KEYS = ("input", "output", "reference", "metadata")  # the columns that a path without a name searches
NAMES = (*KEYS, "scores")
ALIASES = {"actual": "output", "expected": "reference"}

BATCH_SECONDS = 10.0
"""After this long the remaining rows of a column fail: a chunk must end well within its lease."""


class Contexts:
    """The input, output, reference and metadata of n rows, one sequence each; None for those that are not needed.

    `scores` are the outside scores of each output, an object per row, null without an output. `actual` is the output.
    `expected` is the value of the only reference column, if `reference_columns` (or else the row) has exactly one;
    otherwise the reference object. An empty object is null, a plain text is itself. Both can also be given directly.

    Equal paths give the same Column object, so that evaluators can share what they derive from it.
    """

    def __init__(
        self,
        *,
        input: Sequence[JSON] | None = None,
        output: Sequence[JSON] | None = None,
        reference: Sequence[JSON] | None = None,
        metadata: Sequence[JSON] | None = None,
        scores: Sequence[JSON] | None = None,
        actual: Sequence[JSON] | None = None,
        expected: Sequence[JSON] | None = None,
        reference_columns: Sequence[str] | None = None,
    ) -> None:
        sequences = {"input": input, "output": output, "reference": reference, "metadata": metadata}
        sequences |= {"scores": scores, "actual": output if actual is None else actual, "expected": expected}
        sizes = {len(values) for values in sequences.values() if values is not None}
        if len(sizes) > 1:
            raise ValueError(f"The columns of a batch differ in length: {sorted(sizes)}.")
        self.size = sizes.pop() if sizes else 0
        if expected is None and reference is not None:
            sequences["expected"] = expected_values(reference, reference_columns)
        nothing: list[JSON] = [None] * self.size
        self._values: dict[tuple[Step, ...], Sequence[Any]] = {
            (key,): nothing if values is None else values for key, values in sequences.items()
        }
        self._opened: dict[tuple[Step, ...], list[Any]] = {}
        self._documents: dict[frozenset[str], list[dict[str, Any]]] = {}
        self._columns: dict[tuple[Step, ...] | str, Column] = {}
        self._originals: dict[int, tuple[Any, JSON]] = {}

    @property
    def longest(self) -> int:
        """At least the number of characters of the longest row; a text that has two names counts twice."""
        columns = [values for key, values in self._values.items() if len(key) == 1]
        return max((sum(map(_characters, row)) for row in zip(*columns, strict=True)), default=0)

    @classmethod
    def of_rows(
        cls, rows: Sequence[Mapping[str, JSON]], reference_columns: Sequence[str] | None = None
    ) -> "Contexts":
        """Contexts from one mapping per row; `actual` and `expected` stand for output and reference."""
        return cls(
            input=[row.get("input") for row in rows],
            output=[row.get("output", row.get("actual")) for row in rows],
            reference=[row.get("reference", row.get("expected")) for row in rows],
            metadata=[row.get("metadata") for row in rows],
            scores=[row.get("scores") for row in rows],
            actual=[row.get("actual", row.get("output")) for row in rows],
            expected=[
                row["expected"]
                if "expected" in row
                else expected_value(row.get("reference"), reference_columns)
                for row in rows
            ],
        )

    def column(self, path: Path, many: Many = "error", *, opens_lists: bool = False) -> Column:
        """The path's value in every row; a path that is only a key gives that column itself.

        With many="references", a row has a tuple of texts: the matches, with lists and objects flattened. With
        many="any" it has a tuple of values: the matches that are not null, and if `opens_lists` the members of
        lists.
        """
        plain = path.plain and path.prefix and many not in ("any", "references")
        key = path.prefix if plain else f"{many}{opens_lists:d} {path.text}"
        if key not in self._columns:
            if many == "any":
                self._columns[key] = self._accepted(path, opens_lists)
            else:
                self._columns[key] = self._looked_up(path) if plain else self._matched(path, many)
        return self._columns[key]

    def read(self, column: Column, reading: Reading, *, of_reference: bool) -> Column:
        """A column after its reading steps; equal steps on the same column are taken once."""
        key = f"read {id(column)} {of_reference} {reading.key}"
        if key not in self._columns:
            self._columns[key] = reading.column(column, of_reference=of_reference)
        return self._columns[key]

    def filled(self, column: Column, text: str, path: Path, *, is_reference: bool) -> Column:
        """The column, of this path, with a text for empty values.

        A reference that is null is empty, too, an output is missing. So is a list in which the path finds nothing
        because it is empty.
        """
        key = f"filled {id(column)} {is_reference} {text}"
        if key not in self._columns:
            lost = () if not is_reference else (None,)
            values: list[Any] = [
                text if value in (*lost, "", []) else (text,) if _are_empty(value) else value
                for value in column.values
            ]
            inside = self._open(path.prefix) if path.prefix and not path.plain else [ABSENT] * self.size
            problems = {row: problem for row, problem in column.problems.items() if inside[row] != []}
            values = [
                None if row in problems else text if row in column.problems else value
                for row, value in enumerate(values)
            ]
            self._columns[key] = Column(values, problems)
        return self._columns[key]

    def constant(self, literal: JSON) -> Column:
        """The same value in every row."""
        key = f"literal {canonical_json(literal)}"
        if key not in self._columns:
            self._columns[key] = Column([literal] * self.size)
        return self._columns[key]

    def _looked_up(self, path: Path) -> Column:
        values = self.values(path.prefix)
        absent = [row for row, value in enumerate(values) if value is ABSENT]
        if not absent:
            return Column(values)
        unmapped = [row for row in absent if not self._is_unscored(path, row)]
        problems = {row: (Status.UNMAPPED, self._nothing(path, row)) for row in unmapped}
        return Column([None if value is ABSENT else value for value in values], problems)

    def _is_unscored(self, path: Path, row: int) -> bool:
        """Whether an outside score is absent because there is no output: then it counts as missing, not as unmapped."""
        return path.prefix[0] == "scores" and self.values(("scores",))[row] is None

    def _matched(self, path: Path, many: Many) -> Column:
        values: list[JSON] = [None] * self.size
        problems: dict[int, tuple[Status, str]] = {}
        deadline = time.monotonic() + BATCH_SECONDS
        for row, document in enumerate(self._documents_for(path)):
            try:
                matches = [self._original(value) for value in path.find(document, deadline)]
            except jsonpath.PathLimitError as error:
                problems[row] = (Status.ERROR, f"path_limit: {path.text} was stopped: {error}.")
                continue
            if not matches:
                problems[row] = (Status.UNMAPPED, self._nothing(path, row))
            elif many == "references":
                values[row] = _references(matches)
            elif many == "any":
                values[row] = matches
            elif len(matches) == 1 or many == "first":
                values[row] = matches[0]
            elif many == "join":
                values[row] = "\n".join(map(text_or_json, matches))
            else:
                problems[row] = (
                    Status.ERROR,
                    f"many_matches: {path.text} matches {grouped(len(matches))} values, not one.",
                )
        return Column(values, problems)

    def _accepted(self, path: Path, opens_lists: bool) -> Column:
        """The right answers of each row, as a tuple; null where there are none."""
        if path.plain and path.prefix:
            single = self.column(path)
            matches: list[list[JSON]] = [[value] for value in single.values]
            problems = single.problems
        else:
            several = self._matched(path, "any")
            matches, problems = cast(list[list[JSON]], several.values), several.problems
        return Column([_answers(found, opens_lists) for found in matches], problems)

    def values(self, steps: tuple[Step, ...]) -> Sequence[Any]:
        """The values at a plain path, ABSENT if a step leads nowhere; each step is resolved once for all rows."""
        if steps not in self._values:
            if len(steps) == 1:
                return [ABSENT] * self.size
            step = steps[-1]
            self._values[steps] = [jsonpath.child(value, step) for value in self._open(steps[:-1])]
        return self._values[steps]

    def _open(self, steps: tuple[Step, ...]) -> Sequence[Any]:
        """Like `values`, but JSON texts are parsed if a path may continue inside them."""
        if not may_hold_json(steps):
            return self.values(steps)
        if steps not in self._opened:
            self._opened[steps] = [self._opened_value(value) for value in self.values(steps)]
        return self._opened[steps]

    def _opened_value(self, value: Any) -> Any:
        inside = opened_json(value)
        if isinstance(inside, str) and inside.lstrip().startswith("{'"):
            inside = python_lists.record(value) or value
        return value if inside is value else self._remember(inside, value)

    def _remember(self, inside: Inside, original: JSON) -> Inside:
        # The object is stored too, so that its id cannot be reused.
        self._originals[id(inside)] = (inside, original)
        return inside

    def _original(self, value: Any) -> JSON:
        """The text from which a matched value was parsed: a path to the text itself gives the text."""
        return self._originals[id(value)][1] if id(value) in self._originals else value

    def _documents_for(self, path: Path) -> list[dict[str, Any]]:
        names = frozenset(KEYS) if path.roots is None else path.roots & {*NAMES, *ALIASES}
        if names not in self._documents:
            columns = [self._open_deeply(name) for name in sorted(names)]
            self._documents[names] = (
                [dict(zip(sorted(names), row, strict=True)) for row in zip(*columns, strict=True)]
                if names
                else [{} for _ in range(self.size)]
            )
        return self._documents[names]

    def _open_deeply(self, name: str) -> Iterable[Any]:
        values = self._open((name,))
        if not may_hold_json((name, "")):
            return values
        return [self._open_members(value) if isinstance(value, dict) else value for value in values]

    def _open_members(self, value: dict[str, JSON]) -> dict[str, Any]:
        inside = {name: self._opened_value(member) for name, member in value.items()}
        if all(inside[name] is member for name, member in value.items()):
            return value
        return self._remember(inside, value)

    def _nothing(self, path: Path, row: int) -> str:
        """The message for a row in which a path matches nothing: how far the path leads, and the names there."""
        for depth, step in enumerate(path.prefix):
            if self.values(path.prefix[: depth + 1])[row] is ABSENT:
                above = self._open(path.prefix[:depth])[row] if depth else dict.fromkeys(KEYS)
                return unmapped(path.text, path.prefix[:depth], above, str(step))
        parent = self._open(path.prefix)[row] if path.prefix else dict.fromkeys(KEYS)
        return unmapped(path.text, path.prefix, parent, "")


def _are_empty(value: Any) -> bool:
    """Whether several right answers are all empty texts."""
    return isinstance(value, tuple) and all(one in ("", []) for one in value)


def _references(matches: Iterable[JSON]) -> Any:
    """The texts in these values; None if all are null."""
    members = (_members(value) for value in matches)
    texts = (text_of(value) for value in chain.from_iterable(members))
    return tuple(text for text in texts if text is not None) or None


def _answers(matches: Sequence[JSON] | None, opens_lists: bool) -> Any:
    """The right answers among the matches of a path; None if there are none. "" stays an answer."""
    found = list(matches or ())
    if opens_lists:
        found = [one for match in found for one in _listed(match)]
    return tuple(value for value in found if value is not None) or None


def _listed(match: JSON) -> list[JSON]:
    inside = opened_json(match)
    if inside is match and isinstance(match, str):
        inside = python_lists.read(match)
    return inside if isinstance(inside, list) else [match]


def _members(value: JSON) -> Iterable[JSON]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else [value]


def expected_values(references: Sequence[JSON], columns: Sequence[str] | None = None) -> list[JSON]:
    """`expected_value` of many rows; faster in the usual case of one column."""
    if columns is None or len(columns) != 1:
        return [expected_value(reference, columns) for reference in references]
    name = columns[0]
    return [row.get(name) if isinstance(row, dict) else row for row in references]


def expected_value(reference: JSON, columns: Sequence[str] | None = None) -> JSON:
    """The value of `expected` in one row: the value of the only reference column, else the whole reference."""
    if not isinstance(reference, dict):
        return reference
    names = list(reference) if columns is None else columns
    if len(names) == 1:
        return reference.get(names[0])
    return reference or None


def may_hold_json(steps: tuple[Step, ...]) -> bool:
    """Whether a text at this path is parsed as JSON by a longer path: an output, or a reference value."""
    deepest = {"output": 1, "actual": 1, "reference": 2, "expected": 2}
    return bool(steps) and 0 < len(steps) <= deepest.get(str(steps[0]), 0)


def _characters(value: JSON) -> int:
    """The number of characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(name) + _characters(member) for name, member in value.items())
    return sum(map(_characters, value)) if isinstance(value, list) else 0


def unmapped(path: str, parent_path: tuple[Step, ...], parent: Any, missing_name: str) -> str:
    """The message of a path that matches nothing: "unmapped: $.output.entty matches nothing; $.output has: entity,
    items."
    """
    if isinstance(parent, dict):
        return _nearest_names(path, parent_path, tuple(parent)[:200], missing_name)
    description = {list: "a list of {}", str: "text", bool: "true or false", type(None): "null"}.get(
        type(parent), "a number"
    )
    size = len(parent) if isinstance(parent, list) else 0
    return (
        f"unmapped: {path} matches nothing; {jsonpath.from_names(parent_path)} is {description.format(size)}."
    )


@remembered("advice on paths", 1_024)
def _nearest_names(
    path: str, parent_path: tuple[Step, ...], names: tuple[str, ...], missing_name: str
) -> str:
    nearest = get_close_matches(missing_name, names, n=5, cutoff=0.5) or names[:5]
    listed = ", ".join(name[:40] for name in nearest) or "no members"
    return f"unmapped: {path} matches nothing; {jsonpath.from_names(parent_path)} has {listed}."
