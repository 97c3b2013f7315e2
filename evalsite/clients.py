"""The connections of each client, so that none can keep others out of the web server.

Above a limit, the oldest connection of the client that asks for nothing, else its oldest unfinished upload, makes room
for its newest connection. So a client with thousands of idle or unfinished connections disturbs only itself, and even
its own new requests are served.
"""

from collections import defaultdict
from itertools import chain
from typing import Protocol


class Connection(Protocol):
    """A connection of a client: the network of its address, or "" while a proxy has not named it."""

    client: str
    requests: list[object]
    total_outbufs_len: int

    @property
    def is_arriving(self) -> bool: ...

    def handle_close(self) -> None: ...


class Clients:
    """All open connections, each client's in the order in which they came."""

    def __init__(self, most: int, of_one: int) -> None:
        """`most` connections in all; `of_one` client whose network is known."""
        self.most, self.of_one = most, of_one
        self._of: dict[str, dict[int, Connection]] = defaultdict(dict)
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, connection: Connection) -> None:
        """Let a connection in, if need be in exchange for another one; or close it."""
        self._of[connection.client][id(connection)] = connection
        self._number += 1
        if connection.client and len(self._of[connection.client]) > self.of_one:
            self._make_room(connection.client, connection)
        elif self._number > self.most:
            self._make_room(max(self._of, key=lambda client: len(self._of[client])), connection)

    def remove(self, connection: Connection) -> None:
        connections = self._of.get(connection.client, {})
        if connections.pop(id(connection), None):
            self._number -= 1
        if not connections:
            self._of.pop(connection.client, None)

    def _make_room(self, client: str, latest: Connection) -> None:
        """Close the client's oldest connection that waits for nothing; else the oldest whose upload still arrives.

        Of those that wait for nothing, rather one without an unread answer.
        """
        others = [one for one in self._of[client].values() if one is not latest]
        idle = sorted((one for one in others if not one.requests), key=lambda one: one.total_outbufs_len > 0)
        arriving = (one for one in others if one.requests and one.is_arriving)
        next(chain(idle, arriving), latest).handle_close()
