"""The refused rows of the last import of a dataset, as a file to correct and upload again."""

import csv
import io
from collections.abc import Iterable, Iterator

import orjson
from django.db.models import QuerySet

from evaluations.models import Dataset, RefusedRow
from evaluations.spreadsheet import guarded

FIELDS = ("line", "code", "message", "cells")


def of_last_import(dataset: Dataset) -> QuerySet[RefusedRow]:
    """The refused rows of the import that created the dataset, or of a later append without a record of its own."""
    return dataset.refused_rows.filter(change=None)


def as_file(refused: QuerySet[RefusedRow], kind: str, *, safe: bool = True) -> Iterator[bytes]:
    """The rows as "csv" or "jsonl": line, code, message and cells. `safe` guards CSV cells against spreadsheets."""
    rows = refused.values_list(*FIELDS)
    if kind == "jsonl":
        for row in rows:
            yield orjson.dumps(dict(zip(FIELDS, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE)
        return
    width = max((len(cells) for *_, cells in rows), default=0)
    yield _line([*FIELDS[:3], *(f"cell_{number}" for number in range(1, width + 1))])
    for line, code, message, cells in rows:
        texts = [message, *cells]
        yield _line([line, code, *(map(guarded, texts) if safe else texts)])


def _line(cells: Iterable[str | int]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()
