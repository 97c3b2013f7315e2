"""The work on a chunk: score it, store the scores, and close job and run when all chunks are done.

claim → score → close → finish; sweep repairs what was interrupted. `engine.queue` says who may do what.
"""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from evaluations import bulk, leases
from evaluations.clients import Interrupted
from evaluations.commit_points import reached
from evaluations.engine import chores, queue, shutdown
from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Budget, Chunk, EvaluatorVersion, Job, Run, Scoring
from evaluations.values import Status
from evaluations.webhooks import events

from . import columns, counted, formulas, jobs, one_by_one, pieces, records, spans, summaries, time_limits
from .rows import Rows

log = logging.getLogger(__name__)
TURN = 0.25  # share of a lease for which a chunk may call a server before others get their turn
KINDS = (Job.TEXT, Job.SERVER)
# A batch may take so many seconds of processor time, and so many times what a slow formula takes.
FIRST, SLOWEST = 5.0, 4.0
BLOCK_FIELDS = ("scoring_id", "first", "values", "passed", "status", "counts", "notes")
StoredBlock = tuple[int, int, bytes, bytes, bytes, bytes | None, str]  # in the order of BLOCK_FIELDS


@dataclass(frozen=True)
class Task:
    """Data that all chunks of an open job share: its run, the compiled recipes of its scorings, and its money.

    Scorings whose scores are never computed are `recorded`: the versions of their evaluators. Those of formulas are
    left to the end of the job.
    """

    run: Run
    recipes: dict[int, Recipe]
    recorded: dict[int, EvaluatorVersion] = field(default_factory=dict)
    budget: Budget | None = None

    @classmethod
    def from_job(cls, job: Job) -> "Task":
        run = Run.objects.select_related("project", "experiment__dataset").get(pk=job.run_pk)
        versions = {
            scoring.pk: scoring.evaluator_version
            for scoring in job.scorings.select_related("evaluator_version")
        }
        recipes = {pk: Recipe.from_version(version) for pk, version in versions.items()}
        recorded = {pk: version for pk, version in versions.items() if recipes[pk].kind.is_recorded}
        derived = {pk for pk, recipe in recipes.items() if recipe.kind.is_derived}
        left_out = derived | recorded.keys()
        computed = {pk: recipe for pk, recipe in recipes.items() if pk not in left_out}
        return cls(run, computed, recorded, job.budget)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset().union(*(recipe.needs for recipe in self.recipes.values()))

    @property
    def weight(self) -> int:
        """The work for each character, in formulas."""
        return sum(recipe.weight for recipe in self.recipes.values())


@dataclass(frozen=True)
class Claimed:
    """A leased chunk with its task; `usage` is the cost of scoring it, by scoring.

    `until`, by the monotonic clock, is the end of its turn.
    """

    chunk: Chunk
    task: Task
    usage: dict[int, Counter[str]] = field(default_factory=dict)
    until: float = field(default_factory=lambda: time.monotonic() + TURN * settings.EVALSITE_LEASE)

    @classmethod
    def from_chunk(cls, chunk: Chunk, task: Task) -> "Claimed":
        """Include the cost of earlier turns. Vectors fetched in them are stored now, but do not count as hits."""
        usage = {int(pk): Counter(used) for pk, used in (chunk.usage or {}).items()}
        for used in usage.values():
            used["hits"] = -used["fetched"]
        return cls(chunk, task, usage)

    @property
    def turn_is_over(self) -> bool:
        """Whether the turn is over. Never if a small store evicted vectors of earlier turns, or turns would not end."""
        return time.monotonic() >= self.until and all(used["hits"] >= 0 for used in self.usage.values())


# ---- working -------------------------------------------------------------------------------------------------


def work(seconds: float = 2.0, kinds: Sequence[str] = KINDS) -> bool:
    """Claim and score chunks of these kinds of lanes for about `seconds`; True if there may be more."""
    deadline = time.monotonic() + seconds
    tasks: dict[int, Task] = {}  # tasks by job; for this call only, because `score_again` opens a new job
    while time.monotonic() < deadline and not shutdown.is_interrupted():
        claimed = claim(tasks, kinds)
        if claimed is None:
            return False
        with queue.given_back_on_error(claimed.chunk):
            try:
                closed = close(claimed, score(claimed))
            except Interrupted as interrupted:
                closed = pause(claimed, interrupted.seconds)
        if closed:
            finish(claimed.chunk.job)
    return True


