"""Whether workers consume work, judged by their pulses and leases in the database."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from evaluations import leases, task_names
from evaluations.models.dataset import Dataset
from evaluations.models.experiment import OutputCopy
from evaluations.models.project import Pulse
from evaluations.models.run import Chunk, Job, Run
from evaluations.models.upload import Import

from . import lanes
from . import queue as ready_work

MOST_LISTED, MOST_ERRORS, MOST_ENDED = 50, 10, 500
MISSING = timedelta(seconds=120)  # a worker reports itself every half minute
REMEMBERED = timedelta(days=1)


FILES = task_names.QUEUES[task_names.IMPORT_FILE]
QUEUES = tuple(sorted({*task_names.QUEUES.values()}))


def is_swept() -> bool:
    """True if the last sweep is younger than three intervals."""
    return leases.happened("sweep", leases.sweeps(3))


def stalled_queue(within: timedelta) -> str:
    """The first Celery queue whose work has waited this long, though no worker took any and none has any in hand.

    "" if there is none.
    """
    before = leases.now() - within
    return next((queue for queue in QUEUES if _is_stalled(queue, within, before)), "")


def is_left_lying(queues: Iterable[str], within: timedelta) -> bool:
    """True if work of these queues has waited this long, and no worker has anything of any of them in hand."""
    before = leases.now() - within
    return any(_is_stalled(queue, within, before) for queue in queues) and not any(map(_is_in_hand, queues))


def _is_stalled(queue: str, within: timedelta, before: datetime) -> bool:
    return (
        _waits(queue, Q(created_at__lt=before))
        and not leases.happened(queue, within)
        and not _is_in_hand(queue)
    )


def _waits(queue: str, such: Q) -> bool:
    """Whether such files or jobs wait for workers of a queue."""
    if queue == FILES:
        return any(work.objects.filter(ready_work.ready(), such).exists() for work in (Import, OutputCopy))
    kinds = _kinds(queue)
    # mostly nothing is open, and each of many idle workers asks twice a minute
    if not Job.objects.filter(kind__in=kinds, state=Job.State.OPEN).exists():
        return False
    return any(ready_work.claimable_jobs(kind).filter(such).exists() for kind in kinds)


def _kinds(queue: str) -> list[str]:
    return [kind.name for kind in lanes.every() if kind.queue == queue]


def _is_in_hand(queue: str) -> bool:
    return _exists(queue, ~leases.ended() & Q(state="leased"))


def has_waiting_work(queues: Iterable[str] = QUEUES) -> bool:
    """True if a chunk, a file or a copying of outputs waits for workers of these queues, new or left by a lost one."""
    lost = leases.ended() & Q(state="leased")
    return any(_waits(queue, Q()) or _exists(queue, lost) for queue in queues)


def _exists(queue: str, state: Q) -> bool:
    if queue == FILES:
        return any(work.objects.filter(state).exists() for work in (Import, OutputCopy))
    return Chunk.objects.filter(state, job__kind__in=_kinds(queue)).exists()


def report(names: Iterable[str]) -> None:
    """Note that a worker of this name is there, or workers of a queue, though none may have taken work yet."""
    for name in names:
        leases.set_pulse(name, leases.now())


def sign_off(worker: str) -> None:
    Pulse.objects.filter(name=worker).delete()


def forget_workers() -> None:
    """Forget workers that were not seen for a day: their machines are gone for good."""
    _workers().filter(at__lt=leases.now() - REMEMBERED).delete()


def _workers() -> QuerySet[Pulse]:
    """The pulses of single workers, such as worker@host."""
    return Pulse.objects.filter(name__contains="@")


@dataclass(frozen=True)
class Seen:
    """A worker, when it last reported itself, and whether that is too long ago."""

    name: str
    at: datetime
    is_missing: bool


def workers() -> list[Seen]:
    """The workers that reported themselves within a day and did not end in order, by name."""
    due = leases.now() - MISSING
    return [Seen(name, at, at < due) for name, at in _workers().order_by("name").values_list("name", "at")]


def are_present(within: timedelta) -> bool:
    """Whether workers of every queue reported recently, or took work."""
    recent = set(leases.recent_pulses(within).values_list("name", flat=True))
    return recent.issuperset(QUEUES) and "sweep" in recent


@dataclass(frozen=True)
class SiteState:
    """The state of all work on the site. `rate` is examples per second in the jobs of the last hour."""

    pulses: dict[str, datetime]
    imports: list[Import]
    jobs: list[
        Job
    ]  # open jobs, oldest first, each with counts of examples `done` and of chunks `leased`, `ready` and `again`
    asking: list[Job]  # open jobs of judges and trials, likewise
    ended: list[
        Job
    ]  # ended jobs of an hour, newest first, each with its duration `took`; `not_listed` are older
    not_listed: int
    rate: float | None
    failed_files: list[Dataset]
    failed_runs: list[Run]

    @property
    def oldest(self) -> datetime | None:
        """The time at which the oldest open work was queued."""
        waiting: list[Import | Job] = [*self.imports, *self.jobs, *self.asking]
        return min((work.created_at for work in waiting), default=None)

    @property
    def failed(self) -> list[tuple[datetime, Dataset | None, Run | None]]:
        """What failed and when, newest first: a file that was to be a dataset, or a run."""
        files = [(dataset.created_at, dataset, None) for dataset in self.failed_files]
        runs = [(run.finished_at or run.created_at, None, run) for run in self.failed_runs]
        return sorted([*files, *runs], key=itemgetter(0), reverse=True)


def site_state() -> SiteState:
    """Read the state with a fixed number of queries, none of which reads texts or scores."""
    an_hour_ago = leases.now() - timedelta(hours=1)
    jobs = Job.objects.filter(run__isnull=False).select_related("run__experiment", "run__project")
    done = jobs.filter(state=Job.State.DONE, finished_at__gte=an_hour_ago, started_at__isnull=False)
    ended: list[Any] = list(
        done.annotate(took=F("finished_at") - F("started_at"))
        .prefetch_related("scorings__evaluator_version__evaluator")
        .order_by("-finished_at")[:MOST_ENDED]
    )
    seconds = sum(job.took.total_seconds() for job in ended)
    opened = Job.objects.filter(state=Job.State.OPEN).annotate(**_of_chunks()).order_by("pk")
    files = Dataset.objects.filter(status=Dataset.Status.FAILED).select_related("project")
    runs = Run.objects.filter(status=Run.Status.FAILED, deleted_at=None)
    files_read = Import.objects.exclude(state=Import.State.DONE)
    return SiteState(
        pulses=dict(Pulse.objects.values_list("name", "at")),
        imports=list(
            files_read.select_related("dataset__project", "run__project").order_by("pk")[:MOST_LISTED]
        ),
        jobs=list(
            opened.filter(run__isnull=False).select_related("run__experiment", "run__project")[:MOST_LISTED]
        ),
        asking=list(opened.filter(run=None)[:MOST_LISTED]),
        ended=ended,
        not_listed=done.count() - len(ended) if len(ended) == MOST_ENDED else 0,
        rate=sum(job.total for job in ended) / seconds if seconds else None,
        failed_files=list(files.order_by("-pk")[:MOST_ERRORS]),
        failed_runs=list(runs.select_related("experiment", "project").order_by("-pk")[:MOST_ERRORS]),
    )


def _of_chunks() -> dict[str, Combinable]:
    states = Chunk.State
    return {
        "scored": F("done") + Coalesce(Sum("chunks__total", filter=Q(chunks__state=states.DONE)), 0),
        "leased": Count("chunks", filter=Q(chunks__state=states.LEASED)),
        "ready": Count("chunks", filter=Q(chunks__state=states.READY)),
        "again": Count("chunks", filter=Q(chunks__attempt__gt=1)),
    }
