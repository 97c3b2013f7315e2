"""The child process that reads a workbook: file on standard input, lines of JSON on standard output.

Asked for `{"list": true}` it sends {"sheets": [[name, rows, columns, names of the columns]]}, of a large workbook only
their names; else the rows of one sheet as `child_rows` describes them. Started by `child_rows.py` only.
"""

import os
import sys
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import Any

import orjson
import python_calamine as calamine

from evaluations.numerals import grouped

from . import header_rows
from .child_limits import limit_memory, more_time, send, send_all
from .formats import Limits
from .problems import FileError
from .streams import check_unpacked, check_values, megabytes

MEMORY = 400 * 1024**2  # bytes, plus thirty times the file: the cells of a sheet are in memory at once
MOST_MEMORY = 1024**3
SECONDS = 20  # of the processor, for a sheet that is read at once
LARGE = 5_000_000  # bytes of a workbook whose sheets are not all looked at
MEMBERS = 10_000  # files in a workbook
BATCH = 500  # rows of a message
MESSAGE_CHARACTERS = 500_000
LARGEST_WHOLE = 2**53  # of a float
Cells = Sequence[Any]


def main(settings: dict[str, Any]) -> None:
    limits, memory = Limits(**settings["limits"]), min(MEMORY + 30 * os.fstat(0).st_size, MOST_MEMORY)
    limit_memory(memory)
    more_time(SECONDS)
    try:
        send_all(_messages(settings, limits))
    except FileError as error:
        send({"file_error": error.as_dict()})
    except MemoryError:
        reason = f"Reading the workbook takes more than {megabytes(memory)} of memory."
        send({"file_error": FileError("workbook_unreadable", reason).as_dict()})
    except calamine.PasswordError:
        reason = "The workbook is protected by a password."
        send(
            {
                "file_error": FileError(
                    "workbook_unreadable", reason, hint="Save it without a password."
                ).as_dict()
            }
        )
    except (calamine.CalamineError, zipfile.BadZipFile, OSError, ValueError) as damage:
        cause = str(damage).partition("\n")[0][:200]
        reason = f"The workbook cannot be read, it is damaged or was cut: {cause.rstrip('.')}."
        send({"file_error": FileError("workbook_unreadable", reason).as_dict()})


def _messages(settings: dict[str, Any], limits: Limits) -> Iterator[dict[str, Any]]:
    with os.fdopen(0, "rb") as file:
        size = os.fstat(0).st_size
        if file.read(4) == b"PK\x03\x04":
            _check_members(file, size, limits)
        file.seek(0)
        book = calamine.CalamineWorkbook.from_filelike(file)
        if settings.get("list"):
            yield {"sheets": _sheets(book)}
        else:
            yield from _of_sheet(book.get_sheet_by_name(settings["sheet"]), size, limits, settings["header"])


