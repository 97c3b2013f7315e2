"""Clients that are slow must not hold others up, neither while their requests come nor when they are let go."""

import errno
import socket
import time
from contextlib import suppress
from typing import Any

from gunicorn.http.message import Request
from gunicorn.workers import gthread
from gunicorn.workers.gthread import TConn, ThreadWorker

SILENCE = 0.2  # seconds
GRACE = 20  # seconds that anybody has
SLOWEST = 10_000  # bytes a second, in the long run
GOODBYE = 2  # seconds
READ_AT_ONCE = 64 * 1024  # bytes, as Django asks for them: gunicorn moves what is left over for every read
READ_FOR_NOTHING = 64 * 1024  # bytes of an unread body, as in gunicorn's parser; with more, it ends


class Worker(ThreadWorker):
    """gunicorn's, in which nobody holds a thread for long before a request is there, or the one that accepts others.

    That one waited for the end of every connection, two seconds for each client that does not close it.
    """

    def handle(self, conn: TConn) -> Any:
        if not conn.initialized and not conn.wait_for_data(SILENCE):
            return gthread._DEFER  # Without a thread it may be silent for a little longer.
        conn.init()
        conn.parser.unreader.sock = PatientSocket(conn.sock)  # Each request has a clock of its own.
        conn.parser.unreader.max_body_chunk = READ_AT_ONCE
        goes_on = super().handle(conn)
        if not goes_on:
            let_go(conn.sock)
        return goes_on


def let_go(sock: socket.socket) -> None:
    """End a connection so that the answer arrives though the client still sends; afterwards nothing waits for it."""
    deadline = time.monotonic() + GOODBYE
    with suppress(OSError):
        sock.shutdown(socket.SHUT_WR)
        while (left := deadline - time.monotonic()) > 0:
            sock.settimeout(left)
            if not sock.recv(READ_FOR_NOTHING):
                break
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RD)


def announce_close(request: Request) -> None:
    """Have the answer say `Connection: close` where too much of the body is left unread to go on after it."""
    as_asked, reader = request.should_close, request.body.reader
    request.should_close = lambda: as_asked() or getattr(reader, "length", 0) > READ_FOR_NOTHING


class PatientSocket:
    """What reads a request from a socket, for as long as the bytes come fast enough.

    The time limits of a socket are for one `recv`; one byte a second keeps them waiting for ever.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self.began, self.received = sock, time.monotonic(), 0

    def recv(self, size: int) -> bytes:
        """Raises TimeoutError when the time is over. The socket blocks afterwards, as those who write expect it."""
        left = GRACE + self.received / SLOWEST - (time.monotonic() - self.began)
        if left <= 0:
            raise too_slow()
        self.sock.settimeout(left)
        try:
            data = self.sock.recv(size)
        except TimeoutError:
            raise too_slow() from None
        finally:
            self.sock.settimeout(None)
        self.received += len(data)
        return data


def too_slow() -> TimeoutError:
    """With the number that gunicorn takes for a client's own doing, and does not log."""
    return TimeoutError(errno.ECONNRESET, "the request comes too slowly")
