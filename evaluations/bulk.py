"""Writes and reads many rows at once: COPY on PostgreSQL, executemany on SQLite, with the same behaviour.

Called inside a transaction. A row that breaks a constraint raises `DuplicateRow`, and nothing is stored.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from django.core.exceptions import EmptyResultSet
from django.db import IntegrityError, connection, models, transaction
from django.db.backends.utils import CursorWrapper

Rows = Iterable[Sequence[Any]]

GAP = 0.1  # seconds between two slices, in which other processes can write


class DuplicateRow(Exception):
    """A row whose unique fields another row has already."""


def insert(model: type[models.Model], fields: Sequence[str], rows: Rows) -> None:
    """Add `rows`, tuples in the order of `fields` (attribute names such as `dataset_id`)."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                _copy(cursor, model, fields, rows)
            else:
                _executemany(cursor, model, fields, rows)
    except IntegrityError as error:
        raise DuplicateRow(str(error)) from error


def upsert(model: type[models.Model], fields: Sequence[str], unique: Sequence[str], rows: Rows) -> None:
    """Insert `rows`; where a row with the same `unique` fields exists, replace its other fields."""
    columns, keys = _columns(model, fields), _columns(model, unique)
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in keys)
    sql = f"{_insert_sql(model, fields)} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {updates}"
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        _compress_fast(cursor)
        cursor.executemany(sql, list(rows))


def update(objects: Sequence[models.Model], names: Sequence[str]) -> None:
    """Store the fields `names` of `objects`. Unlike `bulk_update`'s, the statement does not grow with their number."""
    if not objects:
        return
    model = type(objects[0])
    named = [cast("models.Field[Any, Any]", model._meta.get_field(name)) for name in names]
    fields = [*named, model._meta.pk]
    *assigned, key = _columns(model, [field.attname for field in fields])
    sql = f"UPDATE {_table(model)} SET {', '.join(f'{column} = %s' for column in assigned)} WHERE {key} = %s"
    rows = [
        [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
        for row in objects
    ]
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def renumber(model: type[models.Model], run: int, moves: Mapping[int, int]) -> int:
    """Change positions of a run's rows, old to new, which do not overlap; returns how many rows it has there."""
    sql = f"UPDATE {_table(model)} SET position = %s WHERE run_id = %s AND position = %s"
    with connection.cursor() as cursor:
        cursor.executemany(sql, [(new, run, old) for old, new in moves.items()])
        return int(cursor.rowcount) if moves else 0


def select(query: models.QuerySet[Any, Any]) -> list[tuple[Any, ...]]:
    """The rows of a `values_list` query as the driver returns them: for numbers and texts, which need no conversion.

    Takes half the time of Django's own iteration, which handles every row in Python.
    """
    try:
        statement = query.query.sql_with_params()
    except EmptyResultSet:  # A filter by no ids: Django sends no query.
        return []
    with connection.cursor() as cursor:
        cursor.execute(*statement)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def stream(query: models.QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of `select` one at a time, so that only one large row is in memory."""
    try:
        statement = query.query.sql_with_params()
    except EmptyResultSet:
        return
    with connection.chunked_cursor() as cursor:
        cursor.execute(*statement)
        yield from cursor


def analyze(*tables: type[models.Model]) -> None:
    """Update the statistics of PostgreSQL's planner after many inserts; takes at most a third of a second.

    Autovacuum does it a minute later, or not at all for large tables. Until then the planner assumes that a new dataset
    is tiny, and reads a million index entries to find fifty rows.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(_table, tables))}")


def _copy(cursor: CursorWrapper, model: type[models.Model], fields: Sequence[str], rows: Rows) -> None:
    columns = ", ".join(_columns(model, fields))
    _compress_fast(cursor)
    with (
        connection.wrap_database_errors,
        cursor.copy(f"COPY {_table(model)} ({columns}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types([_type(model, name) for name in fields])
        for row in rows:
            copy.write_row(row)


def _compress_fast(cursor: CursorWrapper) -> None:
    """Use LZ4 until the commit: ten times as fast as PostgreSQL's default compression, at nearly the same size."""
    if _knows_lz4():
        cursor.execute("SET LOCAL default_toast_compression = 'lz4'")


@cache
def _knows_lz4() -> bool:
    """Whether the database is a PostgreSQL built with LZ4, as Debian's and Docker's are."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'")
        return any("lz4" in compression for (compression,) in cursor.fetchall())


def _type(model: type[models.Model], name: str) -> str:
    """PostgreSQL's name for the type of a column, without its length."""
    field = next(field for field in model._meta.concrete_fields if field.attname == name)
    return str(field.rel_db_type(connection)).partition("(")[0]


def _executemany(cursor: CursorWrapper, model: type[models.Model], fields: Sequence[str], rows: Rows) -> None:
    sql = _insert_sql(model, fields).replace("%s", "?")
    with connection.wrap_database_errors:
        # The driver's own cursor: Django's looks for named parameters first and keeps every row until the end.
        sqlite3.Cursor.executemany(cursor.cursor, sql, rows)


def _insert_sql(model: type[models.Model], fields: Sequence[str]) -> str:
    marks = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {_table(model)} ({', '.join(_columns(model, fields))}) VALUES ({marks})"


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _columns(model: type[models.Model], fields: Sequence[str]) -> list[str]:
    by_attribute = {field.attname: field.column for field in model._meta.concrete_fields if field.column}
    return [connection.ops.quote_name(by_attribute[name]) for name in fields]


def slices_from_the_end(rows: models.QuerySet[Any], size: int) -> Iterator[int]:
    """Split rows into slices of `size`, the last one first; yields the position before each slice.

    SQLite has no queue for its lock. A waiting process tries every tenth of a second and gives up after 20 s, so
    writes without a gap would lock out all other processes until the last slice.
    """
    while last := rows.order_by("-position").values_list("position", flat=True).first():
        yield last - size
        if connection.vendor == "sqlite":
            time.sleep(GAP)
