"""How fast work goes, once that can be told: after three seconds, and a fiftieth of it."""

from datetime import datetime, timedelta

from evaluations import leases

AFTER, PARTS = timedelta(seconds=3), 50


def can_be_told(done: int, total: int, since: datetime) -> bool:
    """Whether enough is done, and for long enough, to say something of the rest."""
    return leases.now() - since >= AFTER and done * PARTS >= total and done > 0


def rate(done: int, total: int, since: datetime | None, before: int = 0) -> float | None:
    """What was done per second since then, without what was done `before`; None as long as it cannot be told."""
    if since is None or not can_be_told(done, total, since):
        return None
    return (done - before) / (leases.now() - since).total_seconds()
