"""One JSON object from bytes, stricter than JSON libraries are by default.

orjson reads ordinary lines. What it does not see or does differently is read again by `json` with hooks: a
duplicate key, an integer beyond 64 bits, a lone surrogate, an escaped NUL. Whether a line needs that is found
by searching its bytes, which costs a tenth of parsing it.
"""

import json
import math
import re
from collections import Counter
from typing import Any

import numpy as np
import orjson

DEPTH_LIMIT = 64
# A text that is never closed counts to the end, so that no byte is looked at twice.
_MARKS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z|\\\Z)|[\[{\]}]', re.DOTALL)
_DIGITS = bytes(ord("0") if chr(byte).isdigit() else ord(" ") for byte in range(128)) + b" " * 128
_LONG_INTEGER = b"0" * 19
_ESCAPES = (b"\\u0000", b"\\ud", b"\\uD")  # NUL and surrogates, which can only be written so.
_COLON, _BLANK = ord(":"), ord(" ")


class NotARow(Exception):
    """Why these bytes are not a row: a code of `codes.ROW_ERRORS`, a sentence, and what was found there."""

    def __init__(self, code: str, message: str, found: str = ""):
        super().__init__(message)
        self.code, self.message, self.found = code, message, found


def is_unusual(block: bytes) -> bool:
    """Whether anything in these lines needs a closer look than `parse(line, unusual=False)` gives."""
    if b"\\u" in block and any(escape in block for escape in _ESCAPES):
        return True
    return _has_blank_before_colon(block) or _LONG_INTEGER in block.translate(_DIGITS)


def _has_blank_before_colon(block: bytes) -> bool:
    """Whether some colon may not follow its key at once: after a blank, or a control character."""
    codes = np.frombuffer(block, np.uint8)
    colons = np.flatnonzero(codes[1:] == _COLON)
    return bool((codes[colons] <= _BLANK).any())


def plain_objects(block: bytes, lines: list[bytes]) -> list[dict[str, Any]] | None:
    """What `parse` makes of each line, in a third of the time; None where a line may need a closer look."""
    if block.count(b"{") + block.count(b"[") >= len(lines) + DEPTH_LIMIT or is_unusual(block):
        return None
    try:
        values = list(map(orjson.loads, lines))
    except orjson.JSONDecodeError:
        return None
    if {*map(type, values)} != {dict}:
        return None
    # As in `parse`: no line can have fewer colons than keys, so where the sums are equal every line's are.
    colons = block.count(b'":')
    return values if colons == sum(map(len, values)) or colons == _count_keys(values) else None


def parse(line: bytes, unusual: bool = True) -> dict[str, Any]:
    """The object; raises NotARow. `unusual` false: `is_unusual` found nothing in the lines around it."""
    if line.count(b"{") + line.count(b"[") > DEPTH_LIMIT and depth(line) > DEPTH_LIMIT:
        raise NotARow("json_too_deep", f"The value is nested deeper than {DEPTH_LIMIT} levels")
    if unusual and is_unusual(line):
        return parse_strictly(line)
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return parse_strictly(line)
    if type(value) is not dict:
        raise NotARow(
            "json_not_an_object", f"{_name(value)} stands where an object is expected", _start(line)
        )
    # Every key is followed by a colon, and texts can only add more: as many `":` as keys, and none was lost.
    colons = line.count(b'":')
    if colons == len(value) or colons == _count_keys(value):
        return value
    return parse_strictly(line)


def depth(line: bytes) -> int:
    """How deep brackets nest, seen in the bytes, without parsing."""
    deepest = level = 0
    for mark in _MARKS.finditer(line):
        first = line[mark.start()]
        if first in b"{[":
            level += 1
            deepest = max(deepest, level)
        elif first in b"}]":
            level -= 1
    return deepest


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if isinstance(value, list) else 0


def parse_strictly(line: bytes) -> dict[str, Any]:
    """By the standard library with hooks: slower, but it sees everything and names the place."""
    text = line.decode()
    try:
        value = _STRICT.decode(text)
    except json.JSONDecodeError as wrong:
        raise _diagnosis(text, wrong) from wrong
    if not isinstance(value, dict):
        raise NotARow(
            "json_not_an_object", f"{_name(value)} stands where an object is expected", _start(line)
        )
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise NotARow("json_duplicate_key", f"The key {twice[:80]!r} appears twice: duplicate", twice)
    return found


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise NotARow("json_number", "An integer has more than 64 bits; write it as a text in quotes", digits)
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotARow("json_number", "A number is too large", digits)
    return number


def _constant(name: str) -> float:
    raise NotARow("json_number", f"{name} is not a JSON number", name)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_int=_integer, parse_float=_finite, parse_constant=_constant
)


def _diagnosis(text: str, wrong: json.JSONDecodeError) -> NotARow:
    """The likely cause, so that the hint can name the repair."""
    rest = text[wrong.pos :].lstrip()
    if text.lstrip().startswith(("//", "#", "/*")) or rest.startswith(("//", "/*")):
        return NotARow("json_comment", "A comment stands in the JSON", rest or text)
    if wrong.msg.startswith("Extra data"):
        if rest.startswith(","):
            return NotARow("json_trailing_comma", "Extra comma after the object", rest)
        return NotARow("json_concatenated", "Extra data after the object: only one object per line", rest)
    if rest.startswith(("}", "]")) and text[: wrong.pos].rstrip().endswith(","):
        return NotARow("json_trailing_comma", "Extra comma before a closing bracket", text[wrong.pos - 20 :])
    if rest.startswith("'"):
        return NotARow("json_single_quotes", "Invalid JSON: single quotes", rest)
    if not rest or wrong.msg.startswith("Unterminated string"):
        return NotARow("json_unclosed", "Invalid JSON: it ends in the middle of the object", text[-40:])
    return NotARow("json_invalid", f"Invalid JSON at character {wrong.pos + 1}: {wrong.msg}", rest)


def _name(value: Any) -> str:
    names = {list: "A list", str: "A text", bool: "A truth value", type(None): "null"}
    return names.get(type(value), "A number")


def _start(line: bytes) -> str:
    return line[:200].decode(errors="replace")
