"""Values that rooms share: limits, which scores are better, status of a row, column of values, canonical JSON."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from hashlib import sha256
from itertools import filterfalse
from typing import Any, Final, Literal, TypeAlias

import orjson

PARTS = ("inputs", "reference", "metadata")  # parts of an example
LONGEST_NAME = 200  # characters of the name of a thing, a variant or a model
LONGEST_RATER = 100  # characters of the name of one who labels
LONGEST_SEARCH = 200  # characters
MOST_EVALUATORS = 100  # that one request names
LARGEST_ID = 2**63 - 1
LARGEST_POSITION = 2**31 - 1  # also of the number of a version and of a count
Missing: TypeAlias = Literal["worst", "exclude"]  # what an example without an answer counts as
Direction: TypeAlias = Literal["maximize", "minimize"]
MAXIMIZE: Final = "maximize"
MINIMIZE: Final = "minimize"
BETTER: dict[str, str] = {MAXIMIZE: "higher", MINIMIZE: "lower"}  # which scores are better, in a word
JSON: TypeAlias = str | int | float | bool | list[Any] | dict[str, Any] | None


class Status(IntEnum):
    """Why a row has a score or has none; stored as one byte, but for SEALED, which hides another status."""

    SCORED = 0
    MISSING_EXPECTED = 1
    MISSING_ACTUAL = 2
    UNMAPPED = 3
    ERROR = 4
    NOT_FOUND = 5
    NOT_SENT = 6
    NO_VERDICT = 7
    SEALED = 8
    ABSENT = 255

    @property
    def word(self) -> str:
        """The status as pages and the API spell it: "missing_expected"."""
        return self.name.lower()

    @property
    def told(self) -> str:
        """The status in the words of all pages: what came of an answer, and not what a program calls it."""
        return TOLD.get(self, self.word.replace("_", " "))


TOLD = {
    Status.MISSING_EXPECTED: "no reference",
    Status.MISSING_ACTUAL: "unanswered",
    Status.NOT_FOUND: "unread",
    Status.NO_VERDICT: "unread",
    Status.NOT_SENT: "not scored",
}


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one parameter for every row of a batch; hashable by identity, so that it can be a cache key.

    A None in `values` is null, a missing value; a tuple is several texts. `problems` names the rows that
    have no value at all, with UNMAPPED, ERROR or NOT_FOUND and a message that begins with a stable code and a colon.
    """

    values: Sequence[JSON]
    problems: Mapping[int, tuple[Status, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_text(self) -> bool:
        """Whether every value is a text: none is null or of another type."""
        return self._bytes is not None

    @property
    def bound(self) -> int:
        """A number of characters that no text exceeds; the longest text may be shorter."""
        return self._longest if self._bytes is None else self._bytes

    def fits(self, length: int) -> bool:
        """Whether no text is longer than `length` characters."""
        return self.bound <= length or self._longest <= length

    @cached_property
    def _bytes(self) -> int | None:
        """The bytes of the largest text in memory; None if a value is not a text."""
        # str.__sizeof__ raises for other types, and a text has at most as many characters as bytes: one pass over the
        # values answers both questions for nearly every column.
        try:
            return max(map(str.__sizeof__, self.values), default=0)
        except TypeError:
            return None

    @cached_property
    def _longest(self) -> int:
        return max(map(length_of, self.values), default=0)


def length_of(value: Any) -> int:
    """The length of a text, or of the longest of several; 0 for anything else.

    >>> length_of("abc"), length_of(("a", "bc")), length_of([1, 2])
    (3, 2, 0)
    """
    if isinstance(value, tuple):
        return max(map(len, value), default=0)
    return len(value) if isinstance(value, str) else 0


def canonical_json(value: JSON) -> str:
    """The canonical JSON text of a value: keys sorted, no ASCII escapes, ", " and ": " as separators.

    >>> canonical_json({"b": [1, True, None], "a": "é"})
    '{"a": "é", "b": [1, true, null]}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def as_typed(value: object) -> str:
    r"""A stored value as a form's field sends it.

    >>> as_typed("a\r\nb "), as_typed(None), as_typed(0.05)
    ('a\nb', '', '0.05')
    """
    return "" if value is None else str(value).replace("\r\n", "\n").strip()


def digest_of(stored: Mapping[str, object]) -> str:
    """A digest of the stored values of a form's fields, by which it notices that somebody else saved meanwhile."""
    typed = {name: as_typed(value) for name, value in stored.items()}
    return sha256(canonical_json(typed).encode()).hexdigest()[:16]


def text_or_json(value: JSON) -> str:
    """A text as it is, any other value as canonical JSON.

    >>> text_or_json("a"), text_or_json([1]), text_or_json(None)
    ('a', '[1]', 'null')
    """
    return value if isinstance(value, str) else canonical_json(value)


def text_of(value: JSON) -> str | None:
    """Like `text_or_json`, but None for null.

    >>> text_of("a"), text_of([1]), text_of(None)
    ('a', '[1]', None)
    """
    return value if isinstance(value, str) or value is None else canonical_json(value)


def written(value: JSON) -> str:
    """A text as it is, null as an empty one, any other value as JSON with its keys in their own order, for people.

    >>> written({"b": 1, "a": [2]}), written(None)
    ('{"b": 1, "a": [2]}', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def opened_json(value: JSON) -> Any:
    """The object or array in a JSON text; any other value unchanged."""
    if not isinstance(value, str) or not value.lstrip(" \t\r\n").startswith(("[", "{")):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def stored_json(value: JSON) -> str:
    """JSON as it is stored: in the given order, without ASCII escapes or blanks.

    >>> stored_json({"b": 1, "a": [2**70]})
    '{"b":1,"a":[1180591620717411303424]}'
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        # An integer beyond 64 bits, which orjson refuses.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def by_column(part: str, value: JSON) -> dict[str, JSON]:
    """A part of an example as an object by column; a plain value becomes the column `input` or `reference`."""
    return value if isinstance(value, dict) else {part.removesuffix("s"): value}


def key_text(value: JSON) -> str | None:
    """A user's id as text: "007" stays "007", 7 becomes "7"; None for null or an empty text."""
    return None if value == "" else text_of(value)


def without_accents(text: str) -> str:
    """
    >>> without_accents("Cotización"), without_accents("Žluťoučký")
    ('Cotizacion', 'Zlutoucky')
    """
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))


def output_text(value: JSON) -> tuple[str | None, bool]:
    """An output as it is stored: its text, and whether that text is JSON."""
    return text_of(value), not (value is None or isinstance(value, str))


def output_value(text: str | None, is_json: bool | int) -> JSON:
    """An output as it was sent: the text, or the value if the text is JSON."""
    return orjson.loads(text) if is_json and text is not None else text
