"""Strict JSON parsing: no duplicate names in an object, no number beyond 64 bits, no deep nesting.

Most JSON is parsed by orjson, which silently accepts or changes four things: duplicate names, integers beyond 64 bits,
unpaired surrogates, and NUL. Searching the bytes for traces of those costs a tenth of parsing them; JSON with a trace
is parsed by the standard library, which is slower and detects all four.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import orjson

from . import json_slices
from .json_structure import WINDOW, windows
from .numerals import grouped
from .values import JSON

DEPTH_LIMIT = 64
PIECE = 1 << 20  # bytes that are searched together, because a search takes up to nine times as much memory
COLON, BLANK = b": "
_DIGITS = bytes(ord("0") if chr(byte).isdigit() else BLANK for byte in range(128)) + b" " * 128
_LONG_INTEGER = b"0" * 19
# NUL and surrogates; in valid UTF-8, surrogates occur only in this form
_ESCAPES = (b"\\u0000", b"\\ud", b"\\uD")


class JSONError(ValueError):
    """The reason why a JSON text is refused; `quote` is the text at fault."""

    def __init__(self, message: str, quote: str = ""):
        super().__init__(message)
        self.message, self.quote = message, quote


class NotJSON(JSONError):
    """A syntax error, with the text and the index at which parsing stopped."""

    def __init__(self, error: json.JSONDecodeError):
        super().__init__(error.msg)
        self.text, self.position, self.line, self.column = error.doc, error.pos, error.lineno, error.colno


class NotUTF8(JSONError):
    """Bytes that are not UTF-8, with their offset."""

    def __init__(self, position: int):
        super().__init__(f"Byte {position} is not valid UTF-8")
        self.position = position


class TooDeep(JSONError):
    """Nesting deeper than the limit."""


class TooLarge(JSONError):
    """More values in total, or more items in a list, than the limit."""


class TextTooLong(JSONError):
    """A text, or a run of blanks, with more bytes than the limit."""


class DuplicateName(JSONError):
    """A name that occurs twice in an object."""


class BadNumber(JSONError):
    """A number that is not finite, or an integer beyond 64 bits."""


# ---- limits ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """Limits of one JSON text: levels of nesting; values, of which objects and lists count twice because they take more
    memory; items of the outermost object and of lists in it; bytes of a text.
    """

    depth: int = DEPTH_LIMIT
    values: int = sys.maxsize
    items: int = sys.maxsize
    text: int = sys.maxsize

    def check(self, encoded: bytes) -> None:
        """Raise `TooDeep`, `TooLarge` or `TextTooLong`, without building a value."""
        values = items = names = text = 0
        for _, steps, depths in windows(encoded):
            text = 0 if len(steps) else text + WINDOW
            if text > self.text:
                raise TextTooLong(f"A text in the JSON has more than {grouped(self.text)} bytes")
            if depths.max(initial=0) > self.depth:
                raise TooDeep(f"The JSON is nested deeper than {self.depth} levels")
            values += int((steps >= 0).sum() + (steps == 1).sum())
            if values > self.values:
                raise TooLarge(f"The JSON holds more than {grouped(self.values)} values")
            names += int(((steps == 0) & (depths == 1)).sum())
            if names >= self.items:
                raise TooLarge(f"The JSON holds more than {grouped(self.items)} items")
            lists = np.cumsum((steps == 1) & (depths == 2))
            commas = np.bincount(lists, (steps == 0) & (depths == 2), minlength=1)
            commas[0] += items
            if commas.max() >= self.items:
                raise TooLarge(f"A list in the JSON holds more than {grouped(self.items)} items")
            items = int(commas[-1])


NESTING = Limits()


# ---- values ------------------------------------------------------------------------------------------------


def parse(encoded: bytes, *, limits: Limits = NESTING, is_ordinary: bool = False) -> JSON:
    """Parse a value; raises `JSONError`. `is_ordinary`: the caller knows that the bytes are not `is_unusual`."""
    if limits is not NESTING or encoded.count(b"{") + encoded.count(b"[") > DEPTH_LIMIT:
        limits.check(encoded)
    if not is_ordinary and _may_be_changed(encoded):
        return _parse_strictly(encoded)
    with suppress(orjson.JSONDecodeError):
        value: JSON = json_slices.loads(encoded)
        if _has_all_names(value, encoded):
            return value
        del value  # free the value before the strict parser builds it again
    return _parse_strictly(encoded)


def parse_objects(block: bytes, lines: list[bytes]) -> list[dict[str, Any]] | None:
    """Parse an object per line of a block, in a third of the time; None if a line needs `parse` or is no object."""
    if block.count(b"{") + block.count(b"[") >= len(lines) + DEPTH_LIMIT or is_unusual(block):
        return None
    try:
        values = list(map(orjson.loads, lines))
    except orjson.JSONDecodeError:
        return None
    if {*map(type, values)} != {dict}:
        return None
    # A line has at least as many colons as names; equal sums mean equality on every line.
    colons = block.count(b'":')
    return values if colons == sum(map(len, values)) or colons == _count_names(values) else None


def is_unusual(encoded: bytes) -> bool:
    """Whether the bytes may contain something that orjson accepts and this module refuses or parses differently."""
    return has_odd_escapes(encoded) or _may_be_changed(encoded)


def _may_be_changed(encoded: bytes) -> bool:
    """Whether orjson may parse a value that differs from the standard library's."""
    return any(
        _has_blank_before_colon(piece) or _LONG_INTEGER in piece.translate(_DIGITS)
        for piece in _pieces(encoded)
    )


