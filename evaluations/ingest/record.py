"""Records that the readers of all formats yield, and limits per row."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from evaluations.files.formats import Limits
from evaluations.files.problems import FileError, Problems, Where
from evaluations.numerals import grouped

JSON = str | int | float | bool | list[Any] | dict[str, Any] | None
# number among the data rows, line, row (None if refused), size in characters or bytes
Record = tuple[int, int, dict[str, JSON] | None, int]


def check_column_count(count: int, where: Where, limits: Limits) -> None:
    if count > limits.columns:
        message = f"The file has {grouped(count)} columns; at most {grouped(limits.columns)} are read."
        raise FileError("columns_limit", message, where)


def check_column_names(names: Sequence[str], where: Where, limits: Limits) -> None:
    """Refuse too many names, too long names, and names that are equal after NFC."""
    check_column_count(len(names), where, limits)
    earlier: set[str] = set()
    for name in names:
        if len(name) > limits.column_name_characters:
            raise FileError(
                "column_name_too_long",
                f"The column name {name[:40]!r}… has {grouped(len(name))} characters;"
                f" at most {grouped(limits.column_name_characters)} are read.",
                where,
            )
        if (same := unicodedata.normalize("NFC", name)) in earlier:
            raise FileError("duplicate_column", f"Two columns have the same name {name[:80]!r}.", where)
        earlier.add(same)


def add_columns(row: Mapping[str, JSON], line: int, problems: Problems, limits: Limits) -> None:
    """Add the columns of a row, for files without a header, in order of appearance."""
    column_names = set(problems.columns)
    problems.columns.extend(name for name in row if name not in column_names)
    check_column_names(problems.columns, {"line": line}, limits)


def check_cells(row: Mapping[str, JSON], line: int, limits: Limits) -> None:
    """Refuse a cell over the limit; objects and lists count with the length of their JSON."""
    for column, cell in row.items():
        size = len(cell) if isinstance(cell, str) else len(orjson.dumps(cell))
        if size > limits.cell_characters:
            raise FileError(
                "cell_too_large",
                f"Line {line}: the cell in column {column[:80]!r} has {grouped(size)} characters;"
                f" a cell can have at most {grouped(limits.cell_characters)}.",
                {"line": line, "column": column},
            )
