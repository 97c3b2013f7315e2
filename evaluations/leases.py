"""Leases: which worker holds which work until when. Uses the database's clock, because a host's may be wrong."""

import secrets
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import F, Q, QuerySet

from .errors import StorageUnavailable
from .models import Pulse

ASTRAY = timedelta(minutes=1)  # A time further in the future than this was set by a wrong clock.


def now() -> datetime:
    """The database's time; with SQLite, that of this machine."""
    if connection.vendor != "postgresql":
        return datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
        return at


def lease() -> dict[str, object]:
    """The fields of a new lease; every write under it checks the token."""
    return {"token": secrets.token_hex(16), "lease_until": now() + timedelta(seconds=settings.EVALSITE_LEASE)}


def ended() -> Q:
    """Leases that have expired, or that end too far in the future because the clock was set back."""
    at, longest = now(), timedelta(seconds=settings.EVALSITE_LEASE)
    return Q(lease_until__lt=at) | Q(lease_until__gt=at + longest + ASTRAY)


def given_back(problem: BaseException) -> dict[str, object]:
    """The fields of a lease that ends at once, so that the next sweep frees the work.

    A database or storage error (full disk, deadlock) does not count as an attempt: the work is not to blame.
    """
    fields: dict[str, object] = {"lease_until": now()}
    if isinstance(problem, OperationalError | InterfaceError | StorageUnavailable):
        fields["attempt"] = F("attempt") - 1
    return fields


def due(name: str, every: timedelta) -> bool:
    """True for one caller in each period `every`, whichever process asks first.

    A pulse in the future is ignored: the clock was set back.
    """
    at = now()
    passed = Q(at__lte=at - every) | Q(at__gt=at + ASTRAY)
    if Pulse.objects.filter(passed, name=name).update(at=at):
        return True
    return Pulse.objects.get_or_create(name=name, defaults={"at": at})[1]


def sweeps(count: int) -> timedelta:
    """The time between so many sweeps."""
    return timedelta(seconds=count * settings.SWEEP_EVERY)


def set_pulse(name: str, at: datetime) -> None:
    """Record a pulse at this time, which may be in the future."""
    if not Pulse.objects.filter(name=name).update(at=at):
        Pulse.objects.get_or_create(name=name, defaults={"at": at})


def happened(name: str, within: timedelta) -> bool:
    """Whether `due` was true for some process within this time."""
    return recent_pulses(within).filter(name=name).exists()


def recent_pulses(within: timedelta) -> QuerySet[Pulse]:
    """The pulses recorded within this time."""
    at = now()
    return Pulse.objects.filter(at__range=(at - within, at + ASTRAY))
