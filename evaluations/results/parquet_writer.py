"""Writes Parquet files one row group at a time. Needs the extra `parquet`."""

import io
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .column_kinds import Kind, ListOf

TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), Decimal: pa.string()}


def _type(kind: Kind | None) -> pa.DataType:
    if isinstance(kind, ListOf):
        return pa.list_(_type(kind.item))
    return TYPES[kind or str]


def write(header: Sequence[tuple[str, Kind]], stretches: Iterator[list[Sequence[Any]]]) -> Iterator[bytes]:
    """The file, one row group per stretch; `header` has the names and types of the columns."""
    sink, schema = io.BytesIO(), pa.schema([(name, _type(kind)) for name, kind in header])
    with pq.ParquetWriter(sink, schema) as writer:
        for columns in stretches:
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.table(arrays, schema))
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()
