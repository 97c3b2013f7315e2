"""Warnings about roles that nobody chose: they were guessed from the names of the columns."""

from typing import Any

from .columnmap import ColumnMap


def key_not_unique(column: str | None) -> dict[str, Any]:
    message = f"The column “{column}” repeats values, so it is kept as metadata and not as the key."
    return {"code": "key_not_unique", "message": message, "count": 1, "first_lines": []}


def columns_not_recognised(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning if all columns became metadata, as in a file whose header or delimiter was not understood."""
    if not columns.takes_remaining or columns.inputs or columns.reference or columns.outputs:
        return []
    message = "No column has a well-known name, so none became input, reference or output: all are metadata."
    hint = "Send a mapping. If the file should have other columns, check its first line and its delimiter."
    return [
        {"code": "columns_not_recognised", "message": message, "hint": hint, "count": 1, "first_lines": []}
    ]
