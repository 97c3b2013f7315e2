"""Rows of JSON Lines: one object per line, lines end with a line feed, blank lines are left out."""

from collections.abc import Iterator
from typing import BinaryIO

from .findings import FileError, Findings
from .formats import Format, Limits
from .json_object import is_unusual
from .json_rows import JSONRows
from .record import Record
from .streams import utf8_chunks


def records(file: BinaryIO, fmt: Format, limits: Limits, findings: Findings) -> Iterator[Record]:
    rows = JSONRows(limits, findings)
    number = line = 0
    for block in line_blocks(utf8_chunks(file, fmt, limits), limits):
        unusual = is_unusual(block)
        for text in block.split(b"\n"):
            line += 1
            if not text or text.isspace():
                continue
            number += 1
            yield rows.record(number, line, text, unusual)


def line_blocks(chunks: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """The bytes cut at line feeds (which are left out): many lines a block, so that a search costs little."""
    rest, line = b"", 1
    for chunk in chunks:
        head, feed, tail = chunk.rpartition(b"\n")
        if not feed:
            rest += chunk
        else:
            block, rest = rest + head, tail
            yield block
            line += block.count(b"\n") + 1
        if len(rest) > limits.row_characters:
            message = f"Line {line}: longer than {limits.row_characters:,} bytes."
            raise FileError("row_too_large", message, {"line": line})
    if rest:
        yield rest