def _check_members(file: Any, size: int, limits: Limits) -> None:
    """Refuse an archive that says that it unpacks to far more than its size; what it hides meets the memory limit."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise FileError("workbook_unreadable", f"The workbook has more than {grouped(MEMBERS)} parts.")
        check_unpacked(sum(member.file_size for member in members), size, limits)


def _sheets(book: calamine.CalamineWorkbook) -> list[tuple[str, int, int, list[str]]]:
    """The visible sheets of cells; of a small workbook with several, those with rows, and what is in them."""
    names = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        and sheet.visible == calamine.SheetVisibleEnum.Visible
    ]
    if len(names) < 2 or os.fstat(0).st_size > LARGE:
        return [(name, 0, 0, []) for name in names]
    sheets = [book.get_sheet_by_name(name) for name in names]
    filled = [sheet for sheet in sheets if sheet.height > 1] or sheets
    return [(sheet.name, sheet.height, sheet.width, _header(sheet)) for sheet in filled]


def _header(sheet: calamine.CalamineSheet) -> list[str]:
    """The names of the columns of a sheet, as reading it gives them; those without a name are numbered."""
    filled = (row for row in map(_values, sheet.iter_rows()) if any(cell is not None for cell in row))
    first = [*islice(filled, header_rows.LOOKED)]
    return _named(header_rows.find(first).cells)[0] if first else []


def _of_sheet(
    sheet: calamine.CalamineSheet, size: int, limits: Limits, has_header: bool
) -> Iterator[dict[str, Any]]:
    if sheet.height > limits.rows:
        raise FileError("rows_limit", f"The sheet has {grouped(sheet.height)} rows.")
    check_values(sheet.height * sheet.width, size, limits)
    rows = enumerate(map(_values, sheet.iter_rows()), 1)  # with the empty rows above
    filled = ((line, row) for line, row in rows if any(cell is not None for cell in row))
    first = [*islice(filled, header_rows.LOOKED)]
    if not first:
        raise FileError("no_rows", f"The sheet {sheet.name!r} is empty.")
    yield from _batches(chain(first, filled), first, sheet.height, has_header)


def _batches(
    filled: Iterator[tuple[int, list[Any]]],
    first: Sequence[tuple[int, list[Any]]],
    height: int,
    has_header: bool,
) -> Iterator[dict[str, Any]]:
    """Messages with the columns and then with rows; `first` are the first of the `filled` rows."""
    above = header_rows.find([row for _, row in first]) if has_header else header_rows.none(first[0][1])
    names, unnamed = _named(above.cells)
    warnings = [
        ["blank_header", f"Column {number} has no name; it is called column_{number}."] for number in unnamed
    ]
    warnings = [*_of_titles(above, [row for _, row in first]), *warnings] if has_header else []
    apart = header_rows.named_apart(names, Limits().column_name_characters)
    warnings += [["repeated_names", header_rows.called(names, apart)]] if apart != names else []
    names = apart
    pending: list[tuple[int, list[Any]]] = []
    yield {"columns": names, "rows": height}
    characters = 0
    for line, row in islice(filled, above.titles + above.rows, None):
        pending.append((line, row))
        characters += sum(len(cell) if isinstance(cell, str) else 8 for cell in row)
        if len(pending) >= BATCH or characters >= MESSAGE_CHARACTERS:
            yield _message(names, pending, warnings)
            pending, characters, warnings = [], 0, []
    if pending:
        yield _message(names, pending, warnings)


def _named(cells: Cells) -> tuple[list[str], list[int]]:
    """The names of the columns, and the numbers of those without a name."""
    numbered = [f"column_{number}" for number in range(1, len(cells) + 1)]
    texts = ["" if cell is None else str(cell).strip() for cell in cells]
    unnamed = [number for number, text in enumerate(texts, 1) if not text]
    return [text or name for text, name in zip(texts, numbered, strict=True)], unnamed


def _of_titles(header: header_rows.Header, first: Sequence[Cells]) -> list[list[str]]:
    """Warnings that rows above the header were left out, and that two rows became the names."""
    warnings = [["title_rows", header_rows.told(first[: header.titles])]] if header.titles else []
    if header.rows > 1:
        names = f"The columns are named in two rows, such as “{_of_two(header, first)[:80]}”."
        warnings.append(["names_in_two_rows", names])
    return warnings


def _of_two(header: header_rows.Header, first: Sequence[Cells]) -> str:
    """A name that both rows made."""
    single = {cell for row in first[header.titles :][:2] for cell in row}
    return next(str(name) for name in header.cells if name not in single)


def _message(names: list[str], rows: list[tuple[int, list[Any]]], warnings: list[Any]) -> dict[str, Any]:
    return {
        "rows": [dict(zip(names, row, strict=True)) for _, row in rows],
        "lines": [line for line, _ in rows],
        "errors": [],
        "warnings": warnings,
        "has_nul": any(isinstance(cell, str) and "\0" in cell for _, row in rows for cell in row),
    }


def _values(cells: Cells) -> list[Any]:
    return [_value(cell) for cell in cells]


def _value(cell: Any) -> Any:
    """The cell as JSON: dates as ISO 8601, durations as [h]:mm:ss, whole numbers without a point, nothing as null."""
    if isinstance(cell, str):
        return cell or None
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < LARGEST_WHOLE else cell
    if isinstance(cell, datetime):
        return cell.isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return cell


if __name__ == "__main__":
    main(orjson.loads(sys.argv[1]))
