"""What waits for the servers of connections, for the page of workers."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Sum

from evaluations import leases
from evaluations.models import Chunk, Connection, Job, ServerLimit


@dataclass(frozen=True)
class Calls:
    """The calls to a connection: examples that `wait` for them, calls `at_once`, and the server's `limit`, if met.

    `rests_until` is when the server wants to be asked again.
    """

    connection: Connection
    wait: int
    at_once: int
    limit: float | None
    rests_until: datetime | None


def calls() -> list[Calls]:
    """The connections that open work waits for, by name: their lane ends with the id."""
    unfinished = Chunk.objects.filter(job__state=Job.State.OPEN, job__lane__contains=":")
    waiting = unfinished.exclude(state=Chunk.State.DONE).values_list("job__lane").annotate(Sum("total"))
    wait = defaultdict[int, int](int)
    for lane, total in waiting:
        if (pk := lane.rpartition(":")[2]).isdecimal():
            wait[int(pk)] += total
    connections = Connection.objects.filter(pk__in=wait).select_related("server_limit", "project")
    return [_calls(connection, wait[connection.pk]) for connection in connections.order_by("name", "pk")]


def _calls(connection: Connection, wait: int) -> Calls:
    limit: ServerLimit | None = getattr(connection, "server_limit", None)
    resume_at = limit.resume_at if limit else 0.0
    rests = datetime.fromtimestamp(resume_at, UTC) if resume_at > leases.now().timestamp() else None
    return Calls(connection, wait, int(connection.in_flight), limit.rate if limit else None, rests)
