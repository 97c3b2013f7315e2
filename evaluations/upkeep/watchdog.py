"""Ends workers that receive no more messages, and at a shutdown ends all workers within seconds.

After a restart of the broker, workers stayed connected for days without receiving a message, although the database had
waiting work. Their supervisor starts new ones.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from celery import current_app, signals
from celery.worker import state
from django.db import DatabaseError, connection

from evaluations import hints, task_names
from evaluations.engine import consumption, shutdown

log = logging.getLogger(__name__)

PATIENCE = 120  # seconds of silence after which a worker is ended
LOOK_EVERY = 30  # seconds between two checks
LAST_SECONDS = 5  # seconds for tasks after SIGTERM: Celery needs some more to end, and Docker kills after ten


@signals.worker_ready.connect
def start(sender: Any = None, **_: object) -> None:
    """Sweep at once, to repair what earlier workers left, and begin to watch."""
    hints.publish(task_names.SWEEP, ())
    queues = list(current_app.amqp.queues.consume_from)
    report([*queues, sender.hostname])
    threading.Thread(target=watch, args=(sender.hostname, queues), name="watchdog", daemon=True).start()


def report(names: Sequence[str]) -> None:
    """Note in the database that this worker is there, and one for each of its queues."""
    try:
        consumption.report(names)
    except DatabaseError:
        log.warning("The database does not answer; the worker of %s goes on.", ", ".join(names))
    finally:
        connection.close()


@signals.worker_shutdown.connect
def sign_off(sender: Any = None, **_: object) -> None:
    """Forget this worker: nobody needs to look for one that ended in order."""
    with suppress(DatabaseError):
        consumption.sign_off(sender.hostname)
    connection.close()


class Silence:
    """How long this worker has neither received nor run a task."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        signals.task_received.connect(self.end)

    def end(self, **_: object) -> None:
        self.since = time.monotonic()

    def seconds(self) -> float:
        """The silence in seconds. Call it often: a running task counts as received only at a call."""
        if state.active_requests:
            self.end()
        return time.monotonic() - self.since


def watch(worker: str, queues: Sequence[str]) -> None:
    silence = Silence()
    while not shutdown.has_begun():
        time.sleep(LOOK_EVERY)
        with suppress(DatabaseError):  # another worker could not reach it either
            look(worker, queues, silence.seconds())
        connection.close()  # The children are forked from this process and must not inherit the connection.


def look(worker: str, queues: Sequence[str], silence: float) -> None:
    """Report this worker, ask for a sweep if beat is gone, and end a worker that is deaf."""
    consumption.report([worker])
    if not consumption.is_swept():
        hints.publish(task_names.SWEEP, ())
    if not shutdown.has_begun() and is_deaf(queues, silence):  # what it gives back now waits for another one
        log.error("Work waits, but this worker received nothing for %s s: it shuts down.", PATIENCE)
        os._exit(1)


def is_deaf(queues: Sequence[str], silence: float) -> bool:
    """Whether work waits that this worker should have taken, or that no worker has in hand, whatever this one believes.

    A worker that is cut off from Redis can miss that a task of its child has ended. It takes no other then, and a task
    of calls may run for a day.
    """
    if not consumption.has_waiting_work(queues):
        return False
    return silence > PATIENCE or consumption.is_left_lying(queues, timedelta(seconds=PATIENCE))


@signals.worker_shutting_down.connect
def interrupt_at_shutdown(**_: object) -> None:
    """Interrupt tasks at a shutdown: Celery would wait for a large file or a slow server, and be killed with its
    leases.

    Before that, launches make no further calls, and await the answers in progress, which would else be paid twice.
    """
    shutdown.begin()
    threading.Thread(target=interrupt_tasks, name="interrupt_at_shutdown", daemon=True).start()


def interrupt_tasks() -> None:
    """Raise SoftTimeLimitExceeded in each task, like the soft time limit, so that it returns its lease and ends.

    Each task gets the signal once, because giving back must not be interrupted. Tasks that begin later, from a message
    the pool already had, get it too.
    """
    signalled = set()
    time.sleep(LAST_SECONDS)
    while True:
        for request in list(state.active_requests):
            if request.worker_pid and request.id not in signalled:
                signalled.add(request.id)
                os.kill(request.worker_pid, signal.SIGUSR1)
        time.sleep(0.2)
