"""The progress of an import: rows and bytes read, their rate, and the time left."""

from dataclasses import dataclass
from datetime import timedelta

from evaluations import leases, work_rates
from evaluations.models import Import


@dataclass(frozen=True)
class Progress:
    """Rows and bytes read, or examples edited; `rate` and `time_left` are None before three seconds and 2 %."""

    rows: int = 0
    done: int = 0
    size: int = 0
    rate: int | None = None
    time_left: timedelta | None = None
    is_file: bool = True


def progress(job: Import | None) -> Progress:
    if job is None:
        return Progress()
    is_file = bool(job.stored_as)
    if job.started_at is None:
        return Progress(is_file=is_file)
    elapsed = leases.now() - job.started_at
    if not work_rates.can_be_told(job.bytes_done, job.size, job.started_at):
        return Progress(job.rows_done, job.bytes_done, job.size, is_file=is_file)
    time_left = elapsed * max(0, job.size - job.bytes_done) / job.bytes_done
    rate = round(job.rows_done / elapsed.total_seconds())
    return Progress(job.rows_done, job.bytes_done, job.size, rate, time_left, is_file)
