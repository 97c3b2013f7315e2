"""The moments of a day at which runs were made."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

MOMENT = 120  # seconds after which a run is of another moment


def moments(times: Iterable[datetime], changes: Sequence[datetime] = ()) -> list[datetime]:
    """When runs were made: the first time of each group, of which runs of one experiment are one.

    A change between two runs makes groups of them, however close they are.
    """

    def begins(before: datetime, at: datetime) -> bool:
        is_apart = (at - before).total_seconds() > MOMENT
        return is_apart or any(before < change <= at for change in changes)

    ordered = sorted(times)
    return ordered[:1] + [at for before, at in pairwise(ordered) if begins(before, at)]
