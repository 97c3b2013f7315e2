"""Reads large JSON exports in little memory: of each object, only the imported fields are kept.

Exports repeat themselves (the variables of a test under every prompt), so equal kept texts share one object.
"""

from collections.abc import Callable, Iterator
from sys import getsizeof
from typing import Any, BinaryIO

import ijson
import orjson

from evaluations.files.streams import megabytes
from evaluations.ingest import FileError, Limits, clean

from . import documents

Slim = Callable[[dict[str, Any]], Any]
BLOCK = (
    4_000_000  # bytes that the parser gets at once; it looks again at a text that goes on in the next block
)
LONGEST = 16_000_000  # bytes of one text in a large document
LARGE = 40_000_000  # bytes; a smaller file is faster to read as a whole
MANY = 700_000  # members; an object with more takes 300 bytes of memory for each
MOST_HELD = 250_000_000  # bytes of memory for all kept values; reading takes twice as much in addition
OBJECT, MEMBER, LIST, ITEM = 232, 100, 64, 64  # bytes of memory, each with a short text as value
SHORT = 40  # characters of a text that is too short to share
DAMAGED = f"Export it again. An export of more than {megabytes(LARGE)} must not contain NaN or Infinity."


def value(file: BinaryIO, slim: Slim) -> Any:
    """The JSON value of a document, or the list of the values of its lines; for large files, slimmed by `slim`."""
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
    """Whether the whole value takes little memory."""
    size = members = 0
    for chunk in _chunks(file):
        size, members = size + len(chunk), members + chunk.count(b",")
    return size <= LARGE and members <= MANY


def memory(value: Any) -> int:
    """The approximate number of bytes of a JSON value, without its long texts."""
    if isinstance(value, dict):
        return OBJECT + sum(MEMBER + memory(element) for element in value.values())
    return LIST + sum(ITEM + memory(element) for element in value) if isinstance(value, list) else 0


class Slimmer:
    """Slims the objects of an export during reading: applies `slim`, and shares equal texts.

    Counts the memory, and refuses a file that needs more than a process has: small files may hold much.
    """

    def __init__(self, slim: Slim):
        self._slim = slim
        self._texts: dict[str, str] = {}
        self._size = 0

    def slimmed(self, value: dict[str, Any]) -> Any:
        """The object slimmed; an object that `slim` does not know stays unchanged. Only new texts are counted."""
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
    """Whether the first line is a complete object."""
    first, end, _ = documents.head(file).lstrip().partition(b"\n")
    try:
        return bool(end) and isinstance(orjson.loads(first), dict)
    except orjson.JSONDecodeError:
        return False


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The complete lines."""
    parts: list[bytes] = []
    size = 0
    for chunk in _chunks(file):
        first, *further_lines = chunk.split(b"\n")
        parts.append(first)
        size += len(first)
        _check_length("line", size, documents.MOST_WHOLE)
        for line in further_lines:
            yield b"".join(parts)
            parts, size = [line], len(line)
    yield b"".join(parts)


def _check_length(noun: str, size: int, maximum: int) -> None:
    """Refuse a text whose parsing would take a multiple of its bytes until it is complete."""
    if size > maximum:
        message = f"A {noun} of the export has more than {megabytes(maximum)}."
        raise FileError("bytes_limit", message, hint=documents.TOO_LARGE)


def _of_line(line: bytes, slimmer: Slimmer) -> Any:
    """The slimmed object of a line; if the line is a page of objects, the slimmed objects in its lists."""
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
    """Builds values from parser events, and slims each object once it is complete."""

    def __init__(self, slimmer: Slimmer):
        self._slimmer = slimmer
        self._open: list[Any] = [[]]
        self._names: list[str] = [""]

    def value(self, chunks: Iterator[bytes]) -> Any:
        """The value, or for JSON Lines the list of values: the first line may be too long to be recognised as one."""
        reader = _Reader(chunks)
        events = ijson.basic_parse(reader, use_float=True, buf_size=BLOCK, multiple_values=True)
        for event, scalar in events:
            reader.size = 0
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
    """A file-like object over chunks, for the parser; `size` counts the bytes since it last understood something."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks
        self.size = 0

    def read(self, size: int) -> bytes:
        block = bytearray()
        while len(block) < size and (chunk := next(self._chunks, b"")):
            block += chunk
        self.size += len(block)
        _check_length("text", self.size, LONGEST)
        return bytes(block)
