"""A connection of the web server that slow clients cannot use to block threads.

waitress receives requests in one thread and serves them in others once they are complete. It has no deadline for a
client that sends a byte now and then, and it stores large bodies before the application can ask who sends them. This
module adds deadlines, and streams large bodies to the application. It extends waitress's classes for channels and
parsers, whose behaviour tests/site/test_server.py checks.
"""

import io
import math
import shutil
import socket
import tempfile
import time
from contextlib import suppress
from functools import partial
from typing import Any

import waitress.channel
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError

from evalsite.bodies import Body
from evalsite.head_requests import Task
from evalsite.http_errors import HttpError
from evaluations.access.addresses import network, proxies_name_clients

SETTLED = 5  # seconds after which a request has a pace
GRACE = 20  # seconds that every request has to arrive
SLOWEST = 10_000  # bytes per second that a longer request must keep up with
IDLE = 20  # seconds that a connection may stay open between requests
STALLED = 60  # seconds after which a client that reads its answer more slowly than SLOWEST is disconnected
GOODBYE = 2  # seconds for a client to read its answer and disconnect
LARGE = 64 * 1024  # bytes; larger bodies are streamed, others are collected in memory
MOST_AHEAD = 1024 * 1024  # bytes that an answer may always be ahead of its reader
PIECE = 4096  # bytes that are parsed at once
READ_AT_ONCE = 256 * 1024  # bytes of a large body
WAITING = 20  # requests of a connection that may wait for the answers to earlier ones
RESERVE = 50_000_000  # bytes of the disk that answers leave free


def disk_has_room() -> bool:
    """Whether answers may wait on the disk for their readers."""
    return shutil.disk_usage(tempfile.gettempdir()).free > RESERVE


class Buffer(OverflowableBuffer):
    """An answer that is being sent; a long one waits on the disk, or in memory while the disk is full."""

    def _set_large_buffer(self) -> None:
        if disk_has_room():
            super()._set_large_buffer()


waitress.channel.OverflowableBuffer = Buffer  # the only way to make channels use it


class Parser(HTTPRequestParser):
    """A request with a large body, or without a stated length, is complete after its head."""

    body: Body | None = None
    expect_continue: bool
    command = path = ""  # of a request whose first line cannot be read

    def __init__(self, adj: Adjustments, channel: "Channel") -> None:
        super().__init__(adj)
        self.channel = channel

    @property
    def has_files(self) -> bool:
        """Whether the body may have files."""
        return "multipart/" in self.headers.get("CONTENT_TYPE", "").lower()

    def received(self, data: bytes) -> int:
        had_head = self.headers_finished
        consumed = super().received(data)
        if self.completed:
            self.expect_continue = False  # waitress would wait for the body of a request that has none
        if self.body is None or had_head:
            return consumed
        self.body.feed(data[consumed:])
        return len(data)

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # of an address such as http://[::1/, which waitress does not catch
            raise ParsingError("Bad URI") from error
        self._use_host_of_address()
        if proxies_name_clients():
            self.channel.belongs_to(network(self.channel.peer, self.headers.get("X_FORWARDED_FOR", "")))
        if self.chunked or self.content_length > LARGE:
            self._stream_body()

    def _use_host_of_address(self) -> None:
        """Let the host of `GET http://host/` replace the one header Host that there must be (RFC 9112, 3.2.2)."""
        if self.proxy_netloc and "," not in self.headers.get("HOST", ","):
            self.headers["HOST"] = self.proxy_netloc

    def _stream_body(self) -> None:
        """Stream the body to the application; the connection ends with the answer."""
        before = self.channel.write_continue if self.expect_continue else lambda: None
        self.body = self.channel.body = Body(self.content_length, before, self.channel.server.pull_trigger)
        self.body_rcv, self.expect_continue = None, False
        self.headers["CONNECTION"] = "close"
        if self.chunked:
            self.headers["TRANSFER_ENCODING"] = "chunked"

    def get_body_stream(self) -> Any:
        return io.BufferedReader(self.body, READ_AT_ONCE) if self.body else super().get_body_stream()


