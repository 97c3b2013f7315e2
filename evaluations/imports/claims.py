"""The lease of an import, which says which worker reads the file; every write checks it."""

import logging
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from evaluations import leases, task_names
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.engine.queue import Lost
from evaluations.models import Import

from . import beside

log = logging.getLogger(__name__)


class Rejected(Exception):
    """The file cannot be imported; `errors` are shown to its uploader, `counts` are their numbers by code."""

    def __init__(self, errors: list[dict[str, Any]], counts: Counter[str] | None = None):
        super().__init__(errors[0]["message"])
        self.errors = errors
        self.counts = counts or Counter(error["code"] for error in errors)


def claim(import_id: int) -> Import | None:
    """Lease a waiting import; None if it is leased or ended, or if too many large files are being read."""
    leases.due(task_names.QUEUES[task_names.IMPORT_FILE], queue.PULSE)
    related = Import.objects.select_related("dataset", "change__dataset", "run__experiment__dataset")
    imports = related.filter(pk=import_id)
    fields = {"rows_done": 0, "bytes_done": 0, "started_at": leases.now()}
    with transaction.atomic():
        job = queue.claim(imports, **fields) if _has_room(import_id) else None
    if job:
        reached("import_claimed")
    return job


def _has_room(import_id: int) -> bool:
    """Whether one more file of its size may be read; locks all imports before it counts the large ones."""
    job = Import.objects.filter(pk=import_id).first()
    if job is None or not job.is_large:
        return True
    imports = Import.objects.select_for_update().order_by("pk")
    leased = sum(running.is_large for running in imports if running.state == Import.State.LEASED)
    return leased < settings.LARGE_IMPORTS


def keep(job: Import, rows: int, bytes_read: int) -> None:
    """Store the progress and extend the lease, in the transaction that writes rows; raises `Lost`."""
    if not queue.extend(job, rows_done=rows, bytes_done=bytes_read):
        raise Lost
    reached("import_batch")


def kept(job: Import) -> AbstractContextManager[None]:
    """Within this context, a thread extends the lease: a bucket may take longer for a large file than a lease lasts."""

    def extend() -> bool:
        try:
            return queue.extend(job)  # If it was lost, the next write says so.
        except DatabaseError as problem:
            log.warning("The lease of import %s was not extended: %s", job.pk, problem)
            return True

    return beside.repeated(extend, settings.EVALSITE_LEASE / 4, "lease")


def end(job: Import) -> None:
    """Remove the import, in the transaction that makes its rows visible; raises `Lost`."""
    if not queue.leased_row(job).delete()[0]:
        raise Lost
    reached("import_finish")
