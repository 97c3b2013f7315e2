"""Reads rows of Parquet in a child process.

A damaged file of 300 bytes can make the decoder ask for gigabytes or crash (arrow #49955). So it runs in a child with
bounded memory and time, and returns rows as lines of JSON; a child that dies is one `FileError`.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from evaluations import json_cells

from .formats import Format, Limits
from .problems import FileError, Problems
from .record import Record, check_cells, check_column_names
from .streams import check_size
from .text import clean_json

ROOT = Path(__file__).parents[2]
# Arrow's own allocators reserve more than they use, and the child's memory limit would count that.
ENVIRONMENT = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
Rows = list[dict[str, Any] | None]  # None for a refused row


def records(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Record]:
    """Yield records. Null and NaN become null, dates ISO 8601 texts, decimals texts, bytes Base64 with a warning."""
    if importlib.util.find_spec("pyarrow") is None:
        raise FileError("parquet_not_installed", "Parquet cannot be read: pyarrow is not installed here.")
    check_size(file, limits)
    size = file.seek(0, os.SEEK_END)
    number = total = 0
    typed: dict[str, str] = {}
    with _real_file(file) as source:
        for line in _decoded(source, limits):
            message = orjson.loads(line)
            if "columns" in message:
                total = message["rows"]
                names = list(map(json_cells.unmarked_name, message["columns"]))
                check_column_names(names, {}, limits)
                problems.columns.extend(names)
                named = zip(message["columns"], names, strict=True)
                typed = {column: name for column, name in named if column != name}
                continue
            for row in _typed(_rows(message, number, problems), typed):
                number += 1
                if row is not None and len(line) > limits.cell_characters:
                    check_cells(row, number, limits)
                yield number, number, row, len(line) // len(message["rows"])
            problems.bytes_read = size * number // total


def _typed(rows: Rows, typed: Mapping[str, str]) -> Rows:
    """The rows with JSON columns parsed, under their names without the suffix."""
    if not typed:
        return rows
    return [
        row and {typed.get(name, name): _value(cell, name in typed) for name, cell in row.items()}
        for row in rows
    ]


def _value(cell: Any, is_typed: bool) -> Any:
    return json_cells.value_of(cell) if is_typed and isinstance(cell, str) else cell


def _rows(message: dict[str, Any], before: int, problems: Problems) -> Rows:
    for code, text in message["warnings"]:
        problems.warn(code, text)
    for index, code, text, column, quote in message["errors"]:
        row = before + index + 1
        problems.error(code, f"Row {row}, column {column!r}: {text}.", {"row": row, "column": column}, quote)
    rows: Rows = message["rows"]
    if not message["has_nul"]:
        return rows
    cleaned: Rows = clean_json(rows)
    for row, (old, new) in enumerate(zip(rows, cleaned, strict=True), start=before + 1):
        if old != new:
            problems.warn("text_replaced", "NUL characters were replaced by U+FFFD.", row)
    return cleaned


def _decoded(source: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """The lines of the child; raises the `FileError` that it reports, or one if it dies without a message."""
    source.seek(0)
    command = [
        sys.executable,
        "-m",
        "evaluations.ingest.parquet_child",
        orjson.dumps(asdict(limits)).decode(),
    ]
    # The child imports this package from its working directory, whatever the parent's path is.
    with subprocess.Popen(
        command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, env=ENVIRONMENT
    ) as child:
        try:
            for line in child.stdout or ():
                if line.startswith(b'{"end"'):
                    return
                if line.startswith(b'{"file_error"'):
                    error = orjson.loads(line)["file_error"]
                    raise FileError(error["code"], error["message"], error["where"])
                yield line
        finally:
            child.kill()
    message = "The Parquet file is damaged, or needs too much memory: its reader stopped."
    raise FileError("parquet_unreadable", message)


@contextmanager
def _real_file(file: BinaryIO) -> Iterator[BinaryIO]:
    """The file itself if it has a descriptor, else a temporary copy, because the child reads only descriptors."""
    try:
        file.fileno()
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy)
            copy.flush()
            yield copy
    else:
        yield file
