"""The refused rows of a file: stored with the names of their columns, and written as a file to correct and upload."""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count

import orjson
from django.db.models import QuerySet

from evaluations import ingest
from evaluations.files.formats import DELIMITERS
from evaluations.models import Dataset, DatasetImport, RefusedRow
from evaluations.spreadsheet import guarded

FIELDS = ("line", "code", "message", "cells")
ROW, ABOUT = "unread row", ("line", "code", "error")  # columns behind those of the file
Cells = dict[str, str] | list[str]  # by column; a list where the names are not known, as of earlier imports
Refused = tuple[int, str, str, Cells]


def keep(
    dataset: Dataset,
    refused: Iterable[ingest.RefusedRow],
    columns: Sequence[str],
    change: DatasetImport | None = None,
) -> None:
    """Store the rows of a file with these columns; those of an earlier import are deleted."""
    RefusedRow.objects.filter(dataset=dataset, change=change).delete()
    RefusedRow.objects.bulk_create(
        RefusedRow(
            dataset=dataset,
            change=change,
            line=row.line,
            code=row.code,
            message=row.message,
            cells=named(row, columns),
        )
        for row in refused
    )


def named(row: ingest.RefusedRow, columns: Sequence[str]) -> Cells:
    """The cells by column; a row as it is written in the file, which is one text, is cut where a quote is wrong.

    It stays a list where it has not as many cells as there are columns.

    >>> named(ingest.RefusedRow(3, "", "", ("b", "two", "more")), ["id", "q"])
    {'id': 'b', 'q': 'two', 'cell_3': 'more'}
    >>> named(ingest.RefusedRow(4, "", "", ("{",)), ["id", "q"])
    ['{']
    >>> named(ingest.RefusedRow(4, "", "", ('b,"say "hi" twice"',)), ["id", "q"])
    {'id': 'b', 'q': 'say "hi" twice'}
    >>> named(ingest.RefusedRow(3, "", "", ("b", "two", "more")), ["id", "cell_3"])
    {'id': 'b', 'cell_3': 'two', 'cell_3 (2)': 'more'}
    """
    if not row.names and len(row.cells) < 2 <= len(columns):
        cells = _cut("".join(row.cells), len(columns))
        return dict(zip(columns, cells, strict=True)) if cells else [*row.cells]
    first = row.names or columns
    more = _free([f"cell_{number}" for number in range(len(first) + 1, len(row.cells) + 1)], first)
    return dict(zip([*first, *more], row.cells, strict=False))


def _cut(text: str, count: int) -> list[str]:
    """The cells of a line of a table with this many columns, by the mark that gives as many; else none."""
    if text.lstrip().startswith(("{", "[")):
        return []
    by_mark = (text.split(mark) for mark in DELIMITERS)
    cells = next((cells for cells in by_mark if len(cells) == count), [])
    return [_bare(cell.strip()) for cell in cells]


def _bare(cell: str) -> str:
    """A cell without the quotes around it."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _free(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """The names, those of other columns with a number."""
    numbered = ((name, (f"{name} ({number})" for number in count(2))) for name in names)
    return [
        name if name not in taken else next(one for one in others if one not in taken)
        for name, others in numbered
    ]


def of_last_import(dataset: Dataset) -> QuerySet[RefusedRow]:
    """The refused rows of the import that created the dataset, or of a later append without a record of its own."""
    return dataset.refused_rows.filter(change=None)


def as_file(refused: QuerySet[RefusedRow], kind: str, *, safe: bool = True) -> Iterator[bytes]:
    """The rows as "csv" or "jsonl"; `safe` guards the cells of CSV against spreadsheets."""
    return written([*refused.values_list(*FIELDS)], kind, safe=safe)


def written(rows: Sequence[Refused], kind: str, *, safe: bool = True) -> Iterator[bytes]:
    """Rows as JSON Lines with their cells as a list, or as CSV: the columns of the file, then line, code and error.

    A row that could not be cut into cells stands in a column of its own.

    >>> print(b"".join(written([(2, "json", "No JSON.", ["{"]), (3, "key", "Twice.", {"id": "b"})], "csv")).decode())
    id,unread row,line,code,error\r
    ,{,2,json,No JSON.\r
    b,,3,key,Twice.\r
    <BLANKLINE>
    """
    if kind == "jsonl":
        for line, code, message, cells in rows:
            texts = [*cells.values()] if isinstance(cells, dict) else cells
            row = dict(zip(FIELDS, (line, code, message, texts), strict=True))
            yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        return
    named_rows = [(_by_name(cells), [f"{line}", code, message]) for line, code, message, cells in rows]
    columns = [*dict.fromkeys(name for by_name, _ in named_rows for name in by_name)]
    columns.sort(key=ROW.__eq__)
    header = [*columns, *_free(ABOUT, columns)]
    yield _line(map(guarded, header) if safe else header)
    for by_name, about in named_rows:
        texts = [*(by_name.get(name, "") for name in columns), *about]
        yield _line(map(guarded, texts) if safe else texts)


def _by_name(cells: Cells) -> dict[str, str]:
    """The cells by column, of rows without names by number; a row in one piece as such."""
    if isinstance(cells, dict):
        return cells
    return {ROW: cells[0]} if len(cells) == 1 else {f"cell_{n}": cell for n, cell in enumerate(cells, 1)}


def _line(cells: Iterable[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()
