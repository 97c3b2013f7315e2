"""Checkpoints of SQLite run beside an import and do not delay its commits."""

import sqlite3
import subprocess
import threading
import time
from contextlib import closing, nullcontext

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection

from evaluations import bulk
from evaluations.imports.reading import checkpoints
from tests.factories import imported

only_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has a process for it")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 0.01)


@only_sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("within", "moved"), [(checkpoints.in_background, True), (nullcontext, False)])
def test_committed_pages_are_checkpointed_meanwhile(tmp_path, within, moved):
    name = f"moved {moved}"
    with within():
        User.objects.create(username=name)
        time.sleep(0.5)

    # A process of its own copies: one that closes a file loses its locks on it, and SQLite's with them.
    subprocess.run(["cp", connection.settings_dict["NAME"], tmp_path / "without-its-log"], check=True)
    with closing(sqlite3.connect(tmp_path / "without-its-log")) as database:
        names = [username for (username,) in database.execute("SELECT username FROM auth_user")]
    assert (name in names) is moved


@only_sqlite
@pytest.mark.django_db
def test_rows_of_a_file_go_in_while_checkpoints_are_made(project, monkeypatch):
    threads, insert = [], bulk.insert

    def noted(*arguments):
        threads.extend(thread.name for thread in threading.enumerate())
        insert(*arguments)

    monkeypatch.setattr(bulk, "insert", noted)
    imported(project, '{"question": "1+1"}\n')

    assert "checkpoints" in threads


@only_sqlite
def test_a_checkpoint_that_fails_ends_no_import(monkeypatch, caplog):
    monkeypatch.setattr(checkpoints, "connection", FullDisk)

    with checkpoints.in_background():
        time.sleep(0.5)

    assert "A checkpoint failed: database or disk is full" in caplog.text


@pytest.mark.django_db
def test_no_thread_is_left_after_an_error():
    with pytest.raises(LookupError), checkpoints.in_background():
        raise LookupError

    assert "checkpoints" not in [thread.name for thread in threading.enumerate()]


class FullDisk:
    vendor = "sqlite"

    @staticmethod
    def cursor():
        raise OperationalError("database or disk is full")

    @staticmethod
    def close():
        pass
