"""Reads rows of a JSON array of objects, alone or inside an object, without holding the whole array in memory.

The text is cut into its elements by looking at brackets, quotes and commas only; each element is then read as
a line of JSON Lines is. A wrong element therefore costs one row, not the file.
That is why this is not ijson, which would be 3 to 6 times as fast with its C library (`manage.py file_speed`).
"""

from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.json_structure import Marks, Structure
from evaluations.numerals import grouped
from evaluations.strict_json import is_unusual

from . import json_table
from .json_rows import JSONRows, json_chunks
from .record import Record

CLOSING = {b"[": b"]", b"{": b"}"}
Element = tuple[
    int, bytes, bool
]  # line number, text without surrounding white space, whether `strict_json` must check it


def records(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Record]:
    rows = JSONRows(limits, problems, fmt.names, fmt.names_in)
    chunks, opening = json_chunks(file, fmt, limits), b"{" if fmt.names_in else b"["
    if fmt.list_number is not None:
        chunks = json_table.only(chunks, fmt.list_number, opening)
    number = 0
    for line, text, unusual in elements(chunks, limits, opening):
        if text:
            for record in rows.records(number + 1, line, text, unusual):
                number = record[0]
                yield record
        else:
            number += 1
            problems.error("json_trailing_comma", f"Line {line}: a comma without an object.", {"line": line})
            yield number, line, None, 0


def elements(chunks: Iterator[bytes], limits: Limits, opening: bytes = b"[") -> Iterator[Element]:
    """The elements of the array, or the members of the object (`opening` "{"), each with its name.

    An empty text stands for a comma without an element.
    """
    splitter = _Splitter(limits, opening)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    splitter.finish()


def first_elements(text: bytes, limits: Limits, opening: bytes) -> tuple[list[bytes], bytes]:
    """The elements that are whole in the first part of a file, and the beginning of the next one."""
    splitter = _Splitter(limits, opening)
    return [element for _, element, _ in splitter.feed(text)], splitter.unfinished


class _Splitter:
    """Splits chunks into elements; carries the unfinished element, its depth and open quotes to the next chunk."""

    def __init__(self, limits: Limits, opening: bytes):
        self._limits, self._opening, self._closing = limits, opening, CLOSING[opening]
        self._parts: list[bytes] = []  # parts of the unfinished element
        self._size = 0
        self._line = 1  # the line on which they begin
        self._structure = Structure()
        self._opened = self._closed = False
        self._count = 0

    def feed(self, chunk: bytes) -> Iterator[Element]:
        chunk, marks = self._structure.read(chunk)
        unusual = is_unusual(chunk)
        begin = 0
        for cut in _cuts(marks):
            self._keep(chunk[begin:cut])
            if element := self._cut(chunk[cut : cut + 1], unusual):
                yield element
            begin = cut + 1
        self._keep(chunk[begin:])

    def _cut(self, mark: bytes, unusual: bool) -> Element | None:
        """The element that ends at this mark; None at the opening bracket of the array."""
        # Chunks are searched separately, so an element across two chunks is always checked.
        unusual = unusual or len(self._parts) > 1
        line, text = self._take()
        if not self._opened:
            self._open(mark, text)
            return None
        if self._closed or mark not in (b",", self._closing):
            self._after_end(line)
        self._closed = mark == self._closing
        if self._closed and not text and not self._count:
            return None
        self._count += 1
        return line, text, unusual

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limits.row_characters:
            line, _ = self._take()
            message = (
                f"Line {line}: an element of over {grouped(self._limits.row_characters)} bytes begins here."
            )
            raise FileError("row_too_large", message, {"line": line})

    def _take(self) -> tuple[int, bytes]:
        whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts, self._size = [], 0
        text = whole.lstrip()
        line = self._line + whole.count(b"\n", 0, len(whole) - len(text))
        self._line += whole.count(b"\n")
        return line, text.rstrip()

    @property
    def unfinished(self) -> bytes:
        return b"".join(self._parts)

    def _open(self, mark: bytes, text: bytes) -> None:
        if text or mark != self._opening:
            message = "The JSON does not begin with an array of objects."
            raise FileError("json_not_an_array", message, {"line": 1})
        self._opened = True

    def _after_end(self, line: int) -> NoReturn:
        message = f"Line {line}: there is more after the end of the array, or its brackets do not match."
        raise FileError("json_after_end", message, {"line": line})

    def finish(self) -> None:
        """Check at the end of the file that the array was closed."""
        line, text = self._take()
        if not self._opened:
            self._open(b"", text)
        if not self._closed:
            message = f"Line {line}: the file ends within the element that begins here: invalid JSON."
            raise FileError("json_unfinished", message, {"line": line})
        if text or self._structure.escape:
            self._after_end(line)


def _cuts(marks: Marks) -> list[int]:
    """Offsets of the array's own brackets, and of the commas between its elements."""
    offsets, steps, depths = marks
    return list(offsets[((depths == 1) & (steps >= 0)) | ((depths <= 0) & (steps < 0))].tolist())
