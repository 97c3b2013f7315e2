"""Parquet files, written a row group at a time. Needs the extra `parquet`."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def write(header: Sequence[tuple[str, type]], stretches: Iterator[list[Sequence[Any]]]) -> Iterator[bytes]:
    """One row group for a stretch of columns, of which `header` has names and types."""
    sink, schema = io.BytesIO(), pa.schema([(name, TYPES[kind]) for name, kind in header])
    with pq.ParquetWriter(sink, schema) as writer:
        for columns in stretches:
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.table(arrays, schema))
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()
