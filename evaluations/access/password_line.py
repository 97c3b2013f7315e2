"""The line in which passwords wait to be checked, so that guessers do not keep others from signing in.

A check keeps a core busy for some tenths of a second. People on devices of their own go first, then addresses without
recent failures, then the others, those with the fewest first. An attempt counts as a failure until its password was
right, or else an address could send hundreds before the first of them is checked. Among equals the last to come goes
first: a sudden crowd makes somebody wait in any case, and otherwise everybody who comes after it would wait as well.

Failures are counted in the cache; if it fails, all addresses are equal.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from threading import Event, Lock

from django.core.cache import cache
from redis import RedisError

from evaluations.errors import TooManyRequests

from .shares import share

REMEMBERED = 900  # seconds that a failure counts
PATIENCE = 20  # seconds in line
SHORTLY = 5  # seconds until a retry


@dataclass(frozen=True, order=True)
class Ticket:
    """A place in the line; the smallest ticket goes first."""

    is_strange: bool  # whether the device is not known to be the person's own
    failures: int
    number: int  # each is smaller than the one before, so the last to come goes first
    is_called: Event = field(default_factory=Event, compare=False)
    is_over: Event = field(default_factory=Event, compare=False)  # called or sent away


class Line:
    """Checks `at_once` passwords at a time; those of an address with failures only while no other is checked."""

    def __init__(self, at_once: int, room: int) -> None:
        """`room`: how many may wait; beyond it the last in line is sent away."""
        self._at_once, self._room = at_once, room
        self._numbers = count(0, -1)
        self._waiting: set[Ticket] = set()
        self._checked = 0  # passwords that are being checked
        self._lock = Lock()

    @contextmanager
    def wait(self, failures: int, *, is_strange: bool = True) -> Iterator[None]:
        """Wait for one's turn and check a password; raises `TooManyRequests` if others go first for too long."""
        with self._lock:
            ticket = Ticket(is_strange, failures, next(self._numbers))
            self._waiting.add(ticket)
            self._advance()
        ticket.is_over.wait(PATIENCE)
        if self._is_refused(ticket):
            raise TooManyRequests("Too many people are signing in at once.", SHORTLY)
        try:
            yield
        finally:
            with self._lock:
                self._checked -= 1
                self._advance()

    def _advance(self) -> None:
        while self._waiting and self._checked < self._most_at_once(first := min(self._waiting)):
            self._waiting.remove(first)
            self._checked += 1
            first.is_called.set()
            first.is_over.set()
        if len(self._waiting) > self._room:
            self._waiting.remove(last := max(self._waiting))
            last.is_over.set()

    def _most_at_once(self, ticket: Ticket) -> int:
        return 1 if ticket.is_strange and ticket.failures else self._at_once

    def _is_refused(self, ticket: Ticket) -> bool:
        with self._lock:
            self._waiting.discard(ticket)
            return not ticket.is_called.is_set()


# One at a time for each processor: more would only slow each other down. The web server has more threads than `room`.
LINE = Line(at_once=share(os.cpu_count() or 1), room=share(40))


def count_attempt(address: str) -> int:
    """Count an attempt to sign in; returns the recent failures of the address before it."""
    with suppress(RedisError, ValueError):  # ValueError: the counter was evicted meanwhile
        cache.add(_key(address), 0, timeout=REMEMBERED)
        return int(cache.incr(_key(address))) - 1
    return 0


def attempt_was_right(address: str) -> None:
    """Count an attempt no longer."""
    with suppress(RedisError, ValueError):
        cache.decr(_key(address))


def _key(address: str) -> str:
    return f"failures:{sha256(address.encode()).hexdigest()}"