class Channel(HTTPChannel):
    """A connection."""

    task_class = Task
    error_task_class = HttpError
    began: float | None = None  # the time at which the first byte of the incomplete request arrived
    size = 0  # its bytes so far
    body: Body | None = None
    closes_at: float | None = None
    person: object = None  # who sent its request, as far as its credentials tell
    read_bytes = 0  # bytes of answers that the client has read since `unread_since`
    close_when_flushed: bool

    def __init__(self, server: Any, sock: socket.socket, addr: Any, *args: Any, **kwargs: Any) -> None:
        self.parser_class = partial(Parser, channel=self)
        self.unread_since = time.monotonic()
        self.peer = str(addr[0])
        self.client = "" if proxies_name_clients() else network(self.peer)
        super().__init__(server, sock, addr, *args, **kwargs)
        server.clients.add(self)

    def belongs_to(self, client: str) -> None:
        """Note the client that a proxy names; each request on a connection of a proxy may have another one."""
        if client != self.client:
            self.server.clients.remove(self)
            self.client = client
            self.server.clients.add(self)

    def del_channel(self, map: Any = None) -> None:
        super().del_channel(map)
        self.server.clients.remove(self)

    def recv(self, size: int) -> bytes:
        """Receive little until it is known who sends it: only a large body fills the memory that it asks for."""
        received: bytes = super().recv(size if self.body else LARGE)
        return received

    def received(self, data: bytes) -> bool:
        if self.began is None:
            self.began, self.size = time.monotonic(), 0
        self.size += len(data)
        self._take(data)
        if len(self.requests) > WAITING:
            self.handle_close()
        if self.request is None and not (self.body and self.body.missing):
            self.began = None
        return True

    def _take(self, received: bytes) -> None:
        """Receive data in pieces, because waitress parses all requests in its input before it returns."""
        while received and len(self.requests) <= WAITING:
            if self.body:
                self.body.feed(received)
                return
            super().received(received[:PIECE])
            received = received[PIECE:]

    @property
    def is_quiet(self) -> bool:
        """Whether only the connection's next event can change which events it waits for."""
        is_served = self.requests or self.body
        return not (is_served or self.total_outbufs_len or self.will_close or self.close_when_flushed)

    @property
    def pace(self) -> float:
        """The bytes a second of a body that arrives; infinite at its beginning, or while the application is slower."""
        if self.began is None or not self.is_arriving or (self.body and self.body.is_held_up):
            return math.inf
        seconds = time.monotonic() - self.began
        return self.size / seconds if seconds > SETTLED else math.inf

    @property
    def is_arriving(self) -> bool:
        """Whether a part of a large body is still missing."""
        return bool(self.body and self.body.missing)

    def write_continue(self) -> None:
        self.write_soon(b"HTTP/1.1 100 Continue\r\n\r\n")

    def readable(self) -> bool:
        if self.closes_at is not None:
            return True
        if self.body and not self.will_close and not self.close_when_flushed:
            return self.body.wants_more
        return super().readable()

    def handle_read(self) -> None:
        if self.closes_at is None:
            super().handle_read()
        else:
            with suppress(OSError):
                self.recv(self.adj.recv_bytes)

    def handle_write(self) -> None:
        """Wait for the client to disconnect: closing with unread bytes would destroy an answer on its way."""
        if self.close_when_flushed and not self.total_outbufs_len and not self.will_close:
            self.close_when_flushed = False
            self.closes_at = time.monotonic() + GOODBYE
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
        else:
            super().handle_write()

    def handle_close(self) -> None:
        if self.body:
            self.body.cut()
        super().handle_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent_bytes = super().send(data, do_close)
        self.read_bytes += sent_bytes
        return sent_bytes

    def write_soon(self, data: bytes) -> int:
        if self.will_close:
            raise ClientDisconnected
        written: int = super().write_soon(data)
        return written

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Block the thread for a slow reader only if the disk is full of answers, and few threads are blocked."""
        if self.total_outbufs_len <= MOST_AHEAD or self.server.has_room():
            return
        if not self.server.waiters.acquire(blocking=False):
            self.will_close = True
            return
        try:
            self._wait_for_reader()
        finally:
            self.server.waiters.release()

    def _wait_for_reader(self) -> None:
        with self.outbuf_lock:
            while self.connected and self.total_outbufs_len > MOST_AHEAD:
                self.server.pull_trigger()
                self.outbuf_lock.wait()

    def is_overdue(self) -> bool:
        """Whether the client has exceeded its deadline; checked every second."""
        now = time.monotonic()
        if self.closes_at is not None:
            return now > self.closes_at
        if self._has_unread():
            return self._reads_too_slowly(now)
        self.unread_since, self.read_bytes = now, 0
        if self.body and self.body.is_held_up:
            self.began, self.size = now, 0  # the application is slow, not the client
        if self.began is not None:
            return now - self.began > GRACE + self.size / SLOWEST
        return time.time() - self.last_activity > IDLE and not self.requests

    def _has_unread(self) -> bool:
        """Whether the client leaves an answer unread; while a task runs, waitress collects some of it first."""
        return bool(self.total_outbufs_len > (self.adj.send_bytes if self.requests else 0))

    def _reads_too_slowly(self, now: float) -> bool:
        if now - self.unread_since < STALLED:
            return False
        is_slow = self.read_bytes < STALLED * SLOWEST
        self.unread_since, self.read_bytes = now, 0
        return is_slow
