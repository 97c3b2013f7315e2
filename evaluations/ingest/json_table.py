"""Finds the rows of a file that is one JSON object around a list of them: {"data": [{"q": "a"}, {"q": "b"}]}."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from evaluations import strict_json
from evaluations.conversations.messages import conversation
from evaluations.files.codes import HINTS
from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, FileWarning
from evaluations.files.streams import at_most, utf8_chunks
from evaluations.json_structure import Structure
from evaluations.numerals import grouped

from . import encoding
from .foreign import JQ
from .suggest import sure_roles

LISTS = 100  # in an object around rows
START = 16_000  # bytes of a list that show whether it has rows
MEMBER_DEPTH = 2  # inside an object that is a member of the outermost one
AROUND = 100_000  # bytes of an object, without its lists
# the usual names of a list of rows, in lower case without underscores
USUAL = {
    *("rows", "data", "examples", "items", "records", "tests", "testcases", "samples", "instances"),
    *("results", "testresults", "questions", "entries", "documents", "predictions"),
}


@dataclass(frozen=True)
class RowsInObject:
    """The list of rows, counted from zero among all lists of the object, its path, and the warning that names it.

    `names` are those of the cells, if each row is a list of cells; `others` the paths of all lists that may have rows.
    """

    number: int
    path: str
    warning: FileWarning
    names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find(file: BinaryIO, fmt: Format, limits: Limits, chosen: str = "") -> RowsInObject | None:
    """The chosen list of an object, else the only one nearest to the outside, or the one with a usual name.

    None if the file is anything else. Raises `FileError` if there are several, or not the chosen one.
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
    if not isinstance(value, dict):
        return None
    table = _split_table(value, starts)
    if table and chosen in ("", table.path):
        return table
    rows = _chosen(value, chosen) if chosen else _nearest(value, starts)
    return rows and replace(rows, others=tuple(".".join(path) for path, _ in _candidates(value, starts)))


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


def only(chunks: Iterator[bytes], list_number: int, opening: bytes = b"[") -> Iterator[bytes]:
    """The text of one list of the object, with line breaks for the lines of everything else before and after it.

    With the opening "{", the text of one of the objects that are its members.
    """
    for number, piece in pieces(chunks, opening):
        yield piece if number == list_number else b"\n" * piece.count(b"\n")


def pieces(chunks: Iterator[bytes], opening: bytes = b"[") -> Iterator[tuple[int | None, bytes]]:
    """The text in pieces, each with the number of its list; None outside lists. Lists inside lists do not count."""
    splitter = _Splitter(opening)
    for chunk in chunks:
        yield from splitter.feed(chunk)


class _Splitter:
    """Carries the open list and its depth to the next chunk."""

    def __init__(self, opening: bytes) -> None:
        self._opening = opening
        self._structure = Structure()
        self._count = 0
        self._depth: int | None = None  # inside the open list

    def feed(self, chunk: bytes) -> Iterator[tuple[int | None, bytes]]:
        chunk, (offsets, steps, depths) = self._structure.read(chunk)
        opens = (np.frombuffer(chunk, np.uint8)[offsets] == ord(self._opening)) & (steps > 0)
        if self._opening == b"{":  # only those that are members of the object
            opens &= depths == MEMBER_DEPTH
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


def _chosen(value: Mapping[str, Any], chosen: str) -> RowsInObject:
    for path, number in _lists(value):
        if ".".join(path) == chosen:
            return _rows(value, path, number)
    listed = ", ".join(f"“{'.'.join(path)[:80]}”" for path, _ in [*_lists(value)][:20])
    raise FileError("unknown_rows", f"The JSON object has no list “{chosen[:80]}”. It has: {listed}.")


def _split_table(value: Mapping[str, Any], starts: list[bytes]) -> RowsInObject | None:
    """The table of an object with the names of its columns and lists of cells, as pandas (`split`) writes it."""
    lists = {name: member[0] for name, member in value.items() if isinstance(member, list)}
    data = next(
        (name for name in ("data", "rows") if name in lists and _has_cells(starts[lists[name]])), None
    )
    names = _names(starts[lists["columns"]]) if data and "columns" in lists else ()
    if not data or not names:
        return None
    ignored = [name for name in value if name not in (data, "columns")]
    return RowsInObject(lists[data], data, _warning((data,), ignored), names)


