"""From the uploaded bytes to strict UTF-8 without a byte order mark, in chunks and up to a limit."""

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from .findings import FileError
from .formats import Format, Limits

CHUNK = 256 * 1024


def utf8_chunks(file: BinaryIO, fmt: Format, limits: Limits) -> Iterator[bytes]:
    """The text of the whole file as UTF-8. A byte that the encoding does not have ends it with its line."""
    return validated(binary_chunks(file, fmt.gzip, limits), fmt.encoding)


def binary_chunks(file: BinaryIO, gzipped: bool, limits: Limits) -> Iterator[bytes]:
    """The bytes of the file from its beginning, unpacked; at most `limits.file_bytes` packed and unpacked."""
    check_size(file, limits)
    file.seek(0)
    source = gzip.GzipFile(fileobj=file) if gzipped else file
    total = 0
    while chunk := _read(source):
        total += len(chunk)
        if total > limits.file_bytes:
            raise FileError("bytes_limit", f"The file unpacks to more than {megabytes(limits.file_bytes)}.")
        yield chunk


def check_size(file: BinaryIO, limits: Limits) -> None:
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise FileError("empty_file", "The file is empty (0 bytes).")
    if size > limits.file_bytes:
        raise FileError("bytes_limit", f"The file is larger than {megabytes(limits.file_bytes)}.")


def megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"


def _read(source: BinaryIO | gzip.GzipFile) -> bytes:
    try:
        return source.read(CHUNK)
    except (gzip.BadGzipFile, EOFError, zlib.error) as damage:
        raise FileError("gzip_damaged", f"The gzip data is damaged or was cut: {damage}.") from damage


def validated(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The chunks as UTF-8; UTF-8 itself is decoded only to be checked."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    place = _Place()
    at_start = True
    for chunk in _with_final_empty(chunks):
        text = place.decode(decoder, chunk)
        if at_start and text:
            at_start = False
            text = text.removeprefix("\ufeff")
        yield text.encode()


def _with_final_empty(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield from chunks
    yield b""


class _Place:
    """Decodes while counting, so that a bad byte can be named by line and offset."""

    def __init__(self) -> None:
        self.bytes = self.newlines = self.returns = 0

    def decode(self, decoder: codecs.IncrementalDecoder, chunk: bytes) -> str:
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as wrong:
            raise self._error(wrong, len(chunk)) from wrong
        except UnicodeError as wrong:  # UTF-16 and UTF-32 without the mark they begin with
            raise FileError("encoding", f"The file is not in the encoding chosen: {wrong}.") from wrong
        self.bytes += len(chunk)
        self.newlines += text.count("\n")
        self.returns += text.count("\r")
        return text

    def _error(self, wrong: UnicodeDecodeError, chunk_length: int) -> FileError:
        # The decoder may have kept the beginning of a character from the chunk before.
        kept = len(wrong.object) - chunk_length
        good = wrong.object[: wrong.start].decode(wrong.encoding, "replace")
        # Files of old Mac programs end their lines with a carriage return alone.
        line = 1 + max(self.newlines + good.count("\n"), self.returns + good.count("\r"))
        found = " ".join(f"0x{byte:02X}" for byte in wrong.object[wrong.start : wrong.start + 1])
        name = "UTF-8" if wrong.encoding == "utf-8" else wrong.encoding
        message = f"Line {line}: the byte {found} is not valid in the encoding {name}."
        return FileError("encoding", message, {"line": line, "byte": self.bytes - kept + wrong.start})


class ChunkStream(io.RawIOBase):
    """A readable stream over chunks, for everything that wants lines."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def open_utf8(file: BinaryIO, fmt: Format, limits: Limits) -> io.BufferedReader:
    return io.BufferedReader(ChunkStream(utf8_chunks(file, fmt, limits)), CHUNK)
