"""Reads rows of Parquet in a child process.

A damaged file of 300 bytes can make the decoder ask for gigabytes or crash (arrow #49955). So it runs in a child with
bounded memory and time, and returns rows as lines of JSON; a child that dies is one `FileError`.
"""

import importlib.util
from collections.abc import Iterator
from typing import BinaryIO

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems

from . import child_rows
from .record import Record


def records(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Record]:
    """Yield records. Null and NaN become null, dates ISO 8601 texts, decimals texts, bytes Base64 with a warning."""
    if importlib.util.find_spec("pyarrow") is None:
        raise FileError("parquet_not_installed", "Parquet cannot be read: pyarrow is not installed here.")
    message = "The Parquet file is damaged, or needs too much memory: its reader stopped."
    died = FileError("parquet_unreadable", message)
    yield from child_rows.records("parquet_child", {}, died, file, limits, problems)
