"""Kinds of lanes. A lane is a line of jobs whose chunks are claimed together, such as all that call one server.

Rooms register their kinds when Django starts (`apps.py`); the queue knows nothing else about them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluations import task_names
from evaluations.models.run import Chunk, Job


def in_order(job: Job) -> QuerySet[Chunk]:
    """The chunks of a job, first to last."""
    return job.chunks.order_by("first")


def _nothing(lane: str) -> None:
    """Lock nothing: a lane without a limit may be claimed by many workers at once."""


@dataclass(frozen=True)
class Kind:
    """A kind of lanes. The name of a lane is its kind, or its kind, a colon and what tells it from others.

    `task` is the Celery task that works on its chunks. At most `most` chunks of one lane are leased at once (None: any
    number); `hold` locks a lane for the transaction that counts and claims. `chunks` are those of a job that may be
    claimed, in order; they may belong to other jobs of the same lane. If workers of this kind leave calls in progress
    when a job is cancelled (`leaves_calls`), their chunks stay leased until these have ended. With
    `most_again`, chunks that ended a worker or took too long wait until no other is ready, and at most so many are
    leased at once.
    """

    name: str
    task: str
    most: int | None = None
    hold: Callable[[str], None] = _nothing
    chunks: Callable[[Job], QuerySet[Chunk]] = in_order
    leaves_calls: bool = False
    most_again: Callable[[], int] | None = None

    @property
    def queue(self) -> str:
        """The Celery queue whose workers take it."""
        return task_names.QUEUES[self.task]


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Make a kind known; a second registration replaces the first."""
    _kinds[kind.name] = kind


def of(lane: str) -> Kind:
    """The kind of a lane; raises KeyError if no room registered it."""
    return _kinds[kind_name(lane)]


def every() -> list[Kind]:
    return list(_kinds.values())


def kind_name(lane: str) -> str:
    return lane.partition(":")[0]
