"""Checkpoints SQLite in a thread beside a large import, whose commits would otherwise spend half their time on it."""

import logging
from contextlib import AbstractContextManager, nullcontext

from django.db import OperationalError, connection

from .. import beside

log = logging.getLogger(__name__)
EVERY = 0.1  # seconds between checkpoints


def in_background() -> AbstractContextManager[None]:
    """Within this context, a thread moves committed pages from the WAL into the database.

    A commit that finds the log full (`wal_autocheckpoint`) moves the rest and restarts the log.
    """
    return beside.repeated(_move, EVERY, "checkpoints") if connection.vendor == "sqlite" else nullcontext()


def _move() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except OperationalError as problem:  # for example a full disk, which the next commit reports
        log.warning("A checkpoint failed: %s", problem)
    return True
