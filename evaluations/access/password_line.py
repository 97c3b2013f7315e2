"""The line in which passwords wait to be checked, so that guessers do not keep others from signing in.

A check keeps a core busy for some tenths of a second. People on devices of their own go first, then addresses without
recent wrong passwords, then the others, those with the fewest first. Among equals the last to come goes first: a
sudden crowd makes somebody wait in any case, and otherwise everybody who comes after it would wait as well.

Wrong passwords are counted in the cache; if it fails, all addresses are equal.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from threading import Event, Lock

from django.core.cache import cache
from redis import RedisError

from evaluations.errors import TooManyRequests

REMEMBERED = 900  # seconds that a wrong password counts
PATIENCE = 10  # seconds in line
SHORTLY = 5  # seconds until a retry


@dataclass(frozen=True, order=True)
class Ticket:
    """A place in the line; smaller ones go first."""

    is_strange: bool  # whether the device is not known to be the person's own
    wrong_passwords: int
    number: int  # sinks with every ticket
    is_called: Event = field(default_factory=Event, compare=False)
    is_over: Event = field(default_factory=Event, compare=False)  # called or sent away


class Line:
    """Checks `at_once` passwords, one of an address with wrong ones only while no other is checked."""

    def __init__(self, at_once: int, room: int) -> None:
        """`room`: how many may wait; beyond it the last in line is sent away."""
        self._at_once, self._room = at_once, room
        self._numbers = count(0, -1)
        self._waiting: set[Ticket] = set()
        self._checked = 0  # passwords that are being checked
        self._present = Counter[str]()  # passwords of an address, waiting or being checked
        self._lock = Lock()

    @contextmanager
    def wait(self, address: str, wrong_passwords: int, *, is_strange: bool = True) -> Iterator[None]:
        """Wait for one's turn and check a password; raises `TooManyRequests` if others go first for too long.

        Passwords of the same address that are not checked yet count as wrong ones.
        """
        with self._lock:
            unproven = wrong_passwords + self._present[address]
            ticket = Ticket(is_strange, unproven, next(self._numbers))
            self._present[address] += 1
            self._waiting.add(ticket)
            self._advance()
        ticket.is_over.wait(PATIENCE)
        try:
            if self._is_refused(ticket):
                raise TooManyRequests("Too many people are signing in at once.", SHORTLY)
            yield
        finally:
            self._leave(address, ticket)

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
        return 1 if ticket.is_strange and ticket.wrong_passwords else self._at_once

    def _is_refused(self, ticket: Ticket) -> bool:
        with self._lock:
            self._waiting.discard(ticket)
            return not ticket.is_called.is_set()

    def _leave(self, address: str, ticket: Ticket) -> None:
        with self._lock:
            self._present -= Counter([address])
            self._checked -= ticket.is_called.is_set()
            self._advance()


LINE = Line(at_once=4, room=40)  # the web server has more threads than these


def wrong_passwords(address: str) -> int:
    """The number of wrong passwords that the address sent lately."""
    with suppress(RedisError):
        return int(cache.get(_key(address), 0))
    return 0


def remember_wrong_password(address: str) -> None:
    with suppress(RedisError, ValueError):  # ValueError: the counter was evicted meanwhile
        cache.add(_key(address), 0, timeout=REMEMBERED)
        cache.incr(_key(address))


def _key(address: str) -> str:
    return f"wrong-passwords:{sha256(address.encode()).hexdigest()}"