def claim(tasks: dict[int, Task] | None = None, kinds: Sequence[str] = KINDS) -> Claimed | None:
    """Lease a chunk of any open job of these kinds; `tasks` caches the data of jobs."""
    tasks = {} if tasks is None else tasks
    chunk = next(filter(None, map(queue.claim_chunk, kinds)), None)
    if chunk is None:
        return None
    if chunk.job_id not in tasks:
        _mark_started(chunk.job)
        tasks[chunk.job_id] = Task.from_job(chunk.job)
    return Claimed.from_chunk(chunk, tasks[chunk.job_id])


def _mark_started(job: Job) -> None:
    if job.started_at is None:
        at = leases.now()
        Run.objects.filter(pk=job.run_pk, status=Run.Status.QUEUED).update(
            status=Run.Status.RUNNING, started_at=at
        )
        Job.objects.filter(pk=job.pk, started_at=None).update(started_at=at)


def score(claimed: Claimed) -> dict[int, Scores]:
    """The scores of every scoring of the job, one slot per position. Only embeddings are stored.

    A chunk of long texts is cut first. The lease is extended between evaluators only: this counts as no progress, so
    that a chunk that kills its workers is still found. A chunk that takes too long, or was not finished by an earlier
    worker, is scored row by row.
    """
    results = _computed(claimed)  # This may shorten the chunk.
    return results | _recorded(claimed)


def _recorded(claimed: Claimed) -> dict[int, Scores]:
    """The scores that records have."""
    chunk, task = claimed.chunk, claimed.task
    results = {}
    for scoring, version in task.recorded.items():
        positions = spans.asked_between(task.run, chunk.first, chunk.last)
        results[scoring] = Scores.empty(chunk.last - chunk.first + 1)
        results[scoring].put(positions - chunk.first, records.scores(task.run, version, positions))
    return results


def _computed(claimed: Claimed) -> dict[int, Scores]:
    chunk, task = claimed.chunk, claimed.task
    rows = Rows.read(task.run, chunk.first, chunk.last, task.needs)
    if chunk.job.kind != Job.TEXT:
        return _scores(claimed, rows)
    if chunk.attempt == 1:
        rows = pieces.cut(chunk, task.run, rows, task.needs, task.weight)
        try:
            with time_limits.at_most(FIRST + SLOWEST * pieces.seconds(rows, task.weight)):
                return _scores(claimed, rows)
        except time_limits.TooSlow:
            log.warning(
                "chunk %s of job %s took too long; its rows are scored one by one", chunk.pk, chunk.job_id
            )
    return one_by_one.score(chunk, task.run, rows, task.recipes, claimed.until)


def _scores(claimed: Claimed, rows: Rows) -> dict[int, Scores]:
    chunk, task = claimed.chunk, claimed.task
    shared: dict[Any, Any] = {}
    results = {}
    for scoring, recipe in task.recipes.items():
        if time.monotonic() >= claimed.until:
            queue.extend(chunk)
        embed = embeddings.embedder(
            task.run.project, recipe, task.budget, lambda: extend(claimed), embeddings.GivingWay
        )
        if embed:
            embed.usage.update(claimed.usage.get(scoring, ()))
            claimed.usage[scoring] = embed.usage
        part = recipe.scores(rows.contexts, embed=embed, shared=shared)
        results[scoring] = Scores.empty(chunk.last - chunk.first + 1)
        results[scoring].put(rows.positions - chunk.first, part)
    return results


def extend(claimed: Claimed) -> bool:
    """Extend the lease if there is progress, and store the cost; False if it is time to stop.

    The count of attempts restarts with this one, because a worker that makes progress was not killed by an example.
    """
    usage = {str(pk): dict(used) for pk, used in claimed.usage.items()}
    is_held = queue.extend(claimed.chunk, usage=usage, attempt=1)
    return is_held and not claimed.turn_is_over and not shutdown.is_interrupted()


