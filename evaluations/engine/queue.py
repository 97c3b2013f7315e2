"""The queue of all long work (scoring, imports, launches, …): rows that workers lease, each to one worker at a time.

A lease is a token and an expiry time. A worker writes its results in the transaction in which `leased_row` still
matches its token; an expired lease is freed by the next sweep. So a worker may die, wake up late or run
twice.

Locks are taken in this order: experiment, run, job, chunk; of several jobs by id. Claiming first locks what its lane
names (`lanes.Kind.hold`).
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum

from evaluations import hints, leases
from evaluations.commit_points import reached
from evaluations.models.experiment import OutputCopy
from evaluations.models.leased import Leased
from evaluations.models.owned import Owned
from evaluations.models.project import Pulse
from evaluations.models.run import Chunk, Job

from . import lanes, turns

ATTEMPTS = 3
MOST_HINTS = 16
PULSE = timedelta(seconds=5)  # between two records that workers of a queue take work
FRESH = Q(
    attempt__lt=1
)  # no equality: SQLite would then look for the chunks of a job among those of all jobs
HISTORY = Q(attempt__gt=0)  # waiting chunks with which a worker has ended, or that took too long
HISTORY_FIRST = 0.05  # share of claims that look at those first, so that none waits for ever
AGAIN = "again"  # the pulse that is locked while chunks with a history are counted
CANDIDATES = 10  # jobs that a claim looks at together
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


def pause(work: Leased, **fields: Any) -> None:
    """Give the row back for another turn, and set its `fields`; this is not a failure."""
    leased_row(work).update(state=Leased.State.READY, token="", attempt=0, **fields)


@contextmanager
def given_back_on_error(work: Leased) -> Iterator[None]:
    """End the lease at once if this worker fails or shuts down; the exception propagates."""
    _in_hand.append(work)
    try:
        yield
    except BaseException as problem:
        leased_row(work).update(**leases.given_back(problem))
        raise
    finally:
        _in_hand.remove(work)


_in_hand: list[Leased] = []  # by this process, in any of its threads


def give_back_all(problem: BaseException) -> None:
    """End the leases of threads that wait for a server too long to give them back themselves."""
    for work in list(_in_hand):
        leased_row(work).update(**leases.given_back(problem))


# ---- jobs of chunks ------------------------------------------------------------------------------------------


def add_job(of: Owned, lane: str, spans: Sequence[Span], done: int = 0, budget: int | None = None) -> Job:
    """Create a job of a run or trial with a chunk for each span, and send hints to the workers.

    `done` examples need no chunk. `budget` is the id of the money for calls of evaluators.
    """
    kind = lanes.of(lane)
    job = Job.objects.create(
        **_of(of),
        lane=lane,
        kind=kind.name,
        project_id=of.project_id,
        total=done + sum(total for *_, total in spans),
        done=done,
        budget_id=budget,
        turn=turns.after(kind.name, of.project_id),
        created_at=leases.now(),
    )
    Chunk.objects.bulk_create(
        Chunk(job=job, first=first, last=last, total=total) for first, last, total in spans
    )
    # Outside of this transaction: claims must not wait for it.
    transaction.on_commit(
        lambda: turns.join(claimable_jobs(kind.name), kind.name, of.project_id), robust=True
    )
    for _ in range(max(1, min(len(spans), MOST_HINTS))):
        hints.send(kind.task, of.pk)
    return job


def cancel_jobs(of: Owned) -> datetime:
    """End the open jobs of a locked run or trial, and return the time; scores still being computed are dropped.

    Jobs are locked before chunks, as in `split`, so that no half of a split chunk is missed. Unfinished chunks are
    deleted before the finished ones are counted, so that none finishes in between. Leased chunks stay, as done, while
    their workers wait for calls in progress.
    """
    at, jobs = leases.now(), list(Job.objects.select_for_update().filter(**_of(of)).order_by("pk"))
    chunks = Chunk.objects.filter(job__in=jobs)
    chunks.filter(_leaves_calls(), state=Leased.State.LEASED).update(state=Leased.State.DONE)
    chunks.exclude(state=Leased.State.DONE).delete()
    finished = finished_in(chunks)
    open_jobs = [job for job in jobs if job.state == Job.State.OPEN]
    for job in open_jobs:
        job.state, job.finished_at, job.done = Job.State.CANCELLED, at, job.done + finished.get(job.pk, 0)
    Job.objects.bulk_update(open_jobs, ["state", "finished_at", "done"])
    chunks.exclude(awaits_calls()).delete()
    return at


def _of(owner: Owned) -> dict[str, Any]:
    """The field of a job that names whose it is."""
    return {str(owner._meta.model_name): owner}


def finished_in(chunks: QuerySet[Chunk]) -> dict[int, int]:
    """The number of examples in the finished ones of these chunks, by job."""
    finished = chunks.filter(state=Leased.State.DONE, lease_until=None)
    return dict(finished.order_by().values_list("job").annotate(Sum("total")))


def counts_of(chunks: QuerySet[Chunk]) -> dict[int, tuple[int, int]]:
    """The numbers of examples in the finished ones of these chunks, and in those with a history, by job."""
    done = Q(state=Leased.State.DONE, lease_until=None)
    again = Q(state=Leased.State.READY, attempt__gt=0) | Q(state=Leased.State.LEASED, attempt__gt=1)
    of_jobs = chunks.order_by().values("job")
    sums = of_jobs.annotate(
        done=Sum("total", filter=done, default=0), again=Sum("total", filter=again, default=0)
    )
    return {row["job"]: (row["done"], row["again"]) for row in sums}


def _leaves_calls() -> Q:
    return Q(job__kind__in=[kind.name for kind in lanes.every() if kind.leaves_calls])


def _cancelled() -> Q:
    return Q(_leaves_calls(), job__state=Job.State.CANCELLED, state=Leased.State.DONE)


def awaits_calls() -> Q:
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


# ---- claiming ------------------------------------------------------------------------------------------------


def claim_chunk(kind: str, without: Q | None = None) -> Chunk | None:
    """Lease a chunk of an open job of this kind whose lane has room; of none of the jobs `without`.

    Of projects and jobs, a bounded number is looked at, so a claim costs the same with one open job and with thousands.
    """
    of_kind = lanes.of(kind)
    leases.due(of_kind.queue, PULSE)
    if of_kind.most_again is None:
        return _claim_from(kind, Q(), without)
    first, second = (HISTORY, FRESH) if random.random() < HISTORY_FIRST else (FRESH, HISTORY)
    return _claim_from(kind, first, without) or _claim_from(kind, second, without)


def _claim_from(kind: str, which: Q, without: Q | None) -> Chunk | None:
    """Lease one of `which` chunks."""
    if which is HISTORY and not Chunk.objects.filter(which, ready()).exists():
        return None
    jobs = claimable_jobs(kind, which) if without is None else claimable_jobs(kind, which).exclude(without)
    full: set[str] = set()
    tried: set[int] = set()
    while projects := turns.served_least(jobs, kind, CANDIDATES):
        for project in projects:
            for job in turns.in_turn(jobs, project, CANDIDATES):
                tried.add(job.pk)
                if job.lane not in full and (chunk := _claim_of(job, full, which)):
                    turns.serve(job)
                    reached("claimed")
                    return chunk
        jobs = jobs.exclude(pk__in=tried).exclude(lane__in=full)
    return None


def _claim_of(job: Job, full: set[str], which: Q) -> Chunk | None:
    """Lease the next chunk of a job. None if its lane is full, which is noted, or if other workers were faster."""
    kind = lanes.of(job.lane)
    with transaction.atomic():
        if kind.most is not None and not _has_room(kind, job.lane):
            full.add(job.lane)
            return None
        if which is HISTORY and not _has_room_again(kind, job.lane):
            full.add(job.lane)
            return None
        Job.objects.select_for_update().filter(pk=job.pk).first()
        chunk = claim(kind.chunks(job).filter(which))
        if chunk is None:
            return None
        job.turn = turns.after(kind.name, job.project_id)
        Job.objects.filter(pk=job.pk).update(turn=job.turn)
    if chunk.job_id == job.pk:
        chunk.job = job
    return chunk


def _has_room(kind: lanes.Kind, lane: str) -> bool:
    kind.hold(lane)
    assert kind.most is not None
    return Chunk.objects.filter(state=Leased.State.LEASED, job__lane=lane).count() < kind.most


def _has_room_again(kind: lanes.Kind, lane: str) -> bool:
    """Whether one more chunk with a history may be leased: one child stays free for work without."""
    Pulse.objects.get_or_create(name=AGAIN, defaults={"at": leases.now()})
    Pulse.objects.select_for_update().get(name=AGAIN)
    again = Chunk.objects.filter(state=Leased.State.LEASED, job__lane=lane, attempt__gt=1)
    return kind.most_again is None or again.count() < kind.most_again()


def claimable_jobs(kind: str, which: Q | None = None) -> QuerySet[Job]:
    """The open jobs of this kind with a waiting chunk (one of `which`) that do not rest.

    Not those of experiments whose outputs are being copied.
    """
    waiting = Exists(Chunk.objects.filter(which or Q(), ready(), job=OuterRef("pk")))
    jobs = Job.objects.filter(awake(), waiting, kind=kind, state=Job.State.OPEN)
    # A query of its own: joined, the database could begin with the experiments, or sort all jobs.
    copied = list(OutputCopy.objects.values_list("experiment", flat=True))
    return jobs.exclude(run__experiment__in=copied) if copied else jobs


def left_open(*kinds: str) -> QuerySet[Job]:
    """The open jobs of these kinds whose chunks are all done: their last worker was lost before it closed them.

    One query, however many jobs wait: to ask for each of them would make the sweep longer with the queue.
    """
    unfinished = Chunk.objects.filter(job=OuterRef("pk"), state__in=(Leased.State.READY, Leased.State.LEASED))
    return Job.objects.filter(~Exists(unfinished), kind__in=kinds, state=Job.State.OPEN)


def awake() -> Q:
    """Jobs that do not rest."""
    return Q(ready_at=None) | Q(ready_at__lte=leases.now())


def rest(jobs: QuerySet[Job], seconds: float, hint: int) -> None:
    """Let nobody claim chunks of these jobs for some seconds: they wait for money or for a server, not for a worker.

    This process sends a message (with the id `hint`) when the rest is over; if it dies, the next sweep does.
    """
    kinds = set(jobs.values_list("kind", flat=True).distinct())
    jobs.update(ready_at=leases.now() + timedelta(seconds=seconds))
    for kind in kinds:
        hints.send_later(seconds, lanes.of(kind).task, hint)


def wake(jobs: QuerySet[Job]) -> None:
    """Let chunks of these jobs be claimed at once."""
    jobs.filter(ready_at__gt=leases.now()).update(ready_at=None)


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
    parts = [(first, last, ATTEMPTS - 1 if first < last else 1) for first, last in halves]
    _replace(chunk, unchanged, parts, count)


def isolate_rows(chunks: QuerySet[Chunk], count: Callable[[Chunk, int, int], int]) -> None:
    """Cut lost chunks that were scored row by row: the row that was being scored becomes a chunk of its own."""
    lost = chunks.filter(leases.ended(), state=Leased.State.LEASED, row__isnull=False, first__lt=F("last"))
    for chunk in lost:
        row = chunk.row or chunk.first
        parts = [(chunk.first, row - 1, 1), (row, row, chunk.attempt), (row + 1, chunk.last, 1)]
        unchanged = lost.filter(pk=chunk.pk, token=chunk.token)
        _replace(chunk, unchanged, parts, partial(count, chunk))


def _replace(
    chunk: Chunk,
    unchanged: QuerySet[Chunk],
    parts: Sequence[tuple[int, int, int]],
    count: Callable[[int, int], int],
) -> None:
    """Replace a lost chunk by its parts (first and last position, attempts so far), unless it has changed."""
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
                attempt=attempt,
                usage=chunk.usage if first == chunk.first else None,
            )
            for first, last, attempt in parts
            if first <= last and (total := count(first, last))
        )
        reached("splitting")


def cut(chunk: Chunk, spans: Sequence[Span], attempt: int = 0) -> bool:
    """Shorten a leased chunk to the first of these spans; the others become chunks. False if the lease was lost.

    `attempt` of the others: from 1 on they wait behind chunks without a history.
    """
    (first, last, total), *later_spans = spans
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=chunk.job_id, state=Job.State.OPEN).first()
        if job is None or not extend(chunk, last=last, total=total):
            return False
        Chunk.objects.bulk_create(
            Chunk(job=job, first=f, last=to, total=n, attempt=attempt) for f, to, n in later_spans
        )
        reached("cutting")
    chunk.first, chunk.last, chunk.total = first, last, total
    return True


def sweep(kind: str) -> None:
    """Send hints for waiting chunks again, because any message may be lost; and tidy the shares of projects."""
    turns.tidy(kind)
    if waiting := claimable_jobs(kind).first():
        of_kind = lanes.of(kind)
        # If workers claimed recently, hints are circulating; one more lets another worker join.
        for _ in range(1 if leases.happened(of_kind.queue, leases.sweeps(1)) else MOST_HINTS):
            hints.send(of_kind.task, waiting.pk)
