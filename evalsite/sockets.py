"""An event loop for the web server in which idle connections cost nothing.

waitress asks every connection before every wait whether it wants to read or write. A request takes several waits, so a
few hundred idle connections doubled the time of every answer.
"""

import select
import selectors
from typing import Protocol

from waitress import wasyncore

BOTH = {
    selectors.EVENT_READ: select.POLLIN,
    selectors.EVENT_WRITE: select.POLLOUT,
    selectors.EVENT_READ | selectors.EVENT_WRITE: select.POLLIN | select.POLLOUT,
}


class Dispatcher(Protocol):
    """A socket of waitress, and the events it waits for."""

    accepting: bool

    def readable(self) -> object: ...
    def writable(self) -> object: ...


class Sockets(dict[int, Dispatcher]):
    """waitress's map from file descriptors to dispatchers, which remembers the events that each waits for.

    Only dispatchers with an event, or which another thread may change, are asked again, until they are `is_quiet`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.selector = selectors.DefaultSelector()
        self.restless: set[int] = set()

    def __setitem__(self, fd: int, dispatcher: Dispatcher) -> None:
        super().__setitem__(fd, dispatcher)
        self.restless.add(fd)

    def __delitem__(self, fd: int) -> None:
        super().__delitem__(fd)
        self.restless.discard(fd)
        self._want(fd, 0)

    def turn(self, seconds: float) -> None:
        """Wait for events, and handle them."""
        self._ask()
        for key, events in self.selector.select(seconds):
            if dispatcher := self.get(key.fd):
                self.restless.add(key.fd)
                wasyncore.readwrite(dispatcher, BOTH[events])

    def _ask(self) -> None:
        for fd in tuple(self.restless):
            if dispatcher := self.get(fd):
                if getattr(dispatcher, "is_quiet", False):
                    self.restless.discard(fd)
                self._want(fd, _events(dispatcher))

    def _want(self, fd: int, events: int) -> None:
        registered = self.selector.get_map().get(fd)
        if registered is None and events:
            self.selector.register(fd, events)
        elif registered and not events:
            self.selector.unregister(fd)
        elif registered and registered.events != events:
            self.selector.modify(fd, events)


def _events(dispatcher: Dispatcher) -> int:
    reads = selectors.EVENT_READ if dispatcher.readable() else 0
    writes = selectors.EVENT_WRITE if dispatcher.writable() and not dispatcher.accepting else 0
    return reads | writes
