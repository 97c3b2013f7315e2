"""Retries storing while the database is unavailable, because arrived answers are paid."""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)
OUTAGE = 600.0  # seconds for which storing is retried
LOOK_EVERY = 1.0  # seconds between two attempts


def retry_while_unavailable(store: Callable[[], None]) -> None:
    """Call `store`, waiting minutes for the database if necessary."""
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
