"""The limit of a connection's server, shared by all processes in the database: one row, written once a second at most.

The row exists only after the server has asked for fewer calls.
"""

import threading
from dataclasses import dataclass

from evaluations.clients.limit import Limit
from evaluations.clients.pace import Pace
from evaluations.models import ServerLimit

TRIES = 3
EMBEDDING = 4  # calls for embeddings at once


def limit_of(connection: int) -> str:
    """The name of the pulse that records a connection's last refusal."""
    return f"limit {connection}"


@dataclass(frozen=True)
class SharedLimit:
    """A `clients.limit.Board` of a connection."""

    connection: int

    def limit(self) -> Limit:
        row = ServerLimit.objects.filter(pk=self.connection).first()
        return Limit(row.number, row.rate, row.since, row.is_sure, row.resume_at) if row else Limit()

    def change(self, limit: Limit) -> bool:
        """Replace the limit, if its number is still the one before, and take back all slices."""
        if limit.number == 1:
            ServerLimit.objects.bulk_create(
                [ServerLimit(connection_id=self.connection)], ignore_conflicts=True
            )
        known = ServerLimit.objects.filter(pk=self.connection, number=limit.number - 1)
        changed = known.update(
            number=limit.number,
            rate=limit.rate,
            since=limit.since,
            is_sure=limit.is_sure,
            resume_at=limit.resume_at,
            period=0,
            taken=0,
        )
        return bool(changed)

    def take(self, number: int, period: int, calls: int) -> int | None:
        """A fair share of a period's calls, as many as nobody has taken; None if the limit has changed."""
        for _ in range(TRIES):
            row = ServerLimit.objects.filter(pk=self.connection, number=number).first()
            if row is None:
                return None
            if row.period < period:
                follows = row.period in (0, period - 1)
                taken, takers, before = 0, 0, max(1, row.takers) if follows else 1
            else:  # Another process has begun this period, perhaps by a clock that is ahead.
                period, taken, takers, before = row.period, row.taken, row.takers, row.before
            mine = max(0, min(calls - taken, -(-calls // before)))
            same = ServerLimit.objects.filter(
                pk=self.connection, number=number, period=row.period, taken=row.taken, takers=row.takers
            )
            if same.update(period=period, taken=taken + mine, takers=takers + 1, before=before):
                return mine
        return 0


class _Paces(threading.local):
    def __init__(self) -> None:
        self.by_connection: dict[int, Pace] = {}


_paces = _Paces()


def pace_of(connection: int) -> Pace:
    """The pace at which this thread asks a connection for embeddings; kept, so that no slice of its limit is lost."""
    if connection not in _paces.by_connection:
        _paces.by_connection[connection] = Pace(EMBEDDING, EMBEDDING, SharedLimit(connection))
    return _paces.by_connection[connection]
