"""A request body that hardly comes must not hold a thread: whoever sends too slowly is cut off."""

import socket
import time

GRACE = 20  # seconds that anybody has
SLOWEST = 10_000  # bytes a second, in the long run


class PatientSocket:
    """What reads a request's body from a socket, for as long as the bytes come fast enough.

    The time limits of a socket are for one `recv`; one byte a second keeps them waiting for ever.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self.began, self.received = sock, time.monotonic(), 0

    def recv(self, size: int) -> bytes:
        """Raises TimeoutError when the time is over. The socket blocks afterwards, as those who write expect it."""
        left = GRACE + self.received / SLOWEST - (time.monotonic() - self.began)
        if left <= 0:
            raise TimeoutError("the body comes too slowly")
        self.sock.settimeout(left)
        try:
            data = self.sock.recv(size)
        finally:
            self.sock.settimeout(None)
        self.received += len(data)
        return data
