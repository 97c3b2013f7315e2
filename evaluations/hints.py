"""Celery messages that tell workers of new work.

They only save time: the database holds the work, and the next sweep, at most 15 s later, would find it too.
"""

import logging
import threading
import time
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from kombu.pools import producers
from redis.exceptions import RedisError

from .commit_points import reached
from .task_names import QUEUES

log = logging.getLogger(__name__)

REMEMBER_DOWN = 10  # seconds during which no message is tried after a failure
MOST_WAITING = 500  # messages of a queue; while no worker takes any, each sweep would send more
# For publishing only: web requests must not wait for the broker, workers may.
IMPATIENT = {"socket_connect_timeout": 1, "socket_timeout": 1, "retry_on_timeout": False, "max_retries": 0}


class Outage:
    """When this process tries the broker again, by the monotonic clock."""

    ends_at = 0.0


def send(task: str, *ids: int) -> None:
    """Send the name of a task to the workers once the transaction commits.

    Never raises and never waits longer than two seconds; after a failure, hints of the next ten seconds are
    dropped at once. Tasks are named as texts, because this module must not import them.
    """
    transaction.on_commit(partial(publish, task, ids), robust=True)


def send_later(seconds: float, task: str, *ids: int) -> None:
    """Send the name of a task after some seconds, once the transaction commits; lost if this process ends before.

    Not by Celery's `countdown`: its workers would hold the messages, and lose them when Redis goes away.
    """

    def begin() -> None:
        timer = threading.Timer(seconds, publish, (task, ids))
        timer.daemon = True
        timer.start()

    transaction.on_commit(begin, robust=True)


def publish(task: str, ids: tuple[int, ...]) -> bool:
    """Send a message now, unless many wait; True if the broker answered."""
    reached("before_publish")
    if not settings.CELERY_BROKER_URL or is_down():
        return False
    connection = current_app.connection_for_write(transport_options=IMPATIENT)
    try:
        with producers[connection].acquire(block=True, timeout=1) as producer:
            if producer.channel.queue_declare(QUEUES[task]).message_count < MOST_WAITING:
                current_app.send_task(task, ids, producer=producer, retry=False, ignore_result=True)
    except (OperationalError, RedisError, OSError) as problem:
        Outage.ends_at = time.monotonic() + REMEMBER_DOWN
        log.warning("The broker does not answer (%s); the sweeper will send %s.", problem, task)
        return False
    reached("after_publish")
    return True


def is_down() -> bool:
    """Whether the broker failed to respond to this process in the last seconds."""
    return time.monotonic() < Outage.ends_at
