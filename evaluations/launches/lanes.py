"""The lanes of launches: one for each connection."""

from django.db.models import Exists, Min, OuterRef, QuerySet

from evaluations import task_names
from evaluations.engine import lanes, queue
from evaluations.models import Chunk, Job, Launch
from evaluations.scoring.lanes import hold_connection

from . import asked, order
from .of_runs import OfRun

MOST_LEASED = 32  # chunks of a connection
# ranks by which a variant of a launch whose variants are asked in step may be ahead of the slowest variant
MOST_AHEAD = 100


def register() -> None:
    kind = lanes.Kind(
        Job.GENERATE,
        task_names.GENERATE,
        most=MOST_LEASED,
        hold=hold_connection,
        chunks=next_chunks,
        leaves_calls=True,
    )
    lanes.register(kind)
    asked.register(asked.Kind(Job.GENERATE, OfRun.from_job))


def next_chunks(job: Job) -> QuerySet[Chunk]:
    """The next chunks of a job; for a launch that may stop early or has a limit, of all its variants in step.

    Otherwise a variant far ahead of the others could be paid for examples that a stop makes useless.
    """
    launch = Launch.objects.select_related("budget", "project").get(generations__run=job.run_id)
    if not order.is_in_step(launch):
        return job.chunks.exclude(_is_awaited()).order_by("first")
    of_launch = Chunk.objects.filter(job__run__generation__launch=launch, job__state=Job.State.OPEN)
    chunks = of_launch.filter(job__kind=Job.GENERATE)
    lowest = chunks.exclude(state=Chunk.State.DONE).aggregate(Min("first"))["first__min"] or 1
    in_step = chunks.filter(job__lane=job.lane, first__lt=lowest + MOST_AHEAD)
    return in_step.exclude(_is_awaited()).order_by("first", "job")


def _is_awaited() -> Exists:
    """Chunks with examples whose answers, already paid, may still reach the worker of a cancelled chunk."""
    same_run = Chunk.objects.filter(queue.awaits_calls(), job__run=OuterRef("job__run"))
    return Exists(same_run.filter(first__lte=OuterRef("last"), last__gte=OuterRef("first")))
