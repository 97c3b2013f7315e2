"""Writes Excel files row by row into a temporary file. Texts stay texts: none becomes a formula or a link."""

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from tempfile import TemporaryFile
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from evaluations.numerals import honest
from evaluations.spreadsheet import OWN_SHEETS, Points, Share

LONGEST_CELL = 32_767  # Excel's limit in UTF-16 units; it would cut a longer text silently
CUT = "… (cut)"
SUMMARY, EXAMPLES = OWN_SHEETS
PIECE = 1_000_000
NARROW, WIDE = 12, 40  # characters
# of the summary: the last column under its sentences, points of a line, characters in it, and widths of columns
LAST, LINE, WRAPPED_AT = 8, 15.0, 140
NAMES = {0: 28, 1: 20, 3: 20, 8: 20, 13: 20}
AS_WRITTEN = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


def write(
    header: Sequence[tuple[str, Any]],
    stretches: Iterator[list[Sequence[Any]]],
    summary: Sequence[Sequence[Any]] = (),
) -> Iterator[bytes]:
    """The file in pieces; the first piece comes after all rows are written.

    The `summary` is the first sheet, if there is one; an upload reads that of the examples all the same.
    """
    with TemporaryFile() as file:
        with xlsxwriter.Workbook(file, AS_WRITTEN) as book:
            if summary:
                _write_summary(book, book.add_worksheet(SUMMARY), summary)
            sheet = book.add_worksheet(EXAMPLES)
            sheet.freeze_panes(1, 0)
            for column, (name, kind) in enumerate(header):
                sheet.set_column(column, column, WIDE if kind is str else NARROW)
                _write_text(sheet, 0, column, name)
            sheet.autofilter(0, 0, _write_rows(sheet, header, stretches), len(header) - 1)
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
        Decimal: _write_amount,
    }
    chosen = [writers[kind] for _, kind in header]
    rows = (row for columns in stretches for row in zip(*columns, strict=True))
    number = 0
    for number, row in enumerate(rows, 1):
        for column, (write_cell, value) in enumerate(zip(chosen, row, strict=True)):
            if value is not None:
                write_cell(sheet, number, column, value)
    return number


def _write_summary(book: xlsxwriter.Workbook, sheet: Worksheet, rows: Sequence[Sequence[Any]]) -> None:
    """A text alone in its row has the whole width, and is wrapped; several texts alone are the titles of a table."""
    style_of = cache(lambda number_format: book.add_format({"num_format": number_format}))
    wrapped = book.add_format({"text_wrap": True, "valign": "top"})
    titles = book.add_format({"text_wrap": True, "valign": "top", "bold": True})
    for column in range(max(map(len, rows))):
        sheet.set_column(column, column, NAMES.get(column, NARROW))
    for number, row in enumerate(rows):
        if len(row) == 1 and len(row[0]) > WIDE:
            sheet.set_row(number, LINE * math.ceil(len(row[0]) / WRAPPED_AT))
            sheet.merge_range(number, 0, number, LAST, "", wrapped)
            sheet.write_string(number, 0, _fitting(row[0]), wrapped)
            continue
        is_title = number == 0 or (len(row) > 1 and all(isinstance(value, str) for value in row))
        for column, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(number, column, _fitting(value), titles if is_title else None)
            elif value is not None:
                style = style_of(_number_format(value)) if isinstance(value, float) else None
                sheet.write_number(number, column, value, style)


def _number_format(value: float) -> str:
    """The decimals that pages show, more where a number would look like 0 or 1 without being it.

    >>> _number_format(0.5), _number_format(0.0002), _number_format(Share(0.9996))
    ('0.000', '0.0000', '0.00 %')
    >>> _number_format(Points(-12.9)).split(";")[1], _number_format(Points(-0.01)).split(";")[1]
    ('-0.0" points"', '-0.00" points"')
    """
    if isinstance(value, Points):
        digits = "0." + "0" * (honest(value / 100) - 2)
        return f'+{digits}" points";-{digits}" points";0.0" points"'
    if isinstance(value, Share):
        return "0." + "0" * (honest(value) - 2) + " %"
    return "0." + "0" * honest(value)


def _write_amount(sheet: Worksheet, row: int, column: int, amount: str) -> None:
    """As a number, which can be summed."""
    sheet.write_number(row, column, float(amount))


def _write_text(sheet: Worksheet, row: int, column: int, text: str) -> None:
    sheet.write_string(row, column, _fitting(text))


def _fitting(text: str) -> str:
    return text if 2 * len(text) <= LONGEST_CELL else _cut(text)


def _cut(text: str) -> str:
    """The text cut to the limit of a cell, with a mark where it was cut."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * LONGEST_CELL:
        return text
    return units[: 2 * (LONGEST_CELL - len(CUT))].decode("utf-16-le", "ignore") + CUT
