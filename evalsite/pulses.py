"""The pulse of each web process, in memory that all of them share.

The parent ends a process whose pulse stops, and `/readyz` and `/metrics` say how late the event loops were.
"""

import mmap
import os
import socket
import struct
import time
from contextlib import suppress
from dataclasses import astuple, dataclass

FORM = struct.Struct("=ddddqqq")
MINUTE = 60.0
LIVE = 1.0  # seconds after a beat in which a process takes connections, most likely
MARGIN = 1  # connections that one process may have more than another


@dataclass(frozen=True)
class Pulse:
    """The last turn of a process's event loop, and by how many seconds its turns were late."""

    at: float  # on the monotonic clock, which is the same in all processes
    minute: float  # the one that `worst` belongs to
    worst: float  # seconds, in that minute
    worst_before: float  # seconds, in the minute before
    connections: int
    pid: int = 0  # 0 until its first beat
    caches: int = 0  # bytes


class Pulses:
    """One pulse for each of `number` processes, and a socket that wakes it; made before they are."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._memory = mmap.mmap(-1, number * FORM.size)
        pairs = [socket.socketpair() for _ in range(number)]
        self.alarms, self._bells = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        for bell in self._bells:
            bell.setblocking(False)

    def begin(self, index: int) -> None:
        self._write(index, Pulse(time.monotonic(), _minute(), 0.0, 0.0, 0))

    def beat(self, index: int, late: float, connections: int, caches: int = 0) -> None:
        """Note a turn of the event loop of this process, number `index`, that ended `late` seconds after it should."""
        last, minute = self.read(index), _minute()
        if last.minute == minute:
            worst, before = max(late, last.worst), last.worst_before
        else:
            worst, before = late, last.worst if last.minute == minute - 1 else 0.0
        self._write(index, Pulse(time.monotonic(), minute, worst, before, connections, os.getpid(), caches))

    def read(self, index: int) -> Pulse:
        return Pulse(*FORM.unpack_from(self._memory, index * FORM.size))

    def has_many(self, index: int, connections: int) -> bool:
        """Whether the process has clearly more connections than another one that could take the next."""
        others = (self.read(other) for other in range(self.number) if other != index)
        live = [pulse.connections for pulse in others if time.monotonic() - pulse.at < LIVE]
        return connections > min(live, default=connections) + MARGIN

    def wake_all_but(self, index: int) -> None:
        for bell in (bell for other, bell in enumerate(self._bells) if other != index):
            with suppress(BlockingIOError):  # many earlier calls are unread, and any of them wakes it
                bell.send(b"!")

    def silence(self, index: int) -> float:
        """Seconds since the last beat."""
        return time.monotonic() - self.read(index).at

    def delay(self, index: int) -> float:
        """The longest delay of an event loop in the last one to two minutes, in seconds, if it still waits too."""
        pulse, minute = self.read(index), _minute()
        known = {pulse.minute: pulse.worst, pulse.minute - 1: pulse.worst_before}
        return max(known.get(minute, 0.0), known.get(minute - 1, 0.0), self.silence(index) - 1)

    def _write(self, index: int, pulse: Pulse) -> None:
        FORM.pack_into(self._memory, index * FORM.size, *astuple(pulse))


def _minute() -> float:
    return time.monotonic() // MINUTE
