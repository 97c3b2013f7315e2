"""The share of one web process in the limits of the site."""

from django.conf import settings


def share(limit: int, processes: int | None = None) -> int:
    """The part of a limit that one of several web processes has, rounded up: they share no counter."""
    return -(-limit // (processes or settings.WEB_PROCESSES))
