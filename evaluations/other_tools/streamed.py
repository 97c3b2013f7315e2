"""Large JSON of another tool without its dead weight: of each object only what is imported is ever kept.

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
MOST_KEPT = 200_000_000  # bytes of what is imported as Python holds it; reading takes twice as much beside it
MOST_HELD = 300_000_000  # bytes of everything that is held at once, besides the texts
OBJECT, MEMBER, LIST, ITEM = 232, 100, 64, 64  # bytes of memory, with a short text in each place
SHORT = 40  # characters of a text that is not worth sharing
DAMAGED = f"Export it again. One of more than {megabytes(LARGE)} may not hold NaN or Infinity."


def value(file: BinaryIO, slim: Slim) -> Any:
    """The JSON value of a document, or the values of its lines; of a large one what `slim` keeps of each object."""
    if sum(map(len, _chunks(file))) <= LARGE:
        return documents.value(documents.text(file))
    kept = Kept(slim)
    if _has_lines(file):
        held = Held()
        return [held.keep(_slimmed(line, kept)) for line in _lines(file) if line.strip()]
    try:
        return _Builder(kept).value(_chunks(file))
    except (ijson.JSONError, ValueError, OverflowError) as damage:
        message = f"The export is not valid JSON: {' '.join(str(damage).split())[:200]}."
        raise FileError("json_unfinished", message, hint=DAMAGED) from damage


class Held:
    """Counts the memory of all that is held while an export is read, also of what nothing imports."""

    def __init__(self) -> None:
        self._size = 0

    def add(self, size: int) -> None:
        self._size += size
        if self._size > MOST_HELD:
            message = f"Reading the export takes more than {megabytes(MOST_HELD)} of memory."
            raise FileError("values_limit", message, hint=documents.TOO_LARGE)

    def keep(self, value: Any) -> Any:
        self.add(ITEM + memory(value))
        return value


def memory(value: Any) -> int:
    """About how many bytes a JSON value takes besides its texts."""
    if isinstance(value, dict):
        return OBJECT + sum(MEMBER + memory(each) for each in value.values())
    return LIST + sum(ITEM + memory(each) for each in value) if isinstance(value, list) else 0


class Kept:
    """What `slim` keeps of an object, its equal texts kept once; an object that it leaves as it is stays that.

    Refuses more than a process has memory for: a file may be small and hold much.
    """

    def __init__(self, slim: Slim):
        self._slim = slim
        self._texts: dict[str, str] = {}
        self._size = 0

    def __call__(self, value: dict[str, Any]) -> Any:
        kept = self._slim(value)
        return value if kept is value else self._shared(kept)

    def _shared(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._counted({name: self._shared(member) for name, member in value.items()})
        if isinstance(value, list):
            return self._counted([self._shared(member) for member in value])
        if not isinstance(value, str) or len(value) <= SHORT:
            return self._counted(value)
        known = self._texts.get(value)
        return self._texts.setdefault(value, self._counted(value)) if known is None else known

    def _counted(self, value: Any) -> Any:
        self._size += getsizeof(value)
        if self._size > MOST_KEPT:
            message = (
                f"What would be imported of the export takes more than {megabytes(MOST_KEPT)} of memory."
            )
            raise FileError("bytes_limit", message, hint=documents.TOO_LARGE)
        return value


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


def _slimmed(line: bytes, slim: Kept) -> Any:
    """A line, or the objects in the lists of a line that is a page of them."""
    parsed = documents.parsed(line)
    if not isinstance(parsed, dict):
        return parsed
    kept = slim(parsed)
    if kept is not parsed:
        return kept
    return {
        name: [slim(each) if isinstance(each, dict) else each for each in member]
        if isinstance(member, list)
        else member
        for name, member in parsed.items()
    }


# ---- document ----------------------------------------------------------------------------------------------


class _Builder:
    """Puts the events of a parser together, and hands each object to `slim` when it is complete."""

    def __init__(self, slim: Kept):
        self._slim, self._held = slim, Held()
        self._open: list[Any] = [[]]
        self._names: list[str] = [""]

    def value(self, chunks: Iterator[bytes]) -> Any:
        for event, scalar in ijson.basic_parse(_Reader(chunks), use_float=True, buf_size=BLOCK):
            if event == "map_key":
                self._names[-1] = clean(scalar)
            elif event in ("start_map", "start_array"):
                self._begin({} if event == "start_map" else [])
            elif event == "end_map":
                self._add(self._slimmed(self._end()))
            else:
                self._add(self._end() if event == "end_array" else _clean(scalar))
        return self._open[0][0]

    def _begin(self, container: Any) -> None:
        if len(self._open) > documents.DEEPEST:
            raise documents.too_deep()
        self._held.add(memory(container))
        self._open.append(container)
        self._names.append("")

    def _slimmed(self, whole: dict[str, Any]) -> Any:
        kept = self._slim(whole)
        if kept is not whole:
            self._held.add(memory(kept) - memory(whole))
        return kept

    def _end(self) -> Any:
        self._names.pop()
        return self._open.pop()

    def _add(self, member: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            self._held.add(MEMBER)
            container[self._names[-1]] = member
        else:
            self._held.add(ITEM)
            container.append(member)


def _clean(scalar: Any) -> Any:
    return clean(scalar) if isinstance(scalar, str) else scalar


class _Reader:
    """A file for the parser, of chunks."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks

    def read(self, size: int) -> bytes:
        return next(self._chunks, b"") if size else b""
