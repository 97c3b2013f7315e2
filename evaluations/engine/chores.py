"""Runs independent chores: if one fails, it is logged by name, and the next one runs."""

import logging
from collections.abc import Callable, Iterable

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection

log = logging.getLogger(__name__)


def run_each(chores: Iterable[Callable[[], object]]) -> None:
    """Run all of them; only a worker that is shutting down stops early."""
    for chore in chores:
        try:
            chore()
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            # Any error, because a chore that fails in every sweep must not block the others.
            name = getattr(chore, "__name__", repr(chore))
            log.exception("The chore %s failed; the next sweep tries it again.", name)
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()  # so that the next chore reconnects to the database
