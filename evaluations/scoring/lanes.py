"""The lanes of scoring: one for all texts, and one for each connection, so that a text is paid once."""

import os

from django.conf import settings

from evaluations import task_names
from evaluations.engine import lanes
from evaluations.models import Connection, Job


def register() -> None:
    lanes.register(lanes.Kind(Job.TEXT, task_names.SCORE, most_again=_all_but_one))
    lanes.register(lanes.Kind(Job.SERVER, task_names.EMBED, most=1, hold=hold_connection))


def _all_but_one() -> int:
    """The worker processes of a machine, but one: it stays free for work that has never ended one."""
    return max((settings.CELERY_WORKER_CONCURRENCY or os.cpu_count() or 1) - 1, 1)


def hold_connection(lane: str) -> None:
    """Lock the connection of a lane such as "connection:5"."""
    Connection.objects.select_for_update().filter(pk=int(lane.partition(":")[2])).first()