def pause(claimed: Claimed, seconds: float = 0.0) -> bool:
    """Give a chunk back after its turn, or for the `seconds` for which its server wants no call.

    Returns False, because it is not done.
    """
    queue.pause(claimed.chunk)
    if seconds:
        same_server = Job.objects.filter(
            kind=claimed.chunk.job.kind, lane=claimed.chunk.job.lane, state=Job.State.OPEN
        )
        queue.rest(same_server, seconds, claimed.task.run.pk)
    return False


def close(claimed: Claimed, results: dict[int, Scores]) -> bool:
    """Store the scores of a chunk if its lease still holds; else drop them."""
    usage = _usage(claimed)
    blocks = [_block(pk, claimed.chunk.first, scores, usage.get(pk)) for pk, scores in results.items()]
    with transaction.atomic():
        if not queue.leased_row(claimed.chunk).update(state=Chunk.State.DONE, lease_until=None):
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
    """The usage to store by scoring: of this attempt, plus that of earlier ones if errors are retried."""
    if not claimed.usage:
        return {}
    before = Block.objects.filter(scoring_id__in=claimed.usage, first=claimed.chunk.first)
    spent = {pk: notes.get("usage", {}) for pk, notes in before.values_list("scoring_id", "notes")}
    return {pk: summaries.in_all([used, spent.get(pk, {})]) for pk, used in claimed.usage.items()}


def _block(scoring_id: int, first: int, scores: Scores, usage: Counter[str] | None) -> StoredBlock:
    notes = orjson.dumps(summaries.notes(scores, usage)).decode()
    return scoring_id, first, *columns.pack(scores), columns.pack_counts(scores.counts), notes


# ---- ending --------------------------------------------------------------------------------------------------


def finish(job: Job) -> bool:
    """Close a job whose chunks are all done, with its summaries; the run ends with its last job."""
    if job.chunks.filter(state__in=(Chunk.State.READY, Chunk.State.LEASED)).exists():
        return False
    every = list(job.scorings.select_related("evaluator_version__evaluator"))
    scorings = [scoring for scoring in every if not formulas.is_derived(scoring.evaluator_version)]
    for scoring in scorings:
        scoring.summary, scoring.usage = summaries.compute(scoring), summaries.usage(scoring)
    reached("before_finalize")
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=job.run_pk)
        open_job = Job.objects.filter(pk=job.pk, state=Job.State.OPEN)
        if not open_job.update(state=Job.State.DONE, finished_at=leases.now()):
            return False
        Scoring.objects.bulk_update(scorings, ["summary", "usage"])
        formulas.refresh(run, [scoring.evaluator_version_id for scoring in every])
        jobs.follow(run, job, scorings)
        reached("finalizing")
        job.chunks.all().delete()
        if run.status in Run.OPEN and not run.jobs.filter(state=Job.State.OPEN).exists():
            Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED, finished_at=leases.now())
            counted.count(run)
            events.run_completed(run)
        events.evaluators_failing(run, scorings)
    reached("after_finalize")
    return True


# ---- sweeping ------------------------------------------------------------------------------------------------


def sweep() -> None:
    """Repair interruptions: expired leases, jobs that were not closed, lost hints. Safe at any time."""
    chunks = Chunk.objects.filter(job__kind__in=KINDS)
    queue.isolate_rows(chunks.select_related("job__run__experiment"), _count)
    queue.free_expired(chunks.select_related("job__run__experiment"), _divide)
    chores.run_each(partial(finish, job) for job in queue.left_open(*KINDS))
    for kind in KINDS:
        queue.sweep(kind)


def _count(chunk: Chunk, first: int, last: int) -> int:
    assert chunk.job.run is not None  # as of every job that scores
    return Rows.count(chunk.job.run, first, last)


def _divide(chunk: Chunk, unchanged: QuerySet[Chunk]) -> None:
    """Halve a chunk that killed three workers; a single row gets an error, and the run continues."""
    if chunk.first < chunk.last:
        queue.split(chunk, unchanged, partial(_count, chunk))
    else:
        _give_up(chunk)


def _give_up(chunk: Chunk) -> None:
    scores = Scores.empty(1, Status.ERROR)
    scores.messages[0] = "worker_lost: the worker stopped three times while it scored this example"
    task = Task.from_job(chunk.job)
    claimed = Claimed.from_chunk(chunk, task)
    if close(claimed, dict.fromkeys(task.recipes, scores) | _recorded(claimed)):
        finish(chunk.job)
