"""Reads large JSON of another tool in little memory: of each object it keeps only what is imported.

An export repeats itself, such as the variables of a test under every prompt, so equal texts of what is kept are kept
once.
"""

from collections.abc import Callable, Iterator
from sys import getsizeof
from typing import Any, BinaryIO

import ijson
import orjson

from evaluations.ingest import FileError, Limits, clean
from evaluations.ingest.streams import megabytes

from . import documents

Slim = Callable[[dict[str, Any]], Any]
BLOCK = 1_000_000
LARGE = 40_000_000  # bytes; a file of less is quicker to read whole
MANY = 700_000  # members; an object of more takes 300 bytes of memory for each
MOST_HELD = 250_000_000  # bytes of memory of all that is kept at once; reading takes twice as much beside it
OBJECT, MEMBER, LIST, ITEM = 232, 100, 64, 64  # bytes of memory, with a short text in each place
SHORT = 40  # characters of a text that is not worth sharing
DAMAGED = f"Export it again. One of more than {megabytes(LARGE)} may not hold NaN or Infinity."


def value(file: BinaryIO, slim: Slim) -> Any:
    """The JSON value of a document, or the values of its lines; of a large one what `slim` keeps of each object."""
    if _is_small(file):
        return documents.value(documents.text(file))
    slimmer = Slimmer(slim)
    if _has_lines(file):
        return [slimmer.keep(_of_line(line, slimmer)) for line in _lines(file) if line.strip()]
    try:
        return _Builder(slimmer).value(_chunks(file))
    except (ijson.JSONError, ValueError, OverflowError) as damage:
        message = f"The export is not valid JSON: {' '.join(str(damage).split())[:200]}."
        raise FileError("json_unfinished", message, hint=DAMAGED) from damage


def _is_small(file: BinaryIO) -> bool:
    """Whether the whole takes little memory."""
    size = members = 0
    for chunk in _chunks(file):
        size, members = size + len(chunk), members + chunk.count(b",")
    return size <= LARGE and members <= MANY


def memory(value: Any) -> int:
    """About how many bytes a JSON value takes besides its long texts."""
    if isinstance(value, dict):
        return OBJECT + sum(MEMBER + memory(element) for element in value.values())
    return LIST + sum(ITEM + memory(element) for element in value) if isinstance(value, list) else 0


class Slimmer:
    """Slims the objects of an export while it is read: keeps what `slim` keeps, and equal texts once.

    Counts the memory, and refuses more than a process has: a file may be small and hold much.
    """

    def __init__(self, slim: Slim):
        self._slim = slim
        self._texts: dict[str, str] = {}
        self._size = 0

    def slimmed(self, value: dict[str, Any]) -> Any:
        """What `slim` keeps of an object; one that it leaves as it is stays that. Only new texts are counted."""
        slim_value = self._slim(value)
        return value if slim_value is value else self._shared(slim_value)

    def keep(self, value: Any) -> Any:
        """The value, counted as an item of a list."""
        self.add(ITEM + memory(value))
        return value

    def add(self, size: int) -> None:
        self._size += size
        if self._size > MOST_HELD:
            message = f"Reading the export takes more than {megabytes(MOST_HELD)} of memory."
            raise FileError("bytes_limit", message, hint=documents.TOO_LARGE)

    def _shared(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._shared(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._shared(member) for member in value]
        return self._text(value) if isinstance(value, str) and len(value) > SHORT else value

    def _text(self, text: str) -> str:
        if text not in self._texts:
            self.add(getsizeof(text))
        return self._texts.setdefault(text, text)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    size = 0
    for chunk in documents.chunks(file, Limits()):
        size += len(chunk)
        documents.check_size(size)
        yield chunk


# ---- lines -------------------------------------------------------------------------------------------------


def _has_lines(file: BinaryIO) -> bool:
    """Whether the first line is an object of its own."""
    first, end, _ = documents.head(file).lstrip().partition(b"\n")
    try:
        return bool(end) and isinstance(orjson.loads(first), dict)
    except orjson.JSONDecodeError:
        return False


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines, each whole."""
    parts: list[bytes] = []
    for chunk in _chunks(file):
        first, *others = chunk.split(b"\n")
        parts.append(first)
        for line in others:
            yield b"".join(parts)
            parts = [line]
    yield b"".join(parts)


def _of_line(line: bytes, slimmer: Slimmer) -> Any:
    """What is kept of a line, or of the objects in the lists of a line that is a page of them."""
    parsed = documents.parsed(line)
    if not isinstance(parsed, dict):
        return parsed
    slimmed = slimmer.slimmed(parsed)
    if slimmed is not parsed:
        return slimmed
    return {
        name: [slimmer.slimmed(element) if isinstance(element, dict) else element for element in member]
        if isinstance(member, list)
        else member
        for name, member in parsed.items()
    }


# ---- document ----------------------------------------------------------------------------------------------


class _Builder:
    """Puts the events of a parser together, and slims each object when it is complete."""

    def __init__(self, slimmer: Slimmer):
        self._slimmer = slimmer
        self._open: list[Any] = [[]]
        self._names: list[str] = [""]

    def value(self, chunks: Iterator[bytes]) -> Any:
        """The value, or the list of all: the first of several lines may be too long to be seen as one."""
        events = ijson.basic_parse(_Reader(chunks), use_float=True, buf_size=BLOCK, multiple_values=True)
        for event, scalar in events:
            if event == "map_key":
                self._names[-1] = clean(scalar)
            elif event in ("start_map", "start_array"):
                self._begin({} if event == "start_map" else [])
            elif event == "end_map":
                self._add(self._slimmed(self._end()))
            else:
                self._add(self._end() if event == "end_array" else _clean(scalar))
        values = self._open[0]
        return values[0] if len(values) == 1 else values

    def _begin(self, container: Any) -> None:
        if len(self._open) > documents.DEEPEST:
            raise documents.too_deep()
        self._slimmer.add(memory(container))
        self._open.append(container)
        self._names.append("")

    def _slimmed(self, whole: dict[str, Any]) -> Any:
        slimmed = self._slimmer.slimmed(whole)
        if slimmed is not whole:
            self._slimmer.add(memory(slimmed) - memory(whole))
        return slimmed

    def _end(self) -> Any:
        self._names.pop()
        return self._open.pop()

    def _add(self, member: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            self._slimmer.add(MEMBER)
            container[self._names[-1]] = member
        else:
            self._slimmer.add(ITEM)
            container.append(member)


def _clean(scalar: Any) -> Any:
    return clean(scalar) if isinstance(scalar, str) else scalar


class _Reader:
    """A file for the parser, of chunks."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks

    def read(self, size: int) -> bytes:
        return next(self._chunks, b"") if size else b""
