"""Detects exports of ours in which an apostrophe guards formulas against spreadsheets."""

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from evaluations.spreadsheet import may_run

FIRST = (["key"], ["position", "key"])  # how the headers of our exports begin


def is_guarded(head: str, delimiter: str) -> bool:
    """Whether a file is such an export, by its first whole lines. A single unguarded formula proves that it is not.

    >>> is_guarded("key,answer\\nk1,'=1+1\\n", ","), is_guarded("key,answer\\nk1,=1+1\\n", ",")
    (True, False)
    >>> is_guarded("question,answer\\nk1,'=1+1\\n", ",")
    False
    """
    rows = _whole_rows(head.lstrip("\ufeff"), delimiter)
    header = next(rows, [])
    is_ours = any(header[: len(names)] == names for names in FIRST)
    return is_ours and not any(map(may_run, chain(header, *rows)))


def _whole_rows(head: str, delimiter: str) -> Iterator[list[str]]:
    """The rows before the first unreadable one, which the reader of the file will diagnose."""
    with suppress(csv.Error):
        yield from csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
