"""SQLite gives the space of deleted rows and of its log back to the disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.backends.sqlite3.base import DatabaseWrapper

from evalsite import stores
from evaluations import disk_space
from evaluations.management.commands import compact

pytestmark = pytest.mark.django_db
ROWS, ROW = 1_000, 20_000  # 20 MB


@pytest.fixture
def database(tmp_path, settings) -> Iterator[DatabaseWrapper]:
    """A database of its own, with the options of the product, in which 20 MB of rows were written and deleted."""
    settings_dict = settings.DATABASES["default"] | stores.SQLITE | {"NAME": str(tmp_path / "own.sqlite3")}
    own = DatabaseWrapper(settings_dict, alias="own")
    with own.cursor() as cursor:
        cursor.execute("CREATE TABLE rows (text TEXT)")
        cursor.executemany("INSERT INTO rows VALUES (%s)", [("x" * ROW,) for _ in range(ROWS)])
        cursor.execute("DELETE FROM rows")
    yield own
    own.close()


def size(database: DatabaseWrapper, ending: str = "") -> int:
    return Path(f"{database.settings_dict['NAME']}{ending}").stat().st_size


def test_deleted_rows_leave_pages_for_new_ones(database):
    assert disk_space.reusable_bytes(database) > 0.9 * ROWS * ROW


def test_a_long_log_is_cut_to_nothing(database):
    assert size(database, "-wal") > ROWS * ROW

    disk_space.shorten_log(database)

    assert size(database, "-wal") == 0


def test_a_log_that_a_reader_still_needs_stays_and_nobody_waits_long(database):
    reader = DatabaseWrapper(database.settings_dict, alias="reader")
    with reader.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        cursor.connection.isolation_level = None
        cursor.execute("BEGIN")
        cursor.execute("SELECT count(*) FROM rows")
        with database.cursor() as writer:
            writer.execute("INSERT INTO rows VALUES ('later')")

        disk_space.shorten_log(database)

        assert size(database, "-wal") > ROWS * ROW
    reader.close()


def test_a_compacted_file_has_room_for_what_remains_only(database):
    before = size(database)

    disk_space.shorten_log(database)
    freed = disk_space.compact(database)

    assert freed > 0.9 * ROWS * ROW
    assert size(database) < 1_000_000 < before + size(database, "-wal") + freed
    assert disk_space.reusable_bytes(database) == 0


@pytest.mark.skipif(connection.vendor == "sqlite", reason="about PostgreSQL")
def test_postgresql_is_told_how_to_do_it():
    with pytest.raises(CommandError, match="VACUUM FULL"):
        call_command("compact")


def test_the_command_says_how_much_it_gave_back(database, monkeypatch, capsys):
    disk_space.shorten_log(database)
    monkeypatch.setattr(compact, "connection", database)
    monkeypatch.setattr(disk_space.compact, "__defaults__", (database,))

    call_command("compact")

    assert capsys.readouterr().out.strip() in (
        "19 MB were given back to the disk.",
        "20 MB were given back to the disk.",
    )
