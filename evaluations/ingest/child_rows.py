"""Rows that a child process decodes from a binary file, with bounded memory and time; see the modules `*_child`.

The child sends lines of JSON: {"columns": [names], "rows": total}, then messages with "rows", "errors", "warnings" and
"has_nul" (and "lines", where they are not the numbers of the rows), and in the end {"file_error": …} or {"end": true}.
A child that dies is one `FileError`.
"""

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
from evaluations.files.formats import Limits
from evaluations.files.problems import FileError, Problems
from evaluations.files.streams import check_size
from evaluations.files.text import clean_json

from .record import Record, check_cells, check_column_names

ROOT = Path(__file__).parents[2]
# Arrow's own allocators reserve more than they use, and the child's memory limit would count that.
ENVIRONMENT = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
Rows = list[dict[str, Any] | None]  # None for a refused row


def records(
    child: str,
    settings: Mapping[str, Any],
    died: FileError,
    file: BinaryIO,
    limits: Limits,
    problems: Problems,
) -> Iterator[Record]:
    """The records that the module `child` decodes with these settings; raises `died` if it ends without a message."""
    check_size(file, limits)
    size = file.seek(0, os.SEEK_END)
    number = total = 0
    typed: dict[str, str] = {}
    for line in messages(child, settings, died, file, limits):
        message = orjson.loads(line)
        if "columns" in message:
            total = message["rows"]
            names = list(map(json_cells.unmarked_name, message["columns"]))
            check_column_names(names, {}, limits)
            problems.columns.extend(names)
            named = zip(message["columns"], names, strict=True)
            typed = {column: name for column, name in named if column != name}
            continue
        lines = message.get("lines") or range(number + 1, number + len(message["rows"]) + 1)
        for row, at in zip(_typed(_rows(message, lines, problems), typed), lines, strict=True):
            number += 1
            if row is not None and len(line) > limits.cell_characters:
                check_cells(row, at, limits)
            yield number, at, row, len(line) // len(message["rows"])
        problems.bytes_read = size * number // max(total, number)


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


def _rows(message: dict[str, Any], lines: Any, problems: Problems) -> Rows:
    for code, text in message["warnings"]:
        problems.warn(code, text)
    for index, code, text, column, quote in message["errors"]:
        row = lines[index]
        problems.error(code, f"Row {row}, column {column!r}: {text}.", {"row": row, "column": column}, quote)
    rows: Rows = message["rows"]
    if not message["has_nul"]:
        return rows
    cleaned: Rows = clean_json(rows)
    for row, old, new in zip(lines, rows, cleaned, strict=True):
        if old != new:
            problems.warn("text_replaced", "NUL characters were replaced by U+FFFD.", row)
    return cleaned


def messages(
    child: str, settings: Mapping[str, Any], died: FileError, file: BinaryIO, limits: Limits
) -> Iterator[bytes]:
    """The lines of the child; raises the `FileError` that it reports, or `died` if it dies without a message."""
    with _real_file(file) as source:
        source.seek(0)
        sent = orjson.dumps({**settings, "limits": asdict(limits)}).decode()
        # The child imports this package from its working directory, whatever the parent's path is.
        with subprocess.Popen(
            [sys.executable, "-m", f"evaluations.files.{child}", sent],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=ENVIRONMENT,
        ) as process:
            try:
                for line in process.stdout or ():
                    if line.startswith(b'{"end"'):
                        return
                    if line.startswith(b'{"file_error"'):
                        error = orjson.loads(line)["file_error"]
                        raise FileError(error["code"], error["message"], error["where"], hint=error["hint"])
                    yield line
            finally:
                process.kill()
    raise died


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
