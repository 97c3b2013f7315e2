"""Calls that another thread can end before they are answered."""

import socket
import threading
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from evaluations.clients.service_error import ServiceError


class Call:
    """One call: `hang_up` closes its connection, so that whoever waits for its answer gets a `ServiceError` at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Any = None
        self._has_ended = False

    def hang_up(self) -> None:
        with self._lock:
            self._has_ended = True
            if self._connection is not None:
                with suppress(OSError):  # it may be closed already
                    # The shutdown of an SSL socket would take what the other thread reads with.
                    socket.socket.shutdown(self._connection, socket.SHUT_RDWR)

    def hold(self, connection: Any) -> None:
        """Note the socket that the call uses now; raises what it ends with if it was ended."""
        with self._lock:
            self.raise_if_ended()
            self._connection = connection

    def release(self) -> None:
        """The connection may serve other calls from now on."""
        with self._lock:
            self._connection = None

    def raise_if_ended(self) -> None:
        if self._has_ended:
            raise ServiceError("The call was stopped.", permanent=True, code="stopped")


CALL: ContextVar[Call | None] = ContextVar("call", default=None)


def hold(connection: Any) -> None:
    if call := CALL.get():
        call.hold(connection)


def release() -> None:
    if call := CALL.get():
        call.release()


def raise_if_ended() -> None:
    if call := CALL.get():
        call.raise_if_ended()
