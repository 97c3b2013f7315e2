"""The engine: the database is the queue, Celery only says that there is work.

jobs.open_job → claim → score → close → finish, and sweep for whatever was interrupted. Any message may be
lost, doubled or late; a write counts only under the token of a lease that still holds.
"""

import logging
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import orjson
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluations import bulk, hints, leases
from evaluations.clients import Interrupted
from evaluations.commit_points import reached
from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Chunk, Connection, Job, Run, Scoring
from evaluations.values import Status

from . import columns, jobs, summaries
from .rows import Rows

log = logging.getLogger(__name__)
SWEEP_EVERY = timedelta(seconds=15)
ATTEMPTS = 3
TURN = 0.25  # Of a lease: how long a chunk may ask a server before others are served.
BLOCK_FIELDS = ("scoring_id", "first", "values", "passed", "status", "notes")


@dataclass(frozen=True)
class Task:
    """What all chunks of an open job share: its run, and the compiled recipes of its scorings."""

    run: Run
    recipes: dict[int, Recipe]

    @classmethod
    def of(cls, job: Job) -> "Task":
        run = Run.objects.select_related("project", "experiment__dataset").get(pk=job.run_id)
        scorings = job.scorings.select_related("evaluator_version")
        return cls(run, {scoring.pk: Recipe.of(scoring.evaluator_version) for scoring in scorings})

    @property
    def needs(self) -> frozenset[str]:
        return frozenset().union(*(recipe.needs for recipe in self.recipes.values()))


@dataclass(frozen=True)
class Claimed:
    """A leased chunk and what it belongs to; `usage` counts what scoring it cost, by scoring.

    `until`, by the monotonic clock, is the end of its turn.
    """

    chunk: Chunk
    task: Task
    usage: dict[int, Counter[str]] = field(default_factory=dict)
    until: float = field(default_factory=lambda: time.monotonic() + TURN * settings.EVALSITE_LEASE)

    @classmethod
    def of(cls, chunk: Chunk, task: Task) -> "Claimed":
        """With what was paid in earlier turns; the vectors fetched in them will be found, and are no hits."""
        usage = {int(pk): Counter(used) for pk, used in (chunk.usage or {}).items()}
        for used in usage.values():
            used["hits"] = -used["fetched"]
        return cls(chunk, task, usage)

    @property
    def has_had_its_turn(self) -> bool:
        """Never where vectors of earlier turns are gone from a store that is too small: turns would have no end."""
        return time.monotonic() >= self.until and all(used["hits"] >= 0 for used in self.usage.values())


# ---- working -------------------------------------------------------------------------------------------------


def work(seconds: float = 2.0) -> bool:
    """Claim and score chunks for about `seconds`; True when there may be more."""
    deadline = time.monotonic() + seconds
    known: dict[int, Task] = {}  # No longer than this call: a job that is asked anew is another job.
    while time.monotonic() < deadline:
        claimed = claim(known)
        if claimed is None:
            return False
        with _released_on_error(claimed.chunk):
            try:
                closed = close(claimed, score(claimed))
            except Interrupted:
                closed = pause(claimed)
        if closed:
            finish(claimed.chunk.job)
    return True


def claim(known: dict[int, Task] | None = None) -> Claimed | None:
    """Lease the first ready chunk of an open job: fair without counters. `known` remembers tasks by job."""
    leases.due("work", timedelta(seconds=5))
    known = {} if known is None else known
    ready = _ready()
    for job in _in_fair_order(list(_claimable_jobs(ready))):
        with transaction.atomic():
            chunk = _lease_in(job, ready)
        if chunk:
            reached("claimed")
            if job.pk not in known:
                _mark_started(job)
                known[job.pk] = Task.of(job)
            return Claimed.of(chunk, known[job.pk])
    return None


def _in_fair_order(claimable: list[Job]) -> list[Job]:
    """At random, so that each has its share; every other time the small first, so that none of them waits for long.

    With 200 jobs open, chance alone lets the last and smallest of them wait for some 200 chunks of the others.
    """
    random.shuffle(claimable)
    return sorted(claimable, key=lambda job: job.total) if random.random() < 0.5 else claimable


