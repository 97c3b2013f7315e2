"""Converts uploaded bytes to strict UTF-8 without a byte order mark, in chunks and up to a limit."""

import codecs
import io
import os
import time
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from evaluations.numerals import grouped

from .formats import Format, Limits
from .problems import FileError

CHUNK = 256 * 1024
GZIP_HEADER = 1024 * 1024  # bytes of the comment and file name that may precede the data
GZIP_MEMBERS = 100_000  # more than twice the number of 64 kB blocks in 2 GB
PACKED = 16 * 1024  # bytes; short, because zlib copies all bytes that follow a member


def utf8_chunks(file: BinaryIO, fmt: Format, limits: Limits) -> Iterator[bytes]:
    """The text of the file as UTF-8. An invalid byte raises `FileError` with its line."""
    try:
        yield from validated(binary_chunks(file, fmt.gzip, limits), fmt.encoding)
    except BadByte as bad:
        before = binary_chunks(file, fmt.gzip, limits)
        line = _line_at(bad.offset, before, fmt.encoding)
        name = "UTF-8" if fmt.encoding == "utf-8" else fmt.encoding
        message = f"Line {line}: the byte 0x{bad.byte:02X} is not valid in the encoding {name}."
        raise FileError("encoding", message, {"line": line, "byte": bad.offset}) from bad


def at_most(chunks: Iterator[bytes], size: int, seconds: float) -> Iterator[bytes]:
    """The chunks up to `size` bytes or `seconds`, for pages, which must not wait long."""
    deadline = time.monotonic() + seconds
    for chunk in chunks:
        yield chunk
        size -= len(chunk)
        if size <= 0 or time.monotonic() > deadline:
            return


def _line_at(offset: int, chunks: Iterator[bytes], encoding: str) -> int:
    """The line of a byte; counted only when an error needs it."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    newlines = returns = 0
    for chunk in chunks:
        text = decoder.decode(chunk[:offset])
        newlines, returns = newlines + text.count("\n"), returns + text.count("\r")
        offset -= len(chunk)
        if offset <= 0:
            break
    # Files of old Macs end lines with a carriage return alone.
    return 1 + max(newlines, returns)


def binary_chunks(file: BinaryIO, gzipped: bool, limits: Limits) -> Iterator[bytes]:
    """The bytes of the file from its start, unpacked; at most `limits.file_bytes`, packed and unpacked."""
    size = check_size(file, limits)
    file.seek(0)
    total = 0
    for chunk in _joined(_unpacked(file)) if gzipped else _read(file, CHUNK):
        total += len(chunk)
        check_unpacked(total, size, limits)
        yield chunk


def _read(file: BinaryIO, size: int) -> Iterator[bytes]:
    while chunk := file.read(size):
        yield chunk


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes in larger chunks, because gzip members may be short, and there may be thousands of them."""
    waiting, size = [], 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """Unpack the members of a gzip file one after another; zero bytes after the last are padding.

    The `gzip` module reads the name in a header byte by byte, which takes a minute for 60 MB.
    """
    member, silent, count = _member(), 0, 1
    for packed in _read(file, PACKED):
        silent += len(packed)
        while packed:
            if member.eof:
                packed = packed.lstrip(b"\0")
                if packed:
                    member, count = _member(), count + 1
                    _check_members(count)
                continue
            chunk = _inflated(member, packed)
            packed = member.unused_data if member.eof else member.unconsumed_tail
            if chunk:
                silent = 0
                yield chunk
        if silent > GZIP_HEADER:
            raise FileError("gzip_damaged", "The gzip header is too long, or the file has no data.")
    if not member.eof:
        raise FileError("gzip_damaged", "The gzip data is damaged or was cut: it ends too early.")


def _check_members(count: int) -> None:
    if count > GZIP_MEMBERS:
        message = f"The gzip file has more than {grouped(GZIP_MEMBERS)} compressed parts in a row."
        raise FileError("gzip_damaged", message, hint="Unpack it and compress it again as one.")


def _member() -> "zlib._Decompress":
    return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)  # 16: with gzip's header and checksum


def _inflated(member: "zlib._Decompress", packed: bytes) -> bytes:
    try:
        return member.decompress(packed, CHUNK)
    except zlib.error as damage:
        raise FileError("gzip_damaged", f"The gzip data is damaged or was cut: {damage}.") from damage


def check_size(file: BinaryIO, limits: Limits) -> int:
    """The size of the file; raises `FileError` if it is empty or too large."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise FileError("empty_file", "The file is empty (0 bytes).")
    if size > limits.file_bytes:
        raise FileError("bytes_limit", f"The file is larger than {megabytes(limits.file_bytes)}.")
    return size


def check_unpacked(total: int, size: int, limits: Limits) -> None:
    """Refuse a packed file whose unpacked size is far beyond that of normal files of its size."""
    if total > (maximum := limits.unpacked(size)):
        raise FileError("bytes_limit", f"The file unpacks to more than {megabytes(maximum)}.")


def check_values(values: int, size: int, limits: Limits, noun: str = "cells", *, hint: str = "") -> None:
    """Refuse a packed file with far too many values: nearly all are empty or equal, but each takes time."""
    if values > (maximum := limits.values(size)):
        limit = f"a compressed file of its size can have at most {grouped(maximum)}"
        message = f"The file has {grouped(values)} {noun}; {limit}."
        raise FileError("values_limit", message, hint=hint)


def megabytes(count: int) -> str:
    return f"{grouped(round(count / 1_000_000))} MB"


class BadByte(Exception):
    """A byte that is invalid in its encoding, `offset` bytes into the unpacked file."""

    def __init__(self, offset: int, byte: int):
        super().__init__(offset)
        self.offset, self.byte = offset, byte


def validated(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The chunks as UTF-8; UTF-8 itself is decoded only as a check."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    before, at_start = 0, True
    for chunk in chain(chunks, [b""]):
        text = _decoded(decoder, chunk, before)
        before += len(chunk)
        if at_start and text:
            at_start = False
            text = text.removeprefix("\ufeff")
        yield text.encode()


def _decoded(decoder: codecs.IncrementalDecoder, chunk: bytes, before: int) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as wrong:
        # The decoder may hold the beginning of a character from the previous chunk.
        carried = len(wrong.object) - len(chunk)
        raise BadByte(before - carried + wrong.start, wrong.object[wrong.start]) from wrong
    except UnicodeError as wrong:  # UTF-16 or UTF-32 without the required byte order mark
        raise FileError("encoding", f"The file is not in the encoding chosen: {wrong}.") from wrong


class ChunkStream(io.RawIOBase):
    """A readable stream over chunks, for readers of lines."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks
        self._unread = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._unread:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._unread = memoryview(chunk)
        size = min(len(buffer), len(self._unread))
        buffer[:size] = self._unread[:size]
        self._unread = self._unread[size:]
        return size


def buffered(chunks: Iterator[bytes]) -> io.BufferedReader:
    return io.BufferedReader(ChunkStream(chunks), CHUNK)


def bounded(chunks: Iterator[bytes], line_characters: int) -> Iterator[bytes]:
    """The chunks up to the end, or up to a line with more characters than this, so that it is not read into memory."""
    size = 0
    for chunk in chunks:
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        tail = len(chunk[end + 1 :].decode())
        size = size + tail if end < 0 else tail
        yield chunk
        if size > line_characters:
            return
