"""The child process that decodes Parquet: file on standard input, lines of JSON on standard output.

    {"columns": [names], "rows": total}
    {"rows": [object or null, …], "errors": [[index in rows, code, sentence, column, quote], …],
     "warnings": [[code, sentence], …], "has_nul": bool}
    {"file_error": {code, message, where}}   or   {"end": true}

Started by `child_rows.py` only.
"""

import os
import sys
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from evaluations.numerals import grouped

from . import class_names
from .arrow_values import Refused, Values, least_characters
from .child_limits import limit_memory, more_time, send, send_all
from .formats import Limits
from .problems import FileError
from .streams import check_unpacked, check_values, megabytes

MEMORY = 400 * 1024**2  # bytes, plus eight times the file, because pages of all columns are in memory at once
MOST_MEMORY = 2 * 1024**3
BATCH_ROWS = 256
BATCH_VALUES = 2_000_000  # values that are decoded at once
MESSAGE_BYTES = 4_000_000
# about so many characters in a message, by their lower bound; a null counts as one, and takes fifty bytes as an object
MESSAGE_CHARACTERS = 500_000
THRIFT_BYTES = 100_000_000


def main(limits: Limits) -> None:
    memory = min(MEMORY + 8 * os.fstat(0).st_size, MOST_MEMORY)
    limit_memory(memory)
    more_time()
    try:
        send_all(messages(limits))
    except FileError as error:
        send({"file_error": error.as_dict()})
    except MemoryError:
        reason = f"Reading the Parquet file takes more than {megabytes(memory)} of memory."
        send({"file_error": FileError("parquet_memory", reason).as_dict()})
    except (pa.ArrowException, OSError, ValueError) as damage:
        cause = str(damage).partition("\n")[0][:200]
        reason = f"The Parquet file cannot be read, it is damaged or was cut: {cause.rstrip('.')}."
        send({"file_error": FileError("parquet_unreadable", reason).as_dict()})


def messages(limits: Limits) -> Iterator[dict[str, Any]]:
    with os.fdopen(0, "rb") as file:
        table = pq.ParquetFile(
            file,
            pre_buffer=False,
            buffer_size=1 << 20,
            thrift_string_size_limit=THRIFT_BYTES,
            thrift_container_size_limit=1_000_000,
            page_checksum_verification=True,
        )
        size = os.fstat(0).st_size
        _check_footer(table, size, limits)
        yield {"columns": table.schema_arrow.names, "rows": table.metadata.num_rows}
        decoded, classes = 0, class_names.of(table)
        for batch in table.iter_batches(rows_at_once(table.metadata, limits), use_threads=False):
            columns = [
                class_names.named(_plain(column), classes[name]) if name in classes else _plain(column)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            width = sum(column.nbytes for column in columns)
            decoded += width
            check_unpacked(decoded, size, limits)
            characters = sum(map(_check_cells, columns, batch.schema.names, repeat(limits)))
            parts = 1 + max(width // MESSAGE_BYTES, characters // MESSAGE_CHARACTERS)
            step = max(1, batch.num_rows // parts)
            for start in range(0, batch.num_rows, step):
                yield _message(batch.schema.names, [column[start : start + step] for column in columns])


def _check_footer(table: pq.ParquetFile, size: int, limits: Limits) -> None:
    """Check the counts in the footer. Its sizes in bytes are not reliable: dictionaries make them tiny."""
    if not table.schema_arrow.names:
        raise FileError("no_columns", "The file has no columns.")
    if table.metadata.num_rows > limits.rows:
        raise FileError("rows_limit", f"The file has {grouped(table.metadata.num_rows)} rows.")
    check_values(table.metadata.num_rows * table.metadata.num_columns, size, limits)


def rows_at_once(footer: pq.FileMetaData, limits: Limits) -> int:
    """The number of rows to decode at once; fewer if the footer shows long lists in a row."""
    maximum = 0
    for index in (
        index for index in range(footer.num_columns) if footer.schema.column(index).max_repetition_level
    ):
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            values = group.column(index).num_values // max(group.num_rows, 1)
            _check_cell(values, footer.schema.column(index).path.partition(".")[0], limits)
            maximum = max(maximum, values)
    return max(1, BATCH_VALUES // max(maximum, BATCH_VALUES // BATCH_ROWS))


def _check_cells(column: pa.Array, name: str, limits: Limits) -> int:
    """The least number of JSON characters in the column; refuses too large cells before they become objects."""
    counts = least_characters(column)
    _check_cell(int(counts.max(initial=0)), name, limits)
    return int(counts.sum())


def _check_cell(characters: int, name: str, limits: Limits) -> None:
    if characters > limits.cell_characters:
        message = (
            f"A cell in column {name[:80]!r} has {grouped(characters)} characters or more;"
            f" a cell can have at most {grouped(limits.cell_characters)}."
        )
        raise FileError("cell_too_large", message, {"column": name})


def _plain(column: pa.Array) -> pa.Array:
    """The column with dictionaries decoded, so that its size is that of the texts."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _message(names: list[str], columns: list[pa.Array]) -> dict[str, Any]:
    values = Values()
    cells = [values.plain(column, name) for name, column in zip(names, columns, strict=True)]
    rows: list[dict[str, Any] | None] = [
        dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)
    ]
    errors = _errors(rows) if values.refused else []
    for index, *_ in errors:
        rows[index] = None
    return {"rows": rows, "errors": errors, "warnings": values.warnings, "has_nul": values.has_nul}


def _errors(rows: list[dict[str, Any] | None]) -> list[list[Any]]:
    return [
        [index, wrong.code, wrong.message, column, wrong.quote]
        for index, row in enumerate(rows)
        for column, cell in (row or {}).items()
        if (wrong := _refused(cell))
    ]


def _refused(value: Any) -> Refused | None:
    if isinstance(value, Refused):
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_refused, inner)), None)


if __name__ == "__main__":
    main(Limits(**orjson.loads(sys.argv[1])["limits"]))
