"""JSON of another tool, read whole: exports are documents rather than tables, so they have a limit of their own."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from evaluations.ingest import FileError, Limits, clean_json
from evaluations.ingest.magic import GZIP
from evaluations.ingest.streams import binary_chunks, megabytes

MOST_BYTES = 250_000_000
DEEPEST = 200
TOO_LARGE = "Export fewer runs at once, or convert the rows to JSON Lines."


def head(file: BinaryIO) -> bytes:
    """The beginning of the file, unpacked."""
    return next(chunks(file, Limits()), b"")


def text(file: BinaryIO) -> bytes:
    """The whole file, unpacked."""
    parts, size = [], 0
    for chunk in chunks(file, Limits()):
        size += len(chunk)
        check_size(size)
        parts.append(chunk)
    return b"".join(parts)


def cleaned(parsed_value: Any) -> Any:
    """The value without characters that no database keeps; refused where it is nested more deeply than anyone means."""
    level, depth = [parsed_value], 0
    while level := [member for each in level for member in _members(each)]:
        depth += 1
        if depth > DEEPEST:
            raise too_deep()
    return clean_json(parsed_value)


def _members(each: Any) -> Iterator[Any]:
    """The objects and lists in an object or a list."""
    if isinstance(each, dict | list):
        members = each.values() if isinstance(each, dict) else each
        yield from (member for member in members if isinstance(member, dict | list))


def too_deep() -> FileError:
    message = f"The JSON is nested more than {DEEPEST} levels deep."
    return FileError("json_too_deep", message, hint="Flatten it.")


def check_size(size: int) -> None:
    if size > MOST_BYTES:
        message = f"An export of another tool may have {megabytes(MOST_BYTES)}; this one has more."
        raise FileError("bytes_limit", message, hint=TOO_LARGE)


def chunks(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """The bytes of the file, unpacked, without a byte order mark."""
    file.seek(0)
    is_packed = file.read(2) == GZIP
    parts = binary_chunks(file, is_packed, limits)
    yield next(parts, b"").removeprefix(BOM_UTF8)
    yield from parts


def value(content: bytes) -> Any:
    """The JSON value of a document, or the list of the values of its lines."""
    try:
        return parsed(content)
    except FileError as problem:
        lines = [line for line in content.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [_line(line, number, problem) for number, line in enumerate(lines, 1)]


def _line(line: bytes, number: int, problem: FileError) -> Any:
    try:
        return parsed(line)
    except FileError as wrong:
        raise (problem if number == 1 else wrong) from wrong


def parsed(content: bytes) -> Any:
    """One JSON value without characters that no database keeps. Python's NaN and Infinity are null."""
    try:
        return cleaned(orjson.loads(content))
    except orjson.JSONDecodeError:
        pass
    try:
        return cleaned(json.loads(content, parse_constant=lambda name: None))
    except RecursionError as deep:
        raise too_deep() from deep
    except ValueError as wrong:
        message = f"The export is not valid JSON: {wrong}."
        raise FileError("json_unfinished", message, hint="Export it again.") from wrong
