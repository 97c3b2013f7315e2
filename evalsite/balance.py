"""What several web servers on one socket know of each other, so that each takes its share of the connections."""

import os
import socket
from typing import Protocol

from waitress import wasyncore

from evalsite.pulses import Pulses
from evalsite.sockets import Sockets
from evaluations.process_cache import budget


class Watched(Protocol):
    """What a server tells the others, and asks them."""

    def join(self, sockets: Sockets) -> None:
        """Let the others wake the event loop of `sockets`."""

    def beat(self, late: float, connections: int) -> None:
        """Note a turn of the event loop that ended `late` seconds after it should have."""

    def has_many(self, connections: int) -> bool:
        """Whether another server should take the next connection."""


class Alone:
    """For a server that has its socket for itself."""

    def join(self, sockets: Sockets) -> None:
        pass

    def beat(self, late: float, connections: int) -> None:
        pass

    def has_many(self, connections: int) -> bool:
        return False


class OneOfSeveral:
    """For process number `index`, which ends with its parent.

    A process with more connections than another one gives way, and wakes the others, which may still sleep because
    they had more a moment ago: else each would take a few connections a turn.
    """

    def __init__(self, pulses: Pulses, index: int) -> None:
        self.pulses, self.index, self.parent = pulses, index, os.getppid()
        self.gives_way = False

    def join(self, sockets: Sockets) -> None:
        Alarm(self.pulses.alarms[self.index], sockets)

    def beat(self, late: float, connections: int) -> None:
        self.pulses.beat(self.index, late, connections, budget.used)
        if os.getppid() != self.parent:
            os._exit(1)

    def has_many(self, connections: int) -> bool:
        gave_way, self.gives_way = self.gives_way, self.pulses.has_many(self.index, connections)
        if self.gives_way and not gave_way:
            self.pulses.wake_all_but(self.index)
        return self.gives_way


class Alarm(wasyncore.dispatcher):
    """The end of a pair of sockets at which a server is woken: its event loop ends its wait, and asks again."""

    is_quiet = True

    def __init__(self, end: socket.socket, sockets: Sockets) -> None:
        super().__init__(end, sockets)

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        self.recv(1024)
