"""Is work being consumed? The database knows: workers leave a pulse there, and leases while they are busy."""

from datetime import timedelta

from . import leases
from .models import Chunk, Import, Job, Pulse


def goes_on(within: timedelta) -> bool:
    """True when a worker swept or asked for work lately, or holds a lease that is still good.

    Beat has a worker sweep every 15 seconds, so an idle site has a pulse as well.
    """
    now = leases.now()
    if Pulse.objects.filter(at__gte=now - within).exists():
        return True
    held = {"state": "leased", "lease_until__gte": now}
    return Chunk.objects.filter(**held).exists() or Import.objects.filter(**held).exists()


def is_wanted() -> bool:
    """True when a run or an import has not ended."""
    return Job.objects.filter(state=Job.State.OPEN).exists() or Import.objects.exists()
