"""Answers that arrived are paid, so they wait for a database that is away."""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)
OUTAGE = 600.0  # seconds
LOOK_EVERY = 1.0  # seconds


def patiently(store: Callable[[], None]) -> None:
    """Store, waiting minutes for the database if necessary."""
    until = time.monotonic() + OUTAGE
    while True:
        try:
            return store()
        except (OperationalError, InterfaceError):
            if time.monotonic() > until:
                raise
        log.warning("The database does not answer; arrived answers wait for it.")
        connection.close()
        time.sleep(LOOK_EVERY)
