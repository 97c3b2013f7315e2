"""Paid answers are stored as soon as the database is back."""

import pytest
from django.db import InterfaceError, OperationalError

from evaluations.launches import database_retry
from evaluations.launches.database_retry import retry_while_unavailable


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(database_retry, "LOOK_EVERY", 0.0)


class Database:
    """Refuses to store until it has raised all of `errors`."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.stored = False

    def store(self) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.stored = True


def test_storing_waits_for_the_database():
    database = Database(OperationalError("down"), InterfaceError("connection already closed"))

    retry_while_unavailable(database.store)

    assert database.stored


def test_a_broken_connection_is_not_used_again(monkeypatch):
    closed = []
    monkeypatch.setattr(database_retry.connection, "close", lambda: closed.append(True))

    retry_while_unavailable(Database(OperationalError("server closed the connection")).store)

    assert closed == [True]


def test_waiting_ends_after_the_longest_outage(monkeypatch):
    monkeypatch.setattr(database_retry, "OUTAGE", -1.0)

    with pytest.raises(OperationalError):
        retry_while_unavailable(Database(OperationalError("down")).store)


def test_other_errors_are_raised_at_once():
    database = Database(ValueError("not a failure of the database"))

    with pytest.raises(ValueError, match="not a failure"):
        retry_while_unavailable(database.store)

    assert not database.stored