def _ready() -> Q:
    return Q(state=Chunk.State.READY) & (Q(next_attempt_at=None) | Q(next_attempt_at__lte=leases.now()))


def _claimable_jobs(ready: Q) -> QuerySet[Job]:
    return Job.objects.filter(Exists(Chunk.objects.filter(ready, job=OuterRef("pk"))), state=Job.State.OPEN)


def _lease_in(job: Job, ready: Q) -> Chunk | None:
    """A chunk of this job that is now ours, unless another worker was faster or its connection is in use."""
    if not _lane_is_free(job.lane):
        return None
    skip_locked = connection.features.has_select_for_update_skip_locked
    chunks = Chunk.objects.select_for_update(skip_locked=skip_locked).filter(ready, job=job)
    chunk = chunks.order_by("first").first()
    if chunk is None:
        return None
    fields = leases.lease() | {"state": Chunk.State.LEASED, "attempt": chunk.attempt + 1}
    if not Chunk.objects.filter(ready, pk=chunk.pk).update(**fields):
        return None
    chunk.__dict__.update(fields)
    return chunk


def _lane_is_free(lane: str) -> bool:
    """One leased chunk per connection; its row is the lock."""
    if lane == Job.TEXT:
        return True
    Connection.objects.select_for_update().filter(pk=int(lane.removeprefix("connection:"))).first()
    return not Chunk.objects.filter(state=Chunk.State.LEASED, job__lane=lane).exists()


def _mark_started(job: Job) -> None:
    if job.started_at is None:
        at = leases.now()
        Run.objects.filter(pk=job.run_id, status=Run.Status.QUEUED).update(
            status=Run.Status.RUNNING, started_at=at
        )
        Job.objects.filter(pk=job.pk, started_at=None).update(started_at=at)


def score(claimed: Claimed) -> dict[int, Scores]:
    """The scores of every scoring of the job, a slot per position of the chunk. Writes nothing but embeddings."""
    chunk, task, shared = claimed.chunk, claimed.task, {}
    rows = Rows.read(task.run, chunk.first, chunk.last, task.needs)
    results = {}
    for scoring, recipe in task.recipes.items():
        embed = embeddings.embedder(task.run.project, recipe, keep_alive=lambda: extend(claimed))
        if embed:
            embed.usage.update(claimed.usage.get(scoring, ()))
            claimed.usage[scoring] = embed.usage
        part = recipe.scores(rows.contexts, embed=embed, shared=shared)
        results[scoring] = Scores.empty(chunk.last - chunk.first + 1)
        results[scoring].put(rows.positions - chunk.first, part)
    return results


@contextmanager
def _released_on_error(chunk: Chunk) -> Iterator[None]:
    """Give the chunk back at once when this worker is told to stop or fails; the error goes on."""
    try:
        yield
    except BaseException as problem:
        _held(chunk).update(**leases.given_back(problem))
        raise


def extend(claimed: Claimed) -> bool:
    """Hold a lease longer while there is progress, and say what it has cost so far; False when it is time to stop.

    Who makes progress is no worker that an example has killed: attempts are counted anew.
    """
    until = leases.now() + timedelta(seconds=settings.EVALSITE_LEASE)
    usage = {str(pk): dict(used) for pk, used in claimed.usage.items()}
    is_held = _held(claimed.chunk).update(lease_until=until, usage=usage, attempt=1)
    return bool(is_held) and not claimed.has_had_its_turn


def pause(claimed: Claimed) -> bool:
    """Give a chunk back that has had its turn, to go on where it was; False, for it is not done."""
    _held(claimed.chunk).update(state=Chunk.State.READY, token="", attempt=0)
    return False


def _held(chunk: Chunk) -> QuerySet[Chunk]:
    return Chunk.objects.filter(pk=chunk.pk, token=chunk.token, state=Chunk.State.LEASED)


def close(claimed: Claimed, results: dict[int, Scores]) -> bool:
    """Store a chunk's scores if its lease still holds; else drop them: somebody else has it, or it was cancelled."""
    usage = _usage(claimed)
    blocks = [_block(pk, claimed.chunk.first, scores, usage.get(pk)) for pk, scores in results.items()]
    with transaction.atomic():
        if not _held(claimed.chunk).update(state=Chunk.State.DONE):
            log.info(
                "chunk %s of job %s was taken over; result dropped", claimed.chunk.pk, claimed.chunk.job_id
            )
            return False
        reached("before_write")
        bulk.upsert(Block, BLOCK_FIELDS, ("scoring_id", "first"), blocks)
        reached("written")
    reached("after_write")
    return True


