"""The queue of all long work (scoring, imports, launches, …): rows that workers lease, each to one worker at a time.

A lease is a token and an expiry time. A worker writes its results in the transaction in which `leased_row` still
matches its token; an expired lease is freed by the next sweep. So a worker may die, wake up late or run
twice.

Locks are taken in this order: experiment, run, job, chunk. Claiming locks the connection of a lane and one row.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Sum

from evaluations import hints, leases, task_names
from evaluations.commit_points import reached
from evaluations.models import Chunk, Connection, Job, Launch, Run
from evaluations.models.leased import Leased

ATTEMPTS = 3
# ranks by which a variant of a launch with early stopping may be ahead of the slowest variant
MOST_AHEAD = 100
SWEEP_EVERY = timedelta(seconds=15)
MOST_HINTS = 16
# How many chunks of a lane may be leased at once, by the type of lane.
LEASES = {"connection": 1, "generate": 32}
Span = tuple[int, int, int]  # first position, last position, number of examples between them
Work = TypeVar("Work", bound=Leased)


class Lost(Exception):
    """The lease went to another worker, or the work was cancelled: nothing more may be written."""


# ---- one row -------------------------------------------------------------------------------------------------


def ready() -> Q:
    return Q(state=Leased.State.READY)


def claim(rows: QuerySet[Work], **fields: Any) -> Work | None:
    """Lease the first ready row of these, and set its `fields`; None if none is ready."""
    with transaction.atomic():
        work = rows.filter(ready()).select_for_update(skip_locked=True, of=("self",)).first()
        if work is None:
            return None
        fields |= leases.lease() | {"state": Leased.State.LEASED, "attempt": work.attempt + 1}
        if not type(work)._default_manager.filter(ready(), pk=work.pk).update(**fields):
            return None
    work.__dict__.update(fields)
    return work


def leased_row(work: Work) -> QuerySet[Work]:
    """The row, as long as our lease holds; an empty queryset afterwards."""
    return type(work)._default_manager.filter(pk=work.pk, token=work.token, state=Leased.State.LEASED)


def extend(work: Leased, **fields: Any) -> bool:
    """Extend the lease and set `fields`; False if the lease was lost."""
    until = leases.now() + timedelta(seconds=settings.EVALSITE_LEASE)
    return bool(leased_row(work).update(lease_until=until, **fields))


def pause(work: Leased) -> None:
    """Give the row back for another turn; this is not a failure."""
    leased_row(work).update(state=Leased.State.READY, token="", attempt=0)


@contextmanager
def given_back_on_error(work: Leased) -> Iterator[None]:
    """End the lease at once if this worker fails or shuts down; the exception propagates."""
    try:
        yield
    except BaseException as problem:
        leased_row(work).update(**leases.given_back(problem))
        raise


# ---- jobs of chunks ------------------------------------------------------------------------------------------


def add_job(run: Run, lane: str, spans: Sequence[Span], done: int = 0) -> Job:
    """Create a job with a chunk for each span, and send hints to the workers. `done` examples need no chunk."""
    total = done + sum(total for *_, total in spans)
    job = Job.objects.create(run=run, lane=lane, total=total, done=done, created_at=leases.now())
    Chunk.objects.bulk_create(
        Chunk(job=job, first=first, last=last, total=total) for first, last, total in spans
    )
    for _ in range(max(1, min(len(spans), MOST_HINTS))):
        hints.send(task_of(lane), run.pk)
    return job


def task_of(lane: str) -> str:
    return task_names.GENERATE if lane.startswith(Job.GENERATE) else task_names.SCORE


def cancel_jobs(run: Run) -> datetime:
    """End the open jobs of a locked run, and return the time; scores that are still being computed are dropped.

    Jobs are locked before chunks, as in `split`, so that no half of a split chunk is missed. Unfinished chunks are
    deleted before the finished ones are counted, so that none finishes in between. Leased chunks of launches stay, as
    done, while their workers wait for calls in progress.
    """
    at, jobs = leases.now(), list(Job.objects.select_for_update().filter(run=run))
    chunks = Chunk.objects.filter(job__in=jobs)
    asking = [job for job in jobs if task_of(job.lane) == task_names.GENERATE]
    chunks.filter(job__in=asking, state=Leased.State.LEASED).update(state=Leased.State.DONE)
    chunks.exclude(state=Leased.State.DONE).delete()
    finished = finished_in(chunks)
    open_jobs = [job for job in jobs if job.state == Job.State.OPEN]
    for job in open_jobs:
        job.state, job.finished_at, job.done = Job.State.CANCELLED, at, job.done + finished.get(job.pk, 0)
    Job.objects.bulk_update(open_jobs, ["state", "finished_at", "done"])
    chunks.exclude(_awaits_calls()).delete()
    return at


def finished_in(chunks: QuerySet[Chunk]) -> dict[int, int]:
    """The number of examples in the finished ones of these chunks, by job."""
    finished = chunks.filter(state=Leased.State.DONE, lease_until=None)
    return dict(finished.order_by().values_list("job").annotate(Sum("total")))


def _cancelled() -> Q:
    return Q(
        in_lanes_of(task_names.GENERATE, "job__"), job__state=Job.State.CANCELLED, state=Leased.State.DONE
    )


def _awaits_calls() -> Q:
    """Cancelled chunks whose workers still wait for calls."""
    return _cancelled() & Q(lease_until__gt=leases.now())


def await_calls(chunk: Chunk) -> None:
    """Keep a cancelled chunk leased: its examples are not asked again until its last calls have ended."""
    until = leases.now() + timedelta(seconds=settings.EVALSITE_LEASE)
    Chunk.objects.filter(_cancelled(), pk=chunk.pk, token=chunk.token).update(lease_until=until)


def release(chunk: Chunk) -> None:
    """Release a cancelled chunk, whose last calls have ended."""
    Chunk.objects.filter(_cancelled(), pk=chunk.pk, token=chunk.token).delete()


def purge_cancelled() -> None:
    """Delete cancelled chunks whose workers are lost."""
    Chunk.objects.filter(_cancelled(), leases.ended()).delete()


def claim_chunk(task: str = task_names.SCORE, jobs: QuerySet[Job] | None = None) -> Chunk | None:
    """Lease a chunk of any open job of this task, or of these claimable ones, whose lane has room."""
    leases.due("work", timedelta(seconds=5))
    for job in _in_fair_order(list(claimable_jobs(task) if jobs is None else jobs)):
        with transaction.atomic():
            chunk = claim(_next_chunks(job)) if _has_room(job.lane) else None
        if chunk:
            if chunk.job_id == job.pk:
                chunk.job = job
            reached("claimed")
            return chunk
    return None


def _next_chunks(job: Job) -> QuerySet[Chunk]:
    """The next chunks of a job; for a launch that may stop early, of all its variants in step.

    Otherwise a variant far ahead of the others could be paid for examples that a stop makes useless.
    """
    launches = Launch.objects.filter(generations__run=job.run_id, stop__isnull=False)
    if task_of(job.lane) != task_names.GENERATE:
        return job.chunks.order_by("first")
    stopping = launches.first()
    if stopping is None:
        return job.chunks.exclude(_is_awaited()).order_by("first")
    of_launch = Chunk.objects.filter(job__run__generation__launch=stopping, job__state=Job.State.OPEN)
    chunks = of_launch.filter(in_lanes_of(task_names.GENERATE, "job__"))
    lowest = chunks.exclude(state=Chunk.State.DONE).aggregate(Min("first"))["first__min"] or 1
    in_step = chunks.filter(job__lane=job.lane, first__lt=lowest + MOST_AHEAD)
    return in_step.exclude(_is_awaited()).order_by("first", "job")


def _is_awaited() -> Exists:
    """Chunks with examples whose answers, already paid, may still reach the worker of a cancelled chunk."""
    same_run = Chunk.objects.filter(_awaits_calls(), job__run=OuterRef("job__run"))
    return Exists(same_run.filter(first__lte=OuterRef("last"), last__gte=OuterRef("first")))


def claimable_jobs(task: str) -> QuerySet[Job]:
    """The open jobs of this task with a waiting chunk, unless outputs of their experiment are being copied."""
    waiting = Exists(Chunk.objects.filter(ready(), job=OuterRef("pk")))
    jobs = Job.objects.filter(waiting, in_lanes_of(task), state=Job.State.OPEN)
    # By a join: every claim asks this, and a subquery would take longer.
    return jobs.filter(run__experiment__output_copy=None)


def in_lanes_of(task: str, job: str = "") -> Q:
    """The jobs that this task works on; `job` is the lookup prefix that leads to them, such as "job__"."""
    generates = Q(**{f"{job}lane__startswith": Job.GENERATE})
    return generates if task == task_names.GENERATE else ~generates


def _in_fair_order(jobs: list[Job]) -> list[Job]:
    """Random order, so that each job gets its share; every other time smallest first, so that no small job waits long.

    With 200 jobs open, chance alone lets the last and smallest of them wait for some 200 chunks of the others.
    """
    random.shuffle(jobs)
    return sorted(jobs, key=lambda job: job.total) if random.random() < 0.5 else jobs


def _has_room(lane: str) -> bool:
    """Whether one more chunk of a lane may be leased; locks the lane's connection."""
    if lane == Job.TEXT:
        return True
    kind, _, connection = lane.partition(":")
    Connection.objects.select_for_update().filter(pk=int(connection)).first()
    return Chunk.objects.filter(state=Leased.State.LEASED, job__lane=lane).count() < LEASES[kind]


