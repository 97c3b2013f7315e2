"""The room of the database on its disk. SQLite keeps the pages of deleted rows in its file and reuses them, and keeps
its write-ahead log (WAL) as large as it ever was; PostgreSQL's own processes look after both.
"""

from pathlib import Path

from django.db import connection as default
from django.db.backends.base.base import BaseDatabaseWrapper

SMALL_LOG = 16_000_000  # bytes of a log that is left as it is
PATIENCE = 200  # milliseconds that a checkpoint may wait for readers, while writers wait for it


def reusable_bytes(connection: BaseDatabaseWrapper = default) -> int:
    """The bytes of SQLite's file that new rows can take; 0 on PostgreSQL, which does not tell."""
    if connection.vendor != "sqlite":
        return 0
    return _pragma(connection, "freelist_count") * _pragma(connection, "page_size")


def shorten_log(connection: BaseDatabaseWrapper = default) -> None:
    """Write SQLite's log into the database and cut it to nothing, unless it is small or readers still need it."""
    if connection.vendor != "sqlite" or connection.in_atomic_block or _log_bytes(connection) < SMALL_LOG:
        return
    timeout = _pragma(connection, "busy_timeout")
    _pragma(connection, f"busy_timeout={PATIENCE}")
    try:
        _pragma(connection, "wal_checkpoint(TRUNCATE)")
    finally:
        _pragma(connection, f"busy_timeout={timeout}")


def compact(connection: BaseDatabaseWrapper = default) -> int:
    """Give the reusable pages of SQLite's file back to the disk; returns their bytes. Writers wait meanwhile.

    Raises `DatabaseError` if others read or write for longer than the timeout, or if the disk lacks room for the copy.
    """
    before = _file_bytes(connection)
    with connection.cursor() as cursor:
        # The copy is made beside the file, not in /tmp, which may be in memory.
        cursor.execute("PRAGMA temp_store=FILE")
        cursor.execute("VACUUM")
    _pragma(connection, "wal_checkpoint(TRUNCATE)")
    return max(before - _file_bytes(connection), 0)


def _pragma(connection: BaseDatabaseWrapper, text: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {text}")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _log_bytes(connection: BaseDatabaseWrapper) -> int:
    log = Path(f"{connection.settings_dict['NAME']}-wal")
    return log.stat().st_size if log.exists() else 0


def _file_bytes(connection: BaseDatabaseWrapper) -> int:
    return Path(connection.settings_dict["NAME"]).stat().st_size + _log_bytes(connection)
