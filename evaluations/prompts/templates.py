"""Templates: texts with `{{ column }}` and `{{ column.path }}`, filled from the row of a dataset.

A template is filled in one pass, so a `{{` inside a value stays text. Nothing is executed. `\\{{` is a plain `{{`.
A variable is a column of the inputs, or `metadata.` and a column of the metadata; what follows a column leads into its
JSON: names of objects, numbers of items from 0. Where a column's own name has dots, the longest name wins.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.linear import Match, Pattern
from evaluations.values import JSON, stored_json

VARIABLE = Pattern(r"(\\?)\{\{([^{}\n]*)\}\}")
BLANKS = " \t"  # around the name of a variable
LONGEST_INDEX = 9  # digits
METADATA = "metadata"

Message = dict[str, Any]
Columns = Mapping[str, Sequence[str]]  # by part: the names of a dataset's columns
Row = Mapping[str, Mapping[str, JSON]]  # by part: the values of an example by column


class Missing(Exception):
    """The row lacks a value for a variable."""

    def __init__(self, variable: str):
        super().__init__(f"There is no value for “{variable}”.")
        self.variable = variable


@dataclass(frozen=True)
class VariablePath:
    """The path of a variable: part of an example, column, and steps into its JSON."""

    part: str
    column: str
    steps: tuple[str, ...] = ()

    def value(self, row: Row) -> JSON:
        """The row's value at this path; raises `LookupError` if there is none."""
        value = row[self.part][self.column]
        for step in self.steps:
            value = _inside(value, step)
        return value


def _inside(value: JSON, step: str) -> JSON:
    if isinstance(value, dict):
        member: JSON = value[step]
        return member
    if isinstance(value, list) and _is_index(step):
        item: JSON = value[int(step)]
        return item
    raise LookupError(step)


def _is_index(step: str) -> bool:
    return len(step) <= LONGEST_INDEX and step.isascii() and step.isdecimal()


def path_of(variable: str, columns: Columns) -> VariablePath | None:
    """The path of a variable in the dataset; None if no column has its name."""
    steps = variable.split(".")
    if (input_path := _path_of("inputs", steps, columns)) or steps[0] != METADATA:
        return input_path
    return _path_of(METADATA, steps[1:], columns)


def are_columns(variables: Iterable[str], columns: Columns) -> bool:
    """Whether the dataset fills all variables."""
    return all(path_of(name, columns) for name in variables)


def _path_of(part: str, steps: Sequence[str], columns: Columns) -> VariablePath | None:
    names_of_part = columns.get(part, ())
    for end in range(len(steps), 0, -1):
        if (column := ".".join(steps[:end])) in names_of_part:
            return VariablePath(part, column, tuple(steps[end:]))
    return None


def variables(messages: Sequence[Message]) -> list[str]:
    """The variables of all templates, each once, in order of appearance."""
    names = (
        match[2].strip(BLANKS)
        for text in _templates(messages)
        for match in VARIABLE.finditer(text)
        if not match[1]
    )
    return list(dict.fromkeys(names))


def paths_of(messages: Sequence[Message], columns: Columns) -> dict[str, VariablePath | None]:
    """The path of each variable in the dataset; None for variables without a column."""
    return {name: path_of(name, columns) for name in variables(messages)}


def rendered(
    messages: Sequence[Message], paths: Mapping[str, VariablePath | None], row: Row
) -> list[Message]:
    """Fill the messages from a row; raises `Missing` if it lacks a value for a variable."""

    def fill(match: Match[str]) -> str:
        name = match[2].strip(BLANKS)
        return match[0][1:] if match[1] else _text(name, paths[name], row)

    def filled(text: str) -> str:
        return VARIABLE.sub(fill, text)

    return [
        message | {"content": _filled(message["content"], filled)} if "content" in message else message
        for message in messages
    ]


def _text(variable: str, source: VariablePath | None, row: Row) -> str:
    """The value of a variable as text: texts as they are, null (an empty cell) as no text, other values as JSON."""
    if source is None:
        raise Missing(variable)
    try:
        value = source.value(row)
    except LookupError as error:
        raise Missing(variable) from error
    if value is None:
        return ""
    return value if isinstance(value, str) else stored_json(value)


def _templates(messages: Sequence[Message]) -> Iterator[str]:
    """All texts inside the contents of the messages."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    for message in messages:
        _filled(message.get("content"), keep)
    yield from texts


def _filled(content: JSON, fill: Callable[[str], str]) -> JSON:
    """The content of a message with each text filled; names in objects and values of `type` stay."""
    if isinstance(content, str):
        return fill(content)
    if isinstance(content, list):
        return [_filled(part, fill) for part in content]
    if isinstance(content, dict):
        return {name: value if name == "type" else _filled(value, fill) for name, value in content.items()}
    return content
