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
from datetime import timedelta

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
def start(**_: object) -> None:
    """Sweep at once, to repair what earlier workers left, and begin to watch."""
    current_app.send_task(task_names.SWEEP, retry=False)
    queues = list(current_app.amqp.queues.consume_from)
    report(queues)
    threading.Thread(target=watch, args=(queues,), name="watchdog", daemon=True).start()


def report(queues: Sequence[str]) -> None:
    """Note in the database that workers of these queues are there."""
    try:
        consumption.report(queues)
    except DatabaseError:
        log.warning("The database does not answer; the worker of %s goes on.", ", ".join(queues))
    finally:
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


def watch(queues: Sequence[str]) -> None:
    silence = Silence()
    while not shutdown.has_begun():
        time.sleep(LOOK_EVERY)
        if sweeps_are_missing():
            hints.publish(task_names.SWEEP, ())
        if _is_deaf(silence, queues):
            log.error("Work waits, but this worker received nothing for %s s: it shuts down.", PATIENCE)
            os._exit(1)


def _is_deaf(silence: Silence, queues: Sequence[str]) -> bool:
    if shutdown.has_begun():
        return False  # What this worker gives back now waits for another one.
    return (silence.seconds() > PATIENCE and work_waits(queues)) or work_is_left_lying(queues)


def work_is_left_lying(queues: Sequence[str]) -> bool:
    """Whether work waits although no worker has any in hand, whatever this one believes.

    A worker that is cut off from Redis can miss that a task of its child has ended. It takes no other then, and a task
    of calls may run for a day.
    """
    try:
        return consumption.is_left_lying(queues, timedelta(seconds=PATIENCE))
    except DatabaseError:
        return False
    finally:
        connection.close()


def sweeps_are_missing() -> bool:
    """Whether three sweeps are missing: beat has died, and any worker may queue a sweep."""
    try:
        return not consumption.is_swept()
    except DatabaseError:
        return False
    finally:
        connection.close()


def work_waits(queues: Sequence[str]) -> bool:
    """Whether work waits for workers of these queues.

    False also if the database is unavailable, as another worker could not reach it either.
    """
    try:
        return consumption.has_waiting_work(queues)
    except DatabaseError:
        return False
    finally:
        connection.close()  # The children are forked from this process and must not inherit the connection.


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
