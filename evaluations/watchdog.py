"""A worker that no longer hears its broker ends itself, and whoever supervises it starts another.

Workers have been seen connected and deaf for days after a broker's restart; the database knows better.
"""

import logging
import os
import threading
import time
from datetime import timedelta

from celery import current_app, signals
from celery.worker import state
from django.db import DatabaseError, connection

from . import consumption, hints, leases, scoring

log = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=120)
LOOK_EVERY = 30  # seconds


@signals.worker_ready.connect
def start(**_: object) -> None:
    """Sweep at once, for what an earlier worker left half done, and begin to watch."""
    current_app.send_task("evaluations.sweep", retry=False)
    threading.Thread(target=watch, name="watchdog", daemon=True).start()


def watch() -> None:
    while True:
        time.sleep(LOOK_EVERY)
        if nobody_sweeps():
            hints.publish("evaluations.sweep", ())
        if is_deaf():
            log.error("Work waits and nothing was heard of it for %s: this worker ends.", PATIENCE)
            os._exit(1)


def nobody_sweeps() -> bool:
    """Beat has died: three sweeps are missing. Any worker may ask for one instead."""
    try:
        return not leases.seen("sweep", 3 * scoring.SWEEP_EVERY)
    except DatabaseError:
        return False
    finally:
        connection.close()


def is_deaf() -> bool:
    """Work waits, no worker took any for two minutes, and this one has nothing in its hands."""
    try:
        return not state.active_requests and consumption.is_wanted() and not consumption.goes_on(PATIENCE)
    except DatabaseError:
        return False  # Another worker would not reach the database either.
    finally:
        connection.close()  # The children are forked from this process and must not inherit it.
