"""Writes Excel files row by row into a temporary file. Texts stay texts: none becomes a formula or a link."""

from collections.abc import Callable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

LONGEST_CELL = 32_767  # Excel's limit in UTF-16 units; it would cut a longer text silently
CUT = "… (cut)"
PIECE = 1_000_000
NARROW, WIDE = 12, 40  # characters
AS_WRITTEN = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


def write(
    header: Sequence[tuple[str, Any]],
    stretches: Iterator[list[Sequence[Any]]],
    summary: Sequence[Sequence[Any]] = (),
) -> Iterator[bytes]:
    """The file in pieces; the first piece comes after all rows are written.

    The examples are the first sheet, which an upload reads; the workbook opens on the `summary`, if there is one.
    """
    with TemporaryFile() as file:
        with xlsxwriter.Workbook(file, AS_WRITTEN) as book:
            sheet = book.add_worksheet("Examples")
            sheet.freeze_panes(1, 0)
            for column, (name, kind) in enumerate(header):
                sheet.set_column(column, column, WIDE if kind is str else NARROW)
                _write_text(sheet, 0, column, name)
            sheet.autofilter(0, 0, _write_rows(sheet, header, stretches), len(header) - 1)
            if summary:
                _write_summary(book.add_worksheet("Summary"), summary)
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _write_rows(
    sheet: Worksheet, header: Sequence[tuple[str, Any]], stretches: Iterator[list[Sequence[Any]]]
) -> int:
    """Write the rows below the header; returns the number of the last one."""
    writers: dict[type, Callable[..., Any]] = {
        str: _write_text,
        int: Worksheet.write_number,
        float: Worksheet.write_number,
        bool: Worksheet.write_boolean,
    }
    chosen = [writers[kind] for _, kind in header]
    rows = (row for columns in stretches for row in zip(*columns, strict=True))
    number = 0
    for number, row in enumerate(rows, 1):
        for column, (write_cell, value) in enumerate(zip(chosen, row, strict=True)):
            if value is not None:
                write_cell(sheet, number, column, value)
    return number


def _write_summary(sheet: Worksheet, rows: Sequence[Sequence[Any]]) -> None:
    sheet.activate()
    sheet.set_column(0, 2, WIDE / 2)
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if isinstance(value, str):
                _write_text(sheet, number, column, value)
            elif value is not None:
                sheet.write_number(number, column, value)


def _write_text(sheet: Worksheet, row: int, column: int, text: str) -> None:
    sheet.write_string(row, column, text if 2 * len(text) <= LONGEST_CELL else _cut(text))


def _cut(text: str) -> str:
    """The text cut to the limit of a cell, with a mark where it was cut."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * LONGEST_CELL:
        return text
    return units[: 2 * (LONGEST_CELL - len(CUT))].decode("utf-16-le", "ignore") + CUT
