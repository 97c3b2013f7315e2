"""The rows that an import of a parked file would refuse, as a file to correct: unreadable ones, and repeated keys."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from evaluations import ingest
from evaluations.models import Upload
from evaluations.values import text_of

from .columns.columnmap import ColumnMap
from .forecasts import CHARACTERS, LOOKED_AT, repeated
from .refused_rows import Refused, named
from .uploads import uploads

REPEATED, ITS_OWN = "duplicate_key", "Give each row its own key, or choose another key column."


def repeats(rows: Iterable[Refused]) -> list[dict[str, Any]]:
    """Those of the rows that repeat a key, as problems to list beside those of the reader."""
    return [
        {"code": code, "message": message, "hint": ITS_OWN, "where": {"line": line}}
        for line, code, message, _ in rows
        if code == REPEATED
    ]


def of_upload(upload: Upload, columns: ColumnMap | None) -> list[Refused]:
    """Those among the rows that a forecast looks at, by line; keys are those of the file alone."""
    repeated: list[Refused] = []
    earlier_keys: dict[str, int] = {}
    with uploads.opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        with contextlib.suppress(ingest.FileError):
            for batch in reader.head(LOOKED_AT, CHARACTERS):
                if columns and columns.key and not columns.variant:
                    repeated += _repeated(batch, columns, earlier_keys)
        names = list(reader.columns)
        unread = [(row.line, row.code, row.message, named(row, names)) for row in reader.refused]
    return sorted([*unread, *repeated], key=lambda row: row[0])


def _repeated(batch: ingest.Batch, columns: ColumnMap, earlier_keys: dict[str, int]) -> Iterator[Refused]:
    rows: list[ingest.Row] = []
    for index, (line, key) in enumerate(zip(batch.lines, columns.key_texts(batch), strict=True)):
        if key is None:
            continue
        if key in earlier_keys:
            rows = rows or [*batch.rows]
            cells = {name: text_of(value) or "" for name, value in rows[index].items()}
            yield line, REPEATED, f"{repeated(line, key, earlier_keys[key])}.", cells
        earlier_keys.setdefault(key, line)