def _has_cells(start: bytes) -> bool:
    """Whether a list begins with a list."""
    return start[:1] == b"[" and start[1:].lstrip()[:1] == b"["


def _names(start: bytes) -> tuple[str, ...]:
    """The names of columns in a list of texts, numbers, or objects with a name; empty for anything else."""
    try:
        listed = strict_json.parse(start)
    except strict_json.JSONError:
        return ()
    named = (
        [item.get("name") if isinstance(item, dict) else item for item in listed]
        if isinstance(listed, list)
        else []
    )
    texts = tuple(str(name) for name in named if isinstance(name, str | int))
    return texts if len(texts) == len(named) == len({*texts}) else ()


def _nearest(value: Mapping[str, Any], starts: list[bytes]) -> RowsInObject | None:
    lists = _candidates(value, starts)
    depth = min((len(path) for path, _ in lists), default=0)
    nearest = [(path, number) for path, number in lists if len(path) == depth]
    usual = [(path, number) for path, number in nearest if _is_usual(path[-1])]
    if len(nearest) > 1 and len(usual) != 1:
        paths = [".".join(path) for path, _ in nearest]
        names = ", ".join(f"“{path[:80]}”" for path in paths[:10])
        steps = "".join(f"[{json.dumps(name)}]" for name in nearest[0][0])
        hint = f"Say which one with the field rows, or upload one of them: {JQ.format(f'.{steps}[]')}"
        message = f"The JSON object has several lists of rows: {names}."
        raise FileError("json_not_an_array", message, hint=hint, choices=("rows", tuple(paths)))
    if not nearest:
        return None
    return _rows(value, *(usual or nearest)[0])


def _candidates(value: Mapping[str, Any], starts: list[bytes]) -> list[tuple[tuple[str, ...], int]]:
    """The lists that begin with rows, by path and number."""
    may_be_row = bool({"inputs", "output"} & {*sure_roles(value).values()})
    return [
        (path, number)
        for path, number in _lists(value)
        if _has_rows(starts[number], one_is_enough=len(path) == 1 and not may_be_row and _is_usual(path[0]))
    ]


def _rows(value: Mapping[str, Any], path: tuple[str, ...], number: int) -> RowsInObject:
    ignored = [".".join(other) for other in _beside(value, path)]
    return RowsInObject(number, ".".join(path), _warning(path, ignored))


def _beside(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of all members around a list, which are not read."""
    for name, member in value.items():
        if name != path[0]:
            yield (name,)
        elif len(path) > 1:
            yield from ((name, *inner) for inner in _beside(member, path[1:]))


def _is_usual(name: str) -> bool:
    return name.lower().replace("_", "") in USUAL


def _lists(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The paths of all lists, each with its number; the number replaces it."""
    for name, member in value.items():
        if isinstance(member, list):
            yield (*path, name), member[0]
        elif isinstance(member, dict):
            yield from _lists(member, (*path, name))


def _has_rows(start: bytes, *, one_is_enough: bool) -> bool:
    """Whether a list begins with two objects, or has the one that is enough, and is no conversation."""
    first = start[1:].lstrip()
    if start[:1] != b"[" or not first.startswith(b"{"):
        return False
    _, (offsets, steps, depths) = Structure().read(start)
    ends = offsets[(depths == 1) & (steps < 0)]
    if not len(ends):
        return len(start) == START  # The first object is longer.
    end = int(ends[0]) + 1
    mark, second = start[end:].lstrip()[:1], start[end:].lstrip()[1:].lstrip()
    has_rows = second.startswith(b"{") if mark == b"," else one_is_enough and mark == b"]"
    return has_rows and not _is_message(start[len(start) - len(first) : end])


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
    left_out = tuple(ignored_names[:100])
    return FileWarning("json_rows_in_object", message, HINTS["json_rows_in_object"], 1, (1,), left_out)
