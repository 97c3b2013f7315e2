"""Finds the rows of a file that is one JSON object around a list of them: {"data": [{"q": "a"}, {"q": "b"}]}."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from evaluations import strict_json
from evaluations.conversations.messages import conversation
from evaluations.json_structure import Structure
from evaluations.numerals import grouped

from . import encoding
from .codes import HINTS
from .foreign import JQ
from .formats import Format, Limits
from .problems import FileError, FileWarning
from .streams import at_most, utf8_chunks

LISTS = 100  # in an object around rows
START = 16_000  # bytes of a list that show whether it has rows
AROUND = 100_000  # bytes of an object, without its lists


@dataclass(frozen=True)
class RowsInObject:
    """The list of rows, counted from zero among all lists of the object, and the warning that names it."""

    number: int
    warning: FileWarning


def find(file: BinaryIO, fmt: Format, limits: Limits) -> RowsInObject | None:
    """The only list of rows nearest to the outside of the object; None if the file is anything else.

    Raises `FileError` if there are several.
    """
    chunks = at_most(utf8_chunks(file, fmt, limits), encoding.CHECKED, encoding.SECONDS)
    around, starts = bytearray(), list[bytes]()
    for number, piece in pieces(chunks):
        if number is None:
            around += piece
        elif number == len(starts):
            around += b"[%d]" % number
            starts.append(piece[:START])
        else:
            starts[number] += piece[: START - len(starts[number])]
        if len(around) > AROUND or len(starts) > LISTS:
            return None
    try:
        value = strict_json.parse(bytes(around))
    except strict_json.JSONError:
        return None
    return _nearest(value, starts) if isinstance(value, dict) else None


def refuse_unfinished(file: BinaryIO, fmt: Format, limits: Limits) -> None:
    """Raise `FileError` for a file that ends before its object is closed, if it can be read in the time of a page."""
    structure, line, breaks, size = Structure(), 1, 0, 0
    for chunk in at_most(utf8_chunks(file, fmt, limits), encoding.CHECKED, encoding.SECONDS):
        structure.read(chunk)
        if text := chunk.rstrip():
            line = 1 + breaks + text.count(b"\n")
        breaks, size = breaks + chunk.count(b"\n"), size + len(chunk)
    if structure.depth > 0 and size < encoding.CHECKED:
        message = f"Line {grouped(line)}: the file ends here, before its JSON object is closed."
        raise FileError("json_unfinished", message, {"line": line})


def only(chunks: Iterator[bytes], list_number: int) -> Iterator[bytes]:
    """The text of one list of the object, with line breaks for the lines of everything else before and after it."""
    for number, piece in pieces(chunks):
        yield piece if number == list_number else b"\n" * piece.count(b"\n")


def pieces(chunks: Iterator[bytes]) -> Iterator[tuple[int | None, bytes]]:
    """The text in pieces, each with the number of its list; None outside lists. Lists inside lists do not count."""
    splitter = _Splitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)


class _Splitter:
    """Carries the open list and its depth to the next chunk."""

    def __init__(self) -> None:
        self._structure = Structure()
        self._count = 0
        self._depth: int | None = None  # inside the open list

    def feed(self, chunk: bytes) -> Iterator[tuple[int | None, bytes]]:
        chunk, (offsets, steps, depths) = self._structure.read(chunk)
        opens = (np.frombuffer(chunk, np.uint8)[offsets] == ord("[")) & (steps > 0)
        begin = mark = 0
        while len(
            ends := np.flatnonzero(opens[mark:] if self._depth is None else depths[mark:] < self._depth)
        ):
            mark += int(ends[0])
            cut = int(offsets[mark]) + (self._depth is not None)  # A list includes both of its brackets.
            yield self._number, chunk[begin:cut]
            if self._depth is None:
                self._depth = int(depths[mark])
            else:
                self._depth, self._count = None, self._count + 1
            begin, mark = cut, mark + 1
        yield self._number, chunk[begin:]

    @property
    def _number(self) -> int | None:
        return None if self._depth is None else self._count


def _nearest(value: Mapping[str, Any], starts: list[bytes]) -> RowsInObject | None:
    lists = [(path, number) for path, number in _lists(value) if _has_rows(starts[number])]
    depth = min((len(path) for path, _ in lists), default=0)
    nearest = [(path, number) for path, number in lists if len(path) == depth]
    if len(nearest) > 1:
        names = ", ".join(f"“{'.'.join(path)[:80]}”" for path, _ in nearest[:10])
        steps = "".join(f"[{json.dumps(name)}]" for name in nearest[0][0])
        hint = f"Upload one of them: {JQ.format(f'.{steps}[]')}"
        raise FileError(
            "json_not_an_array", f"The JSON object has several lists of rows: {names}.", hint=hint
        )
    if not nearest:
        return None
    path, number = nearest[0]
    return RowsInObject(number, _warning(path, [name for name in value if name != path[0]]))


def _lists(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The paths of all lists, each with its number; the number replaces it."""
    for name, member in value.items():
        if isinstance(member, list):
            yield (*path, name), member[0]
        elif isinstance(member, dict):
            yield from _lists(member, (*path, name))


def _has_rows(start: bytes) -> bool:
    """Whether a list begins with two objects that are not the messages of a conversation."""
    first = start[1:].lstrip()
    if start[:1] != b"[" or not first.startswith(b"{"):
        return False
    _, (offsets, steps, depths) = Structure().read(start)
    ends = offsets[(depths == 1) & (steps < 0)]
    if not len(ends):
        return len(start) == START  # The first object is longer.
    end = int(ends[0]) + 1
    comma, second = start[end:].lstrip()[:1], start[end:].lstrip()[1:].lstrip()
    has_second = comma == b"," and second.startswith(b"{")
    return has_second and not _is_message(start[len(start) - len(first) : end])


def _is_message(text: bytes) -> bool:
    try:
        return conversation([strict_json.parse(text)]) is not None
    except strict_json.JSONError:
        return False


def _warning(path: tuple[str, ...], ignored_names: list[str]) -> FileWarning:
    listed = ", ".join(f"“{name[:80]}”" for name in ignored_names[:10]) + ", …" * (len(ignored_names) > 10)
    message = f"The file is one object: its rows are read from the list “{'.'.join(path)[:80]}”."
    if ignored_names:
        message += f" Not imported: {listed}."
    return FileWarning("json_rows_in_object", message, HINTS["json_rows_in_object"], 1, (1,))
