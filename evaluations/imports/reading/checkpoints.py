"""Checkpoints SQLite in a thread beside a large import, whose commits would otherwise spend half their time on it."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event, Thread

from django.db import OperationalError, connection

log = logging.getLogger(__name__)
EVERY = 0.1  # seconds between checkpoints


@contextmanager
def in_background() -> Iterator[None]:
    """Within this context, a thread moves committed pages from the WAL into the database.

    A commit that finds the log full (`wal_autocheckpoint`) moves the rest and restarts the log.
    """
    if connection.vendor != "sqlite":
        yield
        return
    over = Event()
    thread = Thread(target=_move_until, args=(over,), name="checkpoints")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _move_until(over: Event) -> None:
    with closing(connection):  # A new connection, because each thread needs its own.
        while not over.wait(EVERY):
            try:
                with connection.cursor() as cursor:
                    cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except OperationalError as problem:  # for example a full disk, which the next commit reports
                log.warning("A checkpoint failed: %s", problem)
