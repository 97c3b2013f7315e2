"""JSON that strangers send, read strictly: what every database can keep, or a refusal that says where."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.values import JSON

DEEPEST = 64
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STEP = np.zeros(256, np.int8)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1


def parse(body: bytes, *, nul: bool = False) -> JSON:
    """The value; raises `Invalid`. `nul`: an escaped NUL is a character like others; nothing is stored."""
    if depth(body) > DEEPEST:
        raise Invalid("too_deep", f"The JSON is nested deeper than {DEEPEST} levels.")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        message = f"The body is not UTF-8: byte {wrong.start} does not belong."
        raise Invalid("invalid_character", message, where={"byte": wrong.start}) from wrong
    try:
        value = _STRICT.decode(text)
    except json.JSONDecodeError as wrong:
        raise _broken(wrong) from wrong
    if (not nul and b"\\u0000" in body) or _ESCAPED_SURROGATE.search(body):
        refuse_characters(value, nul=nul)
    return value


def as_object(value: JSON, name: str = "") -> dict[str, JSON]:
    if isinstance(value, dict):
        return value
    what = f"{name} is" if name else "The body is"
    message = f"{what} a JSON object: {{…}}."
    raise Invalid("object_expected", message, fields={name: [message]} if name else None)


def depth(body: bytes) -> int:
    """How deep brackets nest, seen in the bytes outside texts, before anything is parsed."""
    steps: NDArray[np.int8] = _STEP[np.frombuffer(_TEXTS.sub(b"", body), np.uint8)]
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def refuse_characters(value: Any, *, nul: bool = False) -> None:
    """Raise `Invalid` naming the first text that holds half a surrogate pair or, unless allowed, a NUL."""
    for path, text in _texts(value):
        found = _SURROGATE.search(text) or (None if nul else re.search("\0", text))
        if found:
            what = f"U+{ord(found[0]):04X}"
            message = (
                f"{path or 'The body'}: character {found.start() + 1} is {what}, which no text can hold."
            )
            raise Invalid("invalid_character", message, fields={path: [message]} if path else None)


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value with its path, names of fields too; nesting was limited before."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, field in value.items():
            inner = f"{path}.{_shown(name)}".removeprefix(".")
            yield inner, name
            yield from _texts(field, inner)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{path}[{number}]")


def _shown(name: str) -> str:
    return name if name.isprintable() else name.encode("unicode_escape").decode()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        message = f"The name {_shown(twice[:80])!r} appears twice in one object."
        raise Invalid("duplicate_name", message)
    return found


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise Invalid(
            "invalid_number", "An integer has more than 64 bits.", hint="Send it as a text in quotes."
        )
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Invalid("invalid_number", f"The number {digits[:40]} is too large.")
    return number


def _constant(name: str) -> float:
    raise Invalid("invalid_number", f"{name} is not a JSON number.", hint="Send null.")


_STRICT = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_finite, parse_constant=_constant
)


def _broken(wrong: json.JSONDecodeError) -> Invalid:
    where = {"line": wrong.lineno, "column": wrong.colno}
    if wrong.msg.startswith("Invalid control character"):
        message = f"Line {wrong.lineno}, column {wrong.colno}: a control character must be escaped in a text."
        return Invalid("invalid_character", message, where=where)
    message = f"Line {wrong.lineno}, column {wrong.colno}: {wrong.msg}."
    return Invalid("invalid_json", message, where=where)
