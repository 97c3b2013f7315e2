"""Reads rows of JSON Lines: one object per line; lines end with a line feed, and blank lines are skipped."""

from collections.abc import Iterator
from typing import BinaryIO

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.numerals import grouped

from .batch import Objects
from .json_rows import JSONRows, json_chunks


def batches(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Objects]:
    rows, line = JSONRows(limits, problems), 0
    for block in line_blocks(json_chunks(file, fmt, limits), limits):
        yield rows.objects(block, line)
        line += block.count(b"\n") + 1


def line_blocks(chunks: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """Blocks of bytes, cut at line feeds (which are dropped): each with many lines, so that searching is cheap."""
    unfinished_line, line = b"", 1
    for chunk in chunks:
        head, feed, tail = chunk.rpartition(b"\n")
        if not feed:
            unfinished_line += chunk
        else:
            block, unfinished_line = unfinished_line + head, tail
            yield block
            line += block.count(b"\n") + 1
        if len(unfinished_line) > limits.row_characters:
            message = f"Line {line} is longer than {grouped(limits.row_characters)} bytes."
            raise FileError("row_too_large", message, {"line": line})
    if unfinished_line:
        yield unfinished_line