# ---- sweeping ------------------------------------------------------------------------------------------------


def free_expired(
    rows: QuerySet[Work], worn_out: Callable[[Work, QuerySet[Work]], None] | None = None
) -> None:
    """Make rows whose lease has expired ready again.

    A row that has killed `ATTEMPTS` workers is passed to `worn_out`, as a query that matches only until the row
    changes.
    """
    expired = rows.filter(leases.ended(), state=Leased.State.LEASED)
    for work in expired:
        unchanged = expired.filter(pk=work.pk, token=work.token)
        if worn_out is None or work.attempt < ATTEMPTS:
            unchanged.update(state=Leased.State.READY, token="")
        else:
            worn_out(work, unchanged)


def split(chunk: Chunk, unchanged: QuerySet[Chunk], count: Callable[[int, int], int]) -> None:
    """Halve a chunk that killed its workers, to isolate the row at fault; a half that kills one more is halved too."""
    middle = (chunk.first + chunk.last) // 2
    halves = [(chunk.first, middle), (middle + 1, chunk.last)]
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=chunk.job_id, state=Job.State.OPEN).first()
        if job is None or not unchanged.delete()[0]:
            return
        Chunk.objects.bulk_create(
            Chunk(
                job=job,
                first=first,
                last=last,
                total=total,
                attempt=ATTEMPTS - 1 if first < last else 0,
                usage=chunk.usage if first == chunk.first else None,
            )
            for first, last in halves
            if (total := count(first, last))
        )
        reached("splitting")


def cut(chunk: Chunk, spans: Sequence[Span]) -> bool:
    """Shorten a leased chunk to the first of these spans; the others become chunks. False if the lease was lost."""
    (first, last, total), *later_spans = spans
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=chunk.job_id, state=Job.State.OPEN).first()
        if job is None or not extend(chunk, last=last, total=total):
            return False
        Chunk.objects.bulk_create(Chunk(job=job, first=f, last=to, total=n) for f, to, n in later_spans)
        reached("cutting")
    chunk.first, chunk.last, chunk.total = first, last, total
    return True


def send_hints(task: str) -> None:
    """Send hints for waiting chunks again, because any message may be lost."""
    if waiting := claimable_jobs(task).first():
        # If workers claimed recently, hints are circulating; one more lets another worker join.
        for _ in range(1 if leases.happened("work", SWEEP_EVERY) else MOST_HINTS):
            hints.send(task, waiting.run_id)