def _usage(claimed: Claimed) -> dict[int, Counter[str]]:
    """What the blocks of a chunk used by scoring: now, and before, where errors are tried again."""
    if not claimed.usage:
        return {}
    before = Block.objects.filter(scoring_id__in=claimed.usage, first=claimed.chunk.first)
    spent = {pk: notes.get("usage", {}) for pk, notes in before.values_list("scoring_id", "notes")}
    return {pk: summaries.in_all([used, spent.get(pk, {})]) for pk, used in claimed.usage.items()}


def _block(scoring_id: int, first: int, scores: Scores, usage: Counter[str] | None) -> tuple:
    notes = orjson.dumps(summaries.notes(scores, usage)).decode()
    return scoring_id, first, *columns.pack(scores), notes


# ---- ending --------------------------------------------------------------------------------------------------


def finish(job: Job) -> bool:
    """Close a job whose chunks are all done, with its summaries; the run ends with its last job."""
    if job.chunks.filter(state__in=(Chunk.State.READY, Chunk.State.LEASED)).exists():
        return False
    scorings = list(job.scorings.select_related("evaluator_version"))
    for scoring in scorings:
        scoring.summary, scoring.usage = summaries.compute(scoring), summaries.usage(scoring)
    reached("before_finalize")
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=job.run_id)
        open_job = Job.objects.filter(pk=job.pk, state=Job.State.OPEN)
        if not open_job.update(state=Job.State.DONE, finished_at=leases.now()):
            return False
        Scoring.objects.bulk_update(scorings, ["summary", "usage"])
        reached("finalizing")
        job.chunks.all().delete()
        if run.status in Run.OPEN and not run.jobs.filter(state=Job.State.OPEN).exists():
            Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED, finished_at=leases.now())
    reached("after_finalize")
    return True


# ---- sweeping ------------------------------------------------------------------------------------------------


def sweep() -> None:
    """Put right what was interrupted: expired leases, jobs nobody closed, hints that were lost. Safe at any time."""
    _free_expired()
    for job in Job.objects.filter(state=Job.State.OPEN):
        finish(job)
    if waiting := _claimable_jobs(_ready()).first():
        # Where work was asked for lately, hints go round, and one more lets another worker join.
        for _ in range(1 if leases.seen("work", SWEEP_EVERY) else jobs.MOST_HINTS):
            hints.send("evaluations.work", waiting.run_id)


def _free_expired() -> None:
    expired = Chunk.objects.filter(state=Chunk.State.LEASED, lease_until__lt=leases.now())
    for chunk in expired.select_related("job"):
        still = expired.filter(pk=chunk.pk, token=chunk.token)
        if chunk.attempt < ATTEMPTS:
            still.update(state=Chunk.State.READY, token="")
        elif chunk.first < chunk.last:
            _split(chunk, still)
        else:
            _give_up(chunk)


def _split(chunk: Chunk, still: QuerySet[Chunk]) -> None:
    """Halve a chunk that ended three workers, to find the row that does it; one more death halves a half."""
    middle = (chunk.first + chunk.last) // 2
    halves = [(chunk.first, middle), (middle + 1, chunk.last)]
    run = Run.objects.select_related("experiment").get(pk=chunk.job.run_id)
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=chunk.job_id, state=Job.State.OPEN).first()
        if job is None or not still.delete()[0]:
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
            if (total := Rows.count(run, first, last))
        )
        reached("splitting")


def _give_up(chunk: Chunk) -> None:
    """One row that ends every worker gets an error of its own; the rest of the run goes on."""
    scores = Scores.empty(1, Status.ERROR)
    scores.messages[0] = "worker_lost: scoring this example ended the worker three times"
    task = Task.of(chunk.job)
    if close(Claimed.of(chunk, task), dict.fromkeys(task.recipes, scores)):
        finish(chunk.job)
