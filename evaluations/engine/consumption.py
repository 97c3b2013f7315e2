"""Whether workers consume work, judged by their pulses and leases in the database."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from evaluations import leases
from evaluations.models import Chunk, Dataset, Import, Job, OutputCopy, Pulse, Run

MOST_LISTED, MOST_ERRORS = 50, 10


def is_working(within: timedelta) -> bool:
    """True if a worker swept or claimed work recently, or holds a valid lease.

    Beat has a worker sweep every 15 seconds, so an idle site has a pulse as well.
    """
    return leases.recent_pulses(within).exists() or _is_in_hand()


def is_stalled(within: timedelta) -> bool:
    """True if chunks have waited this long and no worker claimed any: workers sweep, but do not score."""
    waiting = Chunk.objects.filter(state=Chunk.State.READY, job__created_at__lt=leases.now() - within)
    return waiting.exists() and not leases.happened("work", within) and not _is_in_hand()


def _is_in_hand() -> bool:
    is_leased = ~leases.ended() & Q(state="leased")
    return _exists(is_leased)


def has_waiting_work() -> bool:
    """True if a chunk, a file or a copying of outputs waits for a worker: new, or left by a lost worker."""
    free = Q(state="ready") | leases.ended() & Q(state="leased")
    return _exists(free)


def _exists(state: Q) -> bool:
    return any(work.objects.filter(state).exists() for work in (Chunk, Import, OutputCopy))


@dataclass(frozen=True)
class SiteState:
    """The state of all work on the site. `rate` is examples per second in the jobs of the last hour."""

    pulses: dict[str, datetime]
    imports: list[Import]
    jobs: list[
        Job
    ]  # open jobs, oldest first, each with counts of examples `done` and of chunks `leased`, `ready` and `again`
    ended: list[Job]  # ended jobs, newest first, each with its duration `took`
    rate: float | None
    failed_files: list[Dataset]
    failed_runs: list[Run]

    @property
    def oldest(self) -> datetime | None:
        """The time at which the oldest open work was queued."""
        waiting: list[Import | Job] = [*self.imports, *self.jobs]
        return min((work.created_at for work in waiting), default=None)


def site_state() -> SiteState:
    """Read the state with a fixed number of queries, none of which reads texts or scores."""
    an_hour_ago = leases.now() - timedelta(hours=1)
    jobs = Job.objects.select_related("run__experiment", "run__project")
    done = jobs.filter(state=Job.State.DONE, finished_at__gte=an_hour_ago, started_at__isnull=False)
    ended: list[Any] = list(
        done.annotate(took=F("finished_at") - F("started_at")).order_by("-finished_at")[:MOST_LISTED]
    )
    seconds = sum(job.took.total_seconds() for job in ended)
    files = Dataset.objects.filter(status=Dataset.Status.FAILED).select_related("project")
    runs = Run.objects.filter(status=Run.Status.FAILED, deleted_at=None)
    files_read = Import.objects.exclude(state=Import.State.DONE)
    return SiteState(
        pulses=dict(Pulse.objects.values_list("name", "at")),
        imports=list(
            files_read.select_related("dataset__project", "run__project").order_by("pk")[:MOST_LISTED]
        ),
        jobs=list(jobs.filter(state=Job.State.OPEN).annotate(**_of_chunks()).order_by("pk")[:MOST_LISTED]),
        ended=ended,
        rate=sum(job.total for job in ended) / seconds if seconds else None,
        failed_files=list(files.order_by("-pk")[:MOST_ERRORS]),
        failed_runs=list(runs.select_related("project").order_by("-pk")[:MOST_ERRORS]),
    )


def _of_chunks() -> dict[str, Combinable]:
    states = Chunk.State
    return {
        "scored": F("done") + Coalesce(Sum("chunks__total", filter=Q(chunks__state=states.DONE)), 0),
        "leased": Count("chunks", filter=Q(chunks__state=states.LEASED)),
        "ready": Count("chunks", filter=Q(chunks__state=states.READY)),
        "again": Count("chunks", filter=Q(chunks__attempt__gt=1)),
    }
