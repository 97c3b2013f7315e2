"""Recognises a file that is one JSON object with a row under each name: {"ex-1": {"question": "a"}, "ex-2": {…}}."""

from collections.abc import Sequence
from typing import Any

from evaluations import strict_json
from evaluations.files.codes import HINTS
from evaluations.files.formats import Limits
from evaluations.files.problems import FileError, FileWarning

from .json_array import first_elements

FEWEST = 5  # rows; fewer objects may be the splits of a dataset
COLUMNS = ("key", "id", "name", "row_name")  # the first that no row has is the column of the names


def find(head: str, limits: Limits) -> str | None:
    """The column of the names, if all objects in the first part of a file have mostly the same fields; else None."""
    text = head.lstrip()
    if not text.startswith("{"):
        return None
    try:
        members = [_member(element) for element in first_elements(text.encode(), limits, b"{")]
    except (FileError, strict_json.JSONError):
        return None
    rows = [value for member in members for value in member.values()]
    if len(rows) < FEWEST or not _are_alike(rows) or _are_numbered(rows):
        return None
    fields = frozenset().union(*rows)
    return next((name for name in COLUMNS if name not in fields), None)


def warning(column: str) -> FileWarning:
    message = f"The file is one object with a row under each name: the names are the column “{column}”."
    return FileWarning("json_keyed_rows", message, HINTS["json_keyed_rows"], 1, (1,))


def _member(element: bytes) -> dict[str, Any]:
    value = strict_json.parse(b"{%s}" % element)
    return value if isinstance(value, dict) else {}


def _are_alike(rows: Sequence[Any]) -> bool:
    """Whether all are objects that share at least half of the fields of the largest."""
    if not all(isinstance(row, dict) and row for row in rows):
        return False
    shared = frozenset(rows[0]).intersection(*rows)
    return 2 * len(shared) >= max(map(len, rows))


def _are_numbered(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether these are the columns of a data frame in pandas' default format, with a cell under each number."""
    return all(next(iter(row)) == "0" for row in rows)
