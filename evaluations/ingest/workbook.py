"""Reads rows of a sheet of an Excel or OpenDocument workbook, in a child process: a small one may unpack to gigabytes.

Texts stay texts ("007"), numbers are numbers, dates ISO 8601 texts, and line breaks stay. A formula is its last result.
"""

from collections.abc import Iterator
from typing import BinaryIO

import orjson

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.spreadsheet import OWN_SHEETS

from . import child_rows
from .record import Record


def records(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Record]:
    settings = {"sheet": fmt.sheet, "header": fmt.header}
    yield from child_rows.records("workbook_child", settings, _died(), file, limits, problems)


def sheets(file: BinaryIO, limits: Limits) -> list[str]:
    """The visible sheets with rows, that of the examples first; raises `FileError` if there is none."""
    listed = next(child_rows.messages("workbook_child", {"list": True}, _died(), file, limits))
    names: list[str] = orjson.loads(listed)["sheets"]
    if not names:
        raise FileError("no_rows", "The workbook has no visible sheet with cells.")
    return names[::-1] if tuple(names) == OWN_SHEETS else names


def _died() -> FileError:
    message = "The workbook is damaged, or needs too much memory or time: its reader stopped."
    return FileError("workbook_unreadable", message)
