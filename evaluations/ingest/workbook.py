"""Reads rows of sheets of an Excel or OpenDocument workbook, in a child process: a small one may unpack to gigabytes.

Texts stay texts ("007"), numbers are numbers, dates ISO 8601 texts, and line breaks stay. A formula is its last result.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import orjson

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, Problems
from evaluations.spreadsheet import OWN_SHEETS

from . import child_rows, closing_rows, joined
from .batch import Objects
from .file_tables import Table
from .record import Record, check_column_names

ALL_SHEETS = "all sheets, joined"  # in place of the name of one: a sheet for each variant
MOST_JOINED = 20  # sheets
FEW = 20  # rows of a sheet that only describes another one, which has so many times as many:
TIMES = 3


class Sheet(NamedTuple):
    """A visible sheet; of a large workbook only the name is known."""

    name: str
    rows: int
    columns: int
    names: list[str]


def records(file: BinaryIO, fmt: Format, limits: Limits, problems: Problems) -> Iterator[Record]:
    if fmt.sheet == ALL_SHEETS:
        names = [name for name in fmt.sheets if name != ALL_SHEETS]
        yield from _joined(_tables(file, names, fmt.header, limits, problems), limits, problems)
        return
    settings = {"sheet": fmt.sheet, "header": fmt.header}
    yield from child_rows.records("workbook_child", settings, _died(), file, limits, problems)


def sheets(file: BinaryIO, limits: Limits) -> list[str]:
    """The visible sheets with rows, that of the examples first; raises `FileError` if there is none.

    Before them ALL_SHEETS, if several hold the outputs of variants to the same examples.
    """
    listed = next(child_rows.messages("workbook_child", {"list": True}, _died(), file, limits))
    found = [Sheet(*one) for one in orjson.loads(listed)["sheets"]]
    if not found:
        raise FileError("no_rows", "The workbook has no visible sheet with cells.")
    names = [sheet.name for sheet in found]
    if tuple(names) == OWN_SHEETS:
        return names[::-1]
    if _may_be_variants(found) and joined.has_variants(_tables(file, names, True, limits)):
        return [ALL_SHEETS, *names]
    first = _of_examples(found).name
    return [first, *(name for name in names if name != first)]


def _of_examples(found: Sequence[Sheet]) -> Sheet:
    """The first sheet that is no page of notes: no single column, and no few rows beside a long table."""
    most = max(sheet.rows for sheet in found)
    tables = (
        sheet for sheet in found if sheet.columns > 1 and (sheet.rows > FEW or sheet.rows * TIMES > most)
    )
    return next(tables, found[0])


def _may_be_variants(found: Sequence[Sheet]) -> bool:
    """Whether two sheets have the same columns, so that it is worth to read them all."""
    named = [tuple(sheet.names) for sheet in found if sheet.columns > 1]
    is_free = all(sheet.name != ALL_SHEETS for sheet in found)
    return len(set(named)) < len(named) and len(found) <= MOST_JOINED and is_free


def _tables(
    file: BinaryIO, names: Sequence[str], has_header: bool, limits: Limits, problems: Problems | None = None
) -> list[Table]:
    """The sheets as tables, without rows that sum one up; what is told of reading each goes to `problems`."""
    tables = []
    for name in names:
        settings, own = {"sheet": name, "header": has_header}, Problems(0)
        records = child_rows.records("workbook_child", settings, _died(), file, limits, own)
        rows = [row for *_, row, _ in records if row is not None]
        tables.append(Table(name, closing_rows.cut(Objects([*range(1, len(rows) + 1)], rows), own).rows))
        if problems:
            for warning in own.warnings:
                problems.warn(warning.code, f"{name[:80]}: {warning.message}")
    return tables


def _joined(tables: Sequence[Table], limits: Limits, problems: Problems) -> Iterator[Record]:
    """The rows of all sheets as those of one table; a row has the place in it as its line."""
    found = joined.joined(tables)
    problems.warn("sheets_joined", " ".join([f"{len(tables)} sheets are read as one table.", *found.told]))
    names = [*dict.fromkeys(name for row in found.rows for name in row)]
    check_column_names(names, {}, limits)
    problems.columns.extend(names)
    for number, row in enumerate(found.rows, 1):
        yield number, number, row, len(orjson.dumps(row))


def _died() -> FileError:
    message = "The workbook is damaged, or needs too much memory or time: its reader stopped."
    return FileError("workbook_unreadable", message)
