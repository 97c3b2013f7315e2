"""Parquet files, written a row group at a time. Needs the extra `parquet`."""

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq


def write(header: list[str], stretches: Iterator[Iterator[list]]) -> Iterator[bytes]:
    """One row group for a stretch of rows. The first with values decides a column's type; texts stay texts."""
    sink, schema = io.BytesIO(), None
    writer = None
    for rows in stretches:
        columns = list(zip(*rows, strict=True)) or [()] * len(header)
        schema = schema or pa.schema(
            [(name, _type(column)) for name, column in zip(header, columns, strict=True)]
        )
        writer = writer or pq.ParquetWriter(sink, schema)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        writer.write_table(pa.table(arrays, schema))
        yield sink.getvalue()
        sink.seek(0)
        sink.truncate()
    if writer:
        writer.close()
    yield sink.getvalue()


def _type(column: tuple) -> pa.DataType:
    """The type of a column by its first value; text where there is none."""
    first = next((value for value in column if value is not None), "")
    if isinstance(first, bool):
        return pa.bool_()
    if isinstance(first, int):
        return pa.int64()
    return pa.float64() if isinstance(first, float) else pa.string()
