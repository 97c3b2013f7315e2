"""The connections of each client, so that none can keep others out of the web server.

Above a limit, the oldest connection of the client that asks for nothing makes room for its newest one. So a client
with thousands of idle or unfinished connections disturbs only itself, and even its own new requests are served.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Protocol


class Connection(Protocol):
    """A connection of a client: the network of its address, or "" while a proxy has not named it."""

    client: str
    requests: list[object]
    total_outbufs_len: int

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
        """Close the client's oldest connection without a request, rather one without an unread answer."""
        others = [one for one in self._of[client].values() if one is not latest and not one.requests]
        by_use: Callable[[Connection], bool] = lambda one: one.total_outbufs_len > 0  # noqa: E731
        min(others, key=by_use, default=latest).handle_close()
