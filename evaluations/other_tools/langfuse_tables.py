"""Langfuse: dataset items, dataset run items or traces as CSV."""

from typing import Any, BinaryIO

from . import tables

KINDS = (
    {"id", "datasetId", "input", "expectedOutput"},
    {"id", "timestamp", "input", "output", "sessionId"},
    {"id", "datasetItemId", "traceId", "datasetName"},
)


def is_header(names: list[str]) -> bool:
    return any({*names} >= kind for kind in KINDS)


def objects(file: BinaryIO) -> list[dict[str, Any]]:
    """The rows as objects of the JSON export."""
    return [{name: _value(name, cell) for name, cell in record.items()} for record in tables.records(file)]


def _value(name: str, cell: str) -> Any:
    if name == "latency":
        return tables.number_cell(cell)
    value = tables.json_cell(cell)
    is_number = isinstance(value, int | float)  # A text that looks like a number remains text.
    return cell if is_number or name == "id" else value
