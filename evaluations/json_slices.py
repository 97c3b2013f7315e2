"""Parses and writes long JSON in slices: otherwise, every other request would wait for a whole text.

Lists and objects that are longer than a slice are cut at their commas, level by level.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import orjson

from .json_structure import WINDOW, Structure

SLICE = 1 << 17  # bytes that are parsed at once, which takes some milliseconds
BLANKS = b" \t\n\r"
ROWS = 2_000  # items of a list that are written at once
QUOTE, BACKSLASH = b'"\\'


def loads(text: bytes) -> Any:
    """The same as `orjson.loads`; raises `orjson.JSONDecodeError`, whose position is that in the slice."""
    return _value(text, 0, len(text))


def _value(text: bytes, start: int, end: int) -> Any:
    while start < end and text[start] in BLANKS:
        start += 1
    while start < end and text[end - 1] in BLANKS:
        end -= 1
    outer = text[start : start + 1] + text[end - 1 : end]
    if end - start <= SLICE or outer not in (b"[]", b"{}"):
        return orjson.loads(memoryview(text)[start:end])
    return _list(text, start, end) if outer == b"[]" else _object(text, start, end)


def _list(text: bytes, start: int, end: int) -> list[Any]:
    items: list[Any] = []
    for first, last in _parts(text, start, end):
        is_short = last - first <= 2 * SLICE
        items += orjson.loads(b"[" + text[first:last] + b"]") if is_short else [_value(text, first, last)]
    return items


def _object(text: bytes, start: int, end: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for first, last in _parts(text, start, end):
        colon = _colon(text, first, last) if last - first > 2 * SLICE else -1
        if colon < 0:
            members |= orjson.loads(b"{" + text[first:last] + b"}")
        else:
            members[orjson.loads(text[first:colon])] = _value(text, colon + 1, last)
    return members


def _colon(text: bytes, start: int, end: int) -> int:
    """The offset of the colon after the name with which a member begins; -1 if it begins with none."""
    while start < end and text[start] in BLANKS:
        start += 1
    if start == end or text[start] != QUOTE:
        return -1
    start += 1
    while start < end and text[start] != QUOTE:
        start += 2 if text[start] == BACKSLASH else 1
    start += 1
    while start < end and text[start] in BLANKS:
        start += 1
    return start if text[start : start + 1] == b":" and start < end else -1


def _parts(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The inside of a list or object, cut at its own commas: slices of members, or one that is longer."""
    first = last = start + 1
    for comma in chain(_commas(text, start, end), [end - 1]):
        if comma - first > SLICE and last > first:
            yield first, _filled(text, first, last - 1)
            first = last
        last = comma + 1
    yield first, end - 1 if first == start + 1 else _filled(text, first, end - 1)


def _filled(text: bytes, first: int, last: int) -> int:
    """The end of a part that must not be blank, because a comma stands beside it."""
    if not text[first:last].strip(BLANKS):
        raise orjson.JSONDecodeError("a value is missing", "", first)
    return last


def _commas(text: bytes, start: int, end: int) -> Iterator[int]:
    """The offsets of the commas of a list or object, not of those within it."""
    structure, read = Structure(), start
    for begin in range(start, end, WINDOW):
        chunk, marks = structure.read(text[begin : min(begin + WINDOW, end)])
        yield from (marks.offsets[(marks.steps == 0) & (marks.depths == 1)] + read).tolist()
        read += len(chunk)


def dumped(value: Any, depth: int = 4) -> Iterator[bytes]:
    """The pieces of `orjson.dumps` with sorted names; lists are cut, down to a depth."""
    if depth and isinstance(value, dict):
        yield b"{"
        for number, name in enumerate(sorted(value)):
            yield (b"," if number else b"") + orjson.dumps(name) + b":"
            yield from dumped(value[name], depth - 1)
        yield b"}"
    elif depth and isinstance(value, list):
        yield from _dumped_list(value, depth)
    else:
        yield orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _dumped_list(items: list[Any], depth: int) -> Iterator[bytes]:
    yield b"["
    if len(items) > ROWS:
        for start in range(0, len(items), ROWS):
            rows = orjson.dumps(items[start : start + ROWS], option=orjson.OPT_SORT_KEYS)
            yield (b"," if start else b"") + rows[1:-1]
    else:
        for number, item in enumerate(items):
            yield b"," if number else b""
            yield from dumped(item, depth - 1)
    yield b"]"