def _pieces(encoded: bytes) -> Iterator[bytes]:
    """The bytes in overlapping pieces, so that every search pattern is whole in one of them."""
    for start in range(0, len(encoded), PIECE):
        yield encoded[start : start + PIECE + len(_LONG_INTEGER)]


def has_odd_escapes(encoded: bytes) -> bool:
    """Whether the bytes may contain an escaped NUL or surrogate; a complete pair counts too."""
    return b"\\u" in encoded and any(escape in encoded for escape in _ESCAPES)


def _has_blank_before_colon(encoded: bytes) -> bool:
    """Whether a colon may follow its name after a blank or a control character."""
    codes = np.frombuffer(encoded, np.uint8)
    colons = np.flatnonzero(codes[1:] == COLON)
    return bool((codes[colons] <= BLANK).any())


def _has_all_names(value: JSON, encoded: bytes) -> bool:
    """Whether every name is in the value: as many as there are colons (colons in texts only add to these)."""
    colons = encoded.count(b'":')
    return (isinstance(value, dict) and colons == len(value)) or colons == _count_names(value)


def _count_names(value: JSON) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_names, value.values()))
    return sum(map(_count_names, value)) if isinstance(value, list) else 0


def _parse_strictly(encoded: bytes) -> JSON:
    """Parse with the standard library. Long texts are checked first, because decoding may take four times their memory.

    Of valid JSON, orjson refuses only unpaired surrogates.
    """
    if len(encoded) > PIECE:
        _decoded(encoded, _CHECKING)
        with suppress(orjson.JSONDecodeError):
            value: JSON = json_slices.loads(encoded)
            return value
    return _decoded(encoded, _STRICT)


def _decoded(encoded: bytes, decoder: json.JSONDecoder) -> JSON:
    try:
        value: JSON = decoder.decode(encoded.decode())
    except UnicodeDecodeError as error:
        raise NotUTF8(error.start) from error
    except json.JSONDecodeError as error:
        raise NotJSON(error) from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise DuplicateName(
            f"Duplicate name: {printable(repeated[:80])!r} appears twice in one object", repeated
        )
    return value


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise BadNumber("An integer has more than 64 bits", digits)
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadNumber(f"The number {digits[:40]} is too large", digits)
    return number


def _constant(name: str) -> float:
    raise BadNumber(f"{name} is not a JSON number", name)


def _nothing(pairs: list[tuple[str, Any]]) -> None:
    _object(pairs)


_decoder = partial(json.JSONDecoder, parse_int=_integer, parse_float=_finite, parse_constant=_constant)
_STRICT = _decoder(object_pairs_hook=_object)
_CHECKING = _decoder(object_pairs_hook=_nothing)


# ---- characters ----------------------------------------------------------------------------------------------


def find_unstorable(value: JSON, *, nul: bool = False) -> tuple[str, int, str] | None:
    """The path, index and character of the first NUL (unless `nul` allows it) or unpaired surrogate."""
    for path, text in _texts(value):
        if (index := _unstorable(text, nul)) >= 0:
            return path, index, text[index]
    return None


def _unstorable(text: str, nul: bool) -> int:
    """The index of the first such character; -1 without any."""
    found = -1 if nul else text.find("\0")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start if found < 0 else min(found, error.start)
    return found


def _texts(value: JSON, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, including names of fields, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, field in value.items():
            inner = f"{path}.{printable(name)}".removeprefix(".")
            yield inner, name
            yield from _texts(field, inner)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{path}[{number}]")


def printable(name: str) -> str:
    """The name, escaped if it contains characters that cannot be shown.

    >>> printable("größe"), printable("a" + chr(0))
    ('größe', 'a\\\\x00')
    """
    return name if name.isprintable() else name.encode("unicode_escape").decode()
