"""Large request bodies, streamed to the application while they arrive."""

import io
from collections import deque
from collections.abc import Callable
from threading import Condition

ROOM = 1024 * 1024  # bytes that may wait to be read
UNASKED = 64 * 1024  # bytes that may wait until the application, which knows who sends them, begins to read


class Body(io.RawIOBase):
    """A request body, fed by the thread that receives it and read by another one."""

    def __init__(
        self, size: int, before_first_read: Callable[[], None], has_room: Callable[[], None]
    ) -> None:
        """`has_room` is called when `wants_more` becomes true again."""
        self.missing = size
        self.passed_on = 0  # bytes that the application has read
        self._before_first_read = before_first_read
        self._is_read = False
        self._has_room = has_room
        self._pieces: deque[memoryview] = deque()  # Each byte is copied once, by the reader.
        self._waiting = 0  # bytes of all pieces
        self._changed, self._is_cut = Condition(), False

    @property
    def wants_more(self) -> bool:
        return self.missing > 0 and self._waiting < (ROOM if self._is_read else UNASKED)

    @property
    def is_held_up(self) -> bool:
        """Whether the application has not yet read what arrived."""
        return self.missing > 0 and not self.wants_more

    def feed(self, received: bytes) -> None:
        """Add received data; anything beyond the end of the body is dropped."""
        with self._changed:
            received = received[: self.missing]
            if not received:
                return
            self.missing -= len(received)
            self._pieces.append(memoryview(received))
            self._waiting += len(received)
            self._changed.notify()

    def cut(self) -> None:
        """Note that the client has disconnected: further reads raise ConnectionError."""
        with self._changed:
            self._is_cut = True
            self._changed.notify()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed has a protocol without len()
        if not self._is_read:
            self._is_read = True
            self._before_first_read()
            self._has_room()
        with self._changed:
            while self.missing and not self._pieces and not self._is_cut:
                self._changed.wait()
            if self.missing and not self._pieces:
                raise ConnectionError("The client sent only a part of the body.")
            was_full = self._waiting >= ROOM
            size = self._move(buffer)
        self.passed_on += size
        if was_full and self.wants_more:
            self._has_room()
        return size

    def _move(self, buffer: memoryview) -> int:
        """Fill the buffer with the first waiting bytes; returns their number."""
        size = 0
        while self._pieces and size < len(buffer):
            piece = self._pieces.popleft()
            part = piece[: len(buffer) - size]
            buffer[size : size + len(part)] = part
            size += len(part)
            if len(part) < len(piece):
                self._pieces.appendleft(piece[len(part) :])
        self._waiting -= size
        return size
