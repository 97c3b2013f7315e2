"""What a text is: JSON, markdown, code or plain text; and in which direction it is written."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluations import fences, strict_json
from evaluations.linear import Pattern
from evaluations.numerals import plural
from evaluations.values import JSON, written

Kind: TypeAlias = Literal["json", "markdown", "code", "text"]

LONGEST_JSON = 50_000  # characters; a longer text is not drawn as a tree
LONGEST_MARKDOWN = 20_000
DEEPEST = 30
MOST_COLUMNS = 50  # of a table; each row of markdown is filled up to all columns of its head
STRONG = 1_000  # characters among which the first with a direction decides
RIGHT_TO_LEFT = {"R", "AL"}
BLOCK = Pattern(r"(?m)^ {0,3}(?:```|~~~|\|?[ :]*-{2,}[ :]*(?:\|[ :]*-+[ :]*)+\|?\s*$)")
HEAD = Pattern(r"(?m)^ {0,3}#{1,6} \S")  # or a comment, where lines of code are around it
INDENTED = Pattern(r"(?: {4}|\t)\s*[^\s#]")
ITEM = Pattern(r"(?m)^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S")
INLINE = Pattern(r"\*\*\w(?:[^*\n]{0,200}\S)?\*\*|`[^`\n]{1,200}`")
STATEMENT = Pattern(
    r"\s*(?:(?:def|class|function|import|from|return|const|let|var|public|private|if|for|while|select|"
    r"insert|update)\b.*[:;{}(),*]|.*[;{}]|#include .*)\s*$",
    ignore_case=True,
)


@dataclass(frozen=True)
class Form:
    """A text with its kind; `value` is what a JSON text holds, also between fences; `around` are words beside these.

    Code that is the only thing in its fence is its content.
    """

    kind: Kind
    text: str
    value: JSON = None
    is_right_to_left: bool = False
    is_fenced: bool = False
    around: str = ""

    @property
    def words(self) -> str:
        """What it is, in words: "JSON, 9 values", "text, 1 702 characters"."""
        if self.kind == "json":
            return f"JSON{' in a fence' if self.is_fenced else ''}, {plural(values_in(self.value), 'value')}"
        direction = ", right to left" if self.is_right_to_left else ""
        fence = " in a fence" if self.is_fenced else ""
        return f"{self.kind}{fence}{direction}, {plural(len(self.text), 'character')}"

    @property
    def content(self) -> str:
        """The text, or the code between its fences."""
        inside = fences.content_of(self.text) if self.kind == "code" and self.is_fenced else None
        return self.text if inside is None else inside

    @property
    def differs_from_raw(self) -> bool:
        """Whether it is drawn otherwise than it was sent."""
        return self.kind in ("json", "markdown") or self.is_fenced

    @property
    def has_fence(self) -> bool:
        return any(line.lstrip().startswith(fences.FENCES) for line in self.text.split("\n"))


def form_of(value: JSON, *, raw: bool = False) -> Form:
    """The form of a value; `raw` reads every value as plain text."""
    text = written(value)
    if raw:
        return Form("text", text, is_right_to_left=is_right_to_left(text))
    opened = _json(value, text)
    if opened is not None:
        return Form("json", text, opened)
    if isinstance(value, str) and (found := fences.wrapped(text)) is not None:
        content, around = found
        opened = _json(content, content)
        if opened is not None:
            return Form("json", text, opened, is_fenced=True, around=around)
        if len(text) <= LONGEST_MARKDOWN and fences.content_of(text):
            return Form("code", text, is_fenced=True)
    return Form(_kind(text), text, is_right_to_left=is_right_to_left(text))


def values_in(value: JSON) -> int:
    """How many values that are no list and no object a JSON value holds."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 1 if inner is None else sum(map(values_in, inner))


def is_right_to_left(text: str) -> bool:
    """Whether the first character that has a direction is written from right to left."""
    directions = map(unicodedata.bidirectional, text[:STRONG])
    return next((name in RIGHT_TO_LEFT for name in directions if name in {"L", *RIGHT_TO_LEFT}), False)


def _json(value: JSON, text: str) -> JSON:
    """The object or list in a value or its text; None if there is none, or if it is too large to draw."""
    if len(text) > LONGEST_JSON or text.lstrip()[:1] not in ("{", "["):
        return None
    if isinstance(value, str):
        try:
            value = strict_json.parse(value.encode())
        except (strict_json.JSONError, UnicodeEncodeError):
            return None
    return value if isinstance(value, dict | list) and value and _depth(value) <= DEEPEST else None


def _depth(value: JSON) -> int:
    """The levels of lists and objects, counted level by level."""
    level, depth = [value], 0
    while level:
        inner = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in inner for part in (item.values() if isinstance(item, dict) else item)]
        depth += bool(inner)
    return depth


def _kind(text: str) -> Kind:
    if len(text) > LONGEST_MARKDOWN or any(line.count("|") > MOST_COLUMNS for line in text.split("\n")):
        return "text"
    items = sum(1 for _ in ITEM.finditer(text))
    if BLOCK.search(text) or items > 1 or INLINE.search(text):
        return "markdown"
    lines = [line for line in text.split("\n") if line.strip()]
    has_heads = bool(HEAD.search(text))
    if _is_code(lines) and (not has_heads or any(map(INDENTED.match, lines))):
        return "code"
    return "markdown" if has_heads else "text"


def _is_code(lines: Sequence[str]) -> bool:
    """Whether most lines are statements, or stand below one; comments do not count."""
    statements = [bool(STATEMENT.match(line)) for line in lines]
    inside = sum(1 for line in lines if INDENTED.match(line) and not STATEMENT.match(line))
    counted = sum(1 for line in lines if not line.lstrip().startswith("#"))
    return counted > 1 and any(statements) and (sum(statements) + inside) * 2 > counted
