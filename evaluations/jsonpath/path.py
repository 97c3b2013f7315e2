"""Compiles and writes paths, and follows plain ones."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from jsonpath_rfc9535 import JSONPathError, JSONPathQuery
from jsonpath_rfc9535.segments import JSONPathChildSegment
from jsonpath_rfc9535.selectors import IndexSelector, NameSelector

from evaluations.jsonpath.bounded import LIMITS, Environment, Limits, values
from evaluations.numerals import grouped

Step: TypeAlias = str | int


class PathError(ValueError):
    """A path that cannot be saved; if known, the message contains the right spelling."""


class Absent:
    """The type of `ABSENT`, which `look_up` returns if a step leads nowhere."""


ABSENT = Absent()


@dataclass(frozen=True)
class Path:
    """A compiled path; `text` is the user's spelling, completed by omitted `$.` and brackets.

    `prefix` are the names and positions it begins with; if there is nothing else, the path is `plain`.
    `roots` are the names with which the path and its filters start at `$`; None: it may read everything.
    """

    text: str
    query: JSONPathQuery
    prefix: tuple[Step, ...]
    roots: frozenset[str] | None
    limits: Limits

    @property
    def plain(self) -> bool:
        """Whether it has names and indices only, like `$.output.items[0]`: then it matches at most once."""
        return len(self.prefix) == len(self.query.segments)

    def find(self, document: Any, deadline: float | None = None) -> list[Any]:
        """All matches in the order of the RFC; several calls may share a `deadline` (of `time.monotonic`).

        Raises `PathLimitError` if the path is too expensive for this document.
        """
        if not self.plain:
            return values(self.query, document, self.limits, deadline)
        value = look_up(document, self.prefix)
        return [] if value is ABSENT else [value]


def compile(text: str, limits: Limits = LIMITS) -> Path:
    """Compile a path; raises `PathError` with the position, and with the right spelling if it can be guessed."""
    if len(text) > limits.characters:
        raise PathError(
            f"The path has {grouped(len(text))} characters; at most {grouped(limits.characters)} are allowed."
        )
    if not text:
        raise PathError("The path is empty.")
    full = _with_root(text)
    try:
        path = _parse(full, limits)
    except PathError as error:
        extended = _parse_with_digits(full, limits)
        if extended is None:
            raise PathError(f"{error}{_advice(full, limits)}") from error
        path = extended
    if len(path.query.segments) > limits.steps:
        raise PathError(f"The path has {len(path.query.segments)} steps; at most {limits.steps} are allowed.")
    return path


def from_names(names: Iterable[Step]) -> str:
    """The path through these names and indices, quoted only where the RFC requires it.

    >>> from_names(["6b_finetuning", "solution", 0])
    "$['6b_finetuning'].solution[0]"
    """
    return "$" + "".join(_spelled(name) for name in names)


def look_up(value: Any, steps: Sequence[Step]) -> Any:
    """Follow names and indices (negative ones count from the end); ABSENT if a step leads nowhere."""
    for step in steps:
        value = child(value, step)
    return value


def child(value: Any, step: Step) -> Any:
    """The member or element, or ABSENT; names never match in lists, nor indices in objects."""
    if isinstance(step, str):
        return value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    if isinstance(value, list) and -len(value) <= step < len(value):
        return value[step]
    return ABSENT


_NAME = re.compile(r"[^\W\d]\w*", re.ASCII)
_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)}
_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|"""
_DIGIT_NAME = re.compile(_QUOTED + r"\.(\d+[^\W\d]\w*)")
_ODD_NAME = re.compile(_QUOTED + r"\.(?![^\W\d]\w*(?:[.\[]|$))([^.\[\]*]+)")


def _with_root(text: str) -> str:
    if text.startswith("$"):
        return text
    return f"${text}" if text.startswith("[") else f"$.{text}"


def _spelled(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _NAME.fullmatch(step):
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped.translate(_ESCAPES)}']"


def _parse(text: str, limits: Limits) -> Path:
    """Compile a path; too large exponents (OverflowError) and deep nesting (RecursionError) become `PathError`s."""
    try:
        environment = Environment(limits)
        query = environment.compile(text)
    except JSONPathError as error:
        position = error.token.index + 1 if error.token else len(text)
        raise PathError(
            f"{text[:80]!r} is not a JSONPath: {error.args[0]} (character {position})."
        ) from error
    except (ValueError, OverflowError) as error:
        raise PathError(f"{text[:80]!r} contains a number that is too large.") from error
    except RecursionError as error:
        raise PathError(f"{text[:80]!r} is nested too deeply.") from error
    return Path(text, query, _prefix(query), _roots(environment.rooted), limits)


def _parse_with_digits(text: str, limits: Limits) -> Path | None:
    """The path with names such as `6b_model` put into brackets, as the RFC requires; None if that does not help."""
    bracketed = _bracketed(text, _DIGIT_NAME)
    if bracketed == text:
        return None
    try:
        return _parse(bracketed, limits)
    except PathError:
        return None


def _advice(text: str, limits: Limits) -> str:
    """The right spelling, if brackets around names make the text a valid path; else ""."""
    bracketed = _bracketed(text, _ODD_NAME)
    if "?" in text or bracketed == text:
        return ""
    try:
        _parse(bracketed, limits)
    except PathError:
        return ""
    return f" For a member of that name write {bracketed}."


def _bracketed(text: str, name: re.Pattern[str]) -> str:
    return name.sub(lambda match: match[0] if match[1] is None else _spelled(match[1]), text)


def _prefix(query: JSONPathQuery) -> tuple[Step, ...]:
    steps: list[Step] = []
    for segment in query.segments:
        selector = segment.selectors[0]
        if not isinstance(segment, JSONPathChildSegment) or len(segment.selectors) > 1:
            break
        if isinstance(selector, NameSelector):
            steps.append(selector.name)
        elif isinstance(selector, IndexSelector):
            steps.append(selector.index)
        else:
            break
    return tuple(steps)


def _roots(queries: Iterable[JSONPathQuery]) -> frozenset[str] | None:
    names: set[str] = set()
    for query in queries:
        first = query.segments[0] if query.segments else None
        if not isinstance(first, JSONPathChildSegment):
            return None
        for selector in first.selectors:
            if not isinstance(selector, NameSelector):
                return None
            names.add(selector.name)
    return frozenset(names)
