"""Ends the generation of a run: closes chunks, checks the share of failures, and queues the scoring."""

from collections.abc import Iterable
from functools import partial

from django.db import transaction

from evaluations import leases, owned
from evaluations.commit_points import reached
from evaluations.engine import chores, queue
from evaluations.experiments import runs
from evaluations.models import Chunk, Experiment, Job, Launch, Run
from evaluations.prompts import ledger

from . import launches, stopping, usage
from .asked import Outcome, kinds
from .causes import counted
from .following import Follower
from .questions import Source
from .states import TOO_MANY, failures

HOPELESS = {"insufficient_quota", "moderation", "unsupported_parameter"}
FEWEST_FAILURES = 5  # failures below which their share says nothing


def end_chunk(chunk: Chunk, source: Source) -> None:
    """Close a chunk, unless another worker has it or its launch was stopped."""
    if not queue.leased_row(chunk).update(state=Chunk.State.DONE, lease_until=None):
        queue.release(chunk)
        _count_late_answers(source.run)
        return
    reached("chunk_generated")
    launches.count_outputs(source.run)
    check_failures(source)
    finish(chunk.job)


def _count_late_answers(run: Run) -> None:
    """Count answers that came after a cancel; a run that stopped early keeps the count of its last look."""
    if Run.objects.filter(pk=run.pk, status__in=(Run.Status.CANCELLED, Run.Status.FAILED)).exists():
        launches.count_outputs(run)


def check_failures(source: Source) -> None:
    """End a launch if too many answers of a run failed."""
    by_code = failures([source.run])[source.run.pk]
    if is_too_many(by_code.total(), source.launch):
        error = {"code": TOO_MANY, "message": counted(by_code, source.launch.size)}
        launches.stop(source.launch, Launch.Status.FAILED, error)


def is_too_many(failed: int, launch: Launch) -> bool:
    """Whether so many failed answers of one run end its launch."""
    return failed >= FEWEST_FAILURES and failed > launch.tolerated * launch.size


def stop_if_hopeless(source: Source, outcomes: Iterable[Outcome]) -> None:
    """End a launch after an error that every other call would get as well."""
    for outcome in outcomes:
        if outcome.error and outcome.error.code in HOPELESS:
            error = {"code": outcome.error.code, "message": outcome.error.message}
            launches.stop(source.launch, Launch.Status.FAILED, error)
            return


def finish(job: Job) -> None:
    """Close a job whose chunks are all done, and queue the scoring of its run."""
    if job.chunks.exclude(state=Chunk.State.DONE).exists():
        return
    with transaction.atomic():
        owned.hold(Experiment.objects.get(runs=job.run_id))
        run = Run.objects.select_for_update().get(pk=job.run_pk)
        open_job = Job.objects.filter(pk=job.pk, state=Job.State.OPEN)
        if run.status != Run.Status.GENERATING:
            return
        if not open_job.update(state=Job.State.DONE, finished_at=leases.now()):
            return
        job.chunks.all().delete()
        launches.count_outputs(run)
        launch = run.generation.launch
        is_pilot = launch.status == Launch.Status.ESTIMATING
        if not is_pilot:
            usage.keep(run)
            runs.score(run)
    reached("generated")
    if is_pilot or launch.stop:
        stopping.catch_up(Follower(launch))


def sweep() -> None:
    """Free the chunks of lost workers, close finished jobs, and give up calls whose outcome nobody awaits."""
    names = [kind.name for kind in kinds]
    queue.free_expired(Chunk.objects.filter(job__kind__in=names))
    queue.purge_cancelled()
    chores.run_each(partial(finish, job) for job in queue.left_open(Job.GENERATE))
    stopping.sweep()
    ledger.give_up_older(leases.now() - ledger.PATIENCE)
    chores.run_each(partial(queue.sweep, name) for name in names)
