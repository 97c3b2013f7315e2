"""The lease of an import: who reads a file, and the proof of it that every write shows."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet

from evaluations import leases
from evaluations.commit_points import reached
from evaluations.models import Import


class Lost(Exception):
    """The lease went to somebody else, or the import was called off: everything unwritten is dropped."""


class Rejected(Exception):
    """The file cannot become rows; `errors` are what its uploader is told, `count` how many there were."""

    def __init__(self, errors: list[dict[str, Any]], count: int):
        super().__init__(errors[0]["message"])
        self.errors, self.count = errors, count


def claim(import_id: int) -> Import | None:
    """Lease an import that waits, or whose worker was lost; None when it is not to be had."""
    now, lease = leases.now(), leases.lease()
    free = Import.objects.filter(Q(state=Import.State.READY) | Q(lease_until__lt=now), pk=import_id)
    fields = {"state": Import.State.LEASED, "rows_done": 0, "bytes_done": 0, "started_at": now}
    if not free.update(attempt=F("attempt") + 1, **fields, **lease):
        return None
    reached("import_claimed")
    # Read back under our own token: who was suspended for long must not take up the lease of a successor.
    ours = Import.objects.select_related("dataset", "run__experiment__dataset")
    return ours.filter(pk=import_id, token=lease["token"]).first()


def held(job: Import) -> QuerySet[Import]:
    return Import.objects.filter(pk=job.pk, token=job.token, state=Import.State.LEASED)


def release(job: Import, problem: BaseException) -> None:
    """Give the lease back at once, because of a problem that ends this try."""
    held(job).update(**leases.given_back(problem))


def keep(job: Import, rows: int, bytes_read: int) -> None:
    """Say how far it is and hold the lease longer, in the transaction that writes; raises `Lost`."""
    until = leases.now() + timedelta(seconds=settings.EVALSITE_LEASE)
    if not held(job).update(rows_done=rows, bytes_done=bytes_read, lease_until=until):
        raise Lost
    reached("import_batch")


def end(job: Import) -> None:
    """Give the lease up for good, in the transaction that makes the rows visible; raises `Lost`."""
    if not held(job).delete()[0]:
        raise Lost
    reached("import_finish")
