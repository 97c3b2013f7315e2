"""Reads a JSON document of another tool as a whole; unlike tables, such exports have their own size limit."""

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

import orjson

from evaluations import strict_json
from evaluations.files.streams import binary_chunks, check_values, megabytes
from evaluations.ingest import FileError, Limits, clean_json
from evaluations.ingest.magic import GZIP
from evaluations.numerals import grouped

MOST_BYTES = 250_000_000
MOST_WHOLE = 40_000_000  # bytes of an export that is read at once
MOST_VALUES = 2_000_000  # values of one JSON text; objects and lists count twice
DEEPEST = 200
# an export in which only the answers differ has eight values per byte
PACKED = Limits(unpacked_values=100_000, values_per_byte=10)
_LINE = re.compile(rb"\S[^\r\n]*")
UNPACK = "Upload the export without compression, or export fewer runs at once."
TOO_LARGE = "Export fewer runs at once, or convert the rows to JSON Lines."


def head(file: BinaryIO) -> bytes:
    """The unpacked beginning of the file, however many values it holds: values are counted when the rest is read."""
    return _without_mark(_unpacked(file, Limits()))


def text(file: BinaryIO) -> bytes:
    """The whole file, unpacked."""
    parts, size = [], 0
    for chunk in chunks(file, Limits()):
        size += len(chunk)
        check_size(size, MOST_WHOLE)
        parts.append(chunk)
    return b"".join(parts)


def too_deep() -> FileError:
    message = f"The JSON is nested more than {DEEPEST} levels deep."
    return FileError("json_too_deep", message, hint="Flatten it.")


def check_size(size: int, maximum: int = MOST_BYTES) -> None:
    if size > maximum:
        message = f"An export of another tool can have at most {megabytes(maximum)}; this one is larger."
        raise FileError("bytes_limit", message, hint=TOO_LARGE)


def chunks(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """The unpacked bytes of the file, without a byte order mark; refuses a small packed file with too many values."""
    parts = _unpacked(file, limits)
    if _is_packed(file):
        parts = _counted(parts, file.seek(0, os.SEEK_END))
    yield _without_mark(parts)
    yield from parts


def _is_packed(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(2) == GZIP


def _unpacked(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    return binary_chunks(file, _is_packed(file), limits)


def _without_mark(parts: Iterator[bytes]) -> bytes:
    """The first of the parts, without a byte order mark; b"" if there is none."""
    return next(parts, b"").removeprefix(BOM_UTF8)


def _counted(parts: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The chunks, with values counted by brackets and commas, or by lines: parsing each takes time in a web process."""
    values = 0
    for part in parts:
        values += max(sum(map(part.count, (b"[", b"{", b","))), part.count(b"\n"))
        check_values(values, size, PACKED, "values", hint=UNPACK)
        yield part


def value(content: bytes) -> Any:
    """The JSON value of a document; for JSON Lines the list of values."""
    try:
        return parsed(content)
    except FileError as problem:
        if problem.code != "json_unfinished":
            raise
        lines = (line[0] for line in islice(_LINE.finditer(content), MOST_VALUES + 1))
        values = [_line(line, number, problem) for number, line in enumerate(lines, 1)]
        if len(values) > MOST_VALUES:
            raise too_many() from problem
        if len(values) < 2:
            raise
        return values


def _line(line: bytes, number: int, problem: FileError) -> Any:
    try:
        return _parsed(line)
    except FileError as wrong:
        raise (problem if number == 1 else wrong) from wrong


def parsed(content: bytes) -> Any:
    """One JSON value, cleaned of characters that no database stores. Python's NaN and Infinity become null."""
    _check(content)
    return _parsed(content)


def _parsed(content: bytes) -> Any:
    try:
        parsed_value = orjson.loads(content)
    except orjson.JSONDecodeError:
        parsed_value = _as_python_writes_it(content)
    return clean_json(parsed_value) if strict_json.has_odd_escapes(content) else parsed_value


def _check(content: bytes) -> None:
    """Refuse JSON that is nested too deep or has too many values, before parsing it."""
    if sum(map(content.count, (b"[", b"{", b","))) <= DEEPEST:
        return
    try:
        strict_json.Limits(depth=DEEPEST, values=MOST_VALUES).check(content)
    except strict_json.TooDeep as deep:
        raise too_deep() from deep
    except strict_json.TooLarge as large:
        raise too_many() from large


def _as_python_writes_it(content: bytes) -> Any:
    try:
        return json.loads(content, parse_constant=lambda name: None)
    except RecursionError as deep:
        raise too_deep() from deep
    except ValueError as wrong:
        message = f"The export is not valid JSON: {wrong}."
        raise FileError("json_unfinished", message, hint="Export it again.") from wrong


def too_many() -> FileError:
    message = f"The export holds more than {grouped(MOST_VALUES)} values."
    return FileError("values_limit", message, hint=TOO_LARGE)
