"""The web server: `python -m evalsite.server`."""

import ctypes
import gc
import logging
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from threading import BoundedSemaphore
from wsgiref.types import WSGIApplication

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import resolve
from waitress.server import TcpWSGIServer

from evalsite.bodies import Body
from evalsite.call_stack import with_room
from evalsite.channel import LARGE, Channel, Parser, disk_has_room
from evalsite.sockets import Sockets
from evalsite.threads import Threads

log = logging.getLogger("evalsite.server")  # run as a program, this module is named __main__

THREADS = 16  # threads for requests that were received completely
# threads for large bodies, and for files, which may have to wait for a storage on another server
UPLOADS = 32
SIGN_IN = "/signin/"  # where passwords wait in line to be checked
SIGN_INS = 48  # threads for them: those that may wait, and a few that refuse others
PROBES = ("/healthz", "/readyz")  # do not wait behind pages, because a busy site is not a dead one
PROBING = 4  # threads for probes, some of which may wait for an unavailable database
CONNECTIONS = 2_000
UNREAD = 1024**3  # bytes of all answers that may wait on the disk for their readers
WAITERS = THREADS // 2  # threads that may wait for readers beyond that
LAST_SECONDS = 5  # seconds for running requests after SIGTERM
# seconds after which a busy thread lets others run, because every answer passes through two
TAKES_TURNS = 0.001


class Server(TcpWSGIServer):
    """waitress with deadlines for clients, separate threads for large bodies, and a graceful shutdown."""

    channel_class = Channel

    def __init__(self, application: WSGIApplication, sock: socket.socket) -> None:
        self.is_stopping = False
        self.uploads, self.sign_ins, self.probes = Threads(UPLOADS), Threads(SIGN_INS), Threads(PROBING)
        self.waiters = BoundedSemaphore(WAITERS)
        super().__init__(
            application,
            map=Sockets(),
            _sock=sock,
            bind_socket=False,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            dispatcher=Threads(THREADS),
            connection_limit=CONNECTIONS,
            cleanup_interval=1,
            recv_bytes=256 * 1024,
            inbuf_overflow=LARGE + 1,  # bodies are never written to the disk, which may be full
            outbuf_overflow=256 * 1024,
            max_request_header_size=64 * 1024,
            max_request_body_size=1 << 60,  # the application refuses bodies that are too large
            clear_untrusted_proxy_headers=False,  # `client_address` decides which of them to trust
            log_socket_errors=False,
            ident="",
        )

    def add_task(self, channel: Channel) -> None:
        request = channel.requests[0]
        if not channel.body and is_sign_in(request):
            self.sign_ins.add_task(CleaningTask(channel, None))
        elif channel.body or request.has_files:
            self.uploads.add_task(CleaningTask(channel, channel.body))
        elif request.path in PROBES:
            self.probes.add_task(channel)
        else:
            self.task_dispatcher.add_task(channel)

    def maintenance(self, now: float) -> None:
        for channel in list(self.active_channels.values()):
            if channel.will_close or channel.is_overdue():
                channel.handle_close()

    def has_room(self) -> bool:
        """Whether more bytes of answers may wait on the disk until they are read."""
        unread = sum(channel.total_outbufs_len for channel in list(self.active_channels.values()))
        return unread < UNREAD and disk_has_room()

    def run(self) -> None:
        """Serve until `stop`; then accept no more connections, and let running requests finish."""
        while not self.is_stopping:
            self.turn()
        self.accepting = False
        self.socket.close()
        self.del_channel()
        deadline = time.monotonic() + LAST_SECONDS
        while self.is_busy() and time.monotonic() < deadline:
            self.turn()

    def turn(self) -> None:
        self._map.turn(seconds=1)

    def is_busy(self) -> bool:
        return any(channel.requests or channel.total_outbufs_len for channel in self.active_channels.values())

    def stop(self, *_: object) -> None:
        self.is_stopping = True
        self.pull_trigger()


def is_sign_in(request: Parser) -> bool:
    """Whether a request sends a password; the application reads several slashes at the beginning as one."""
    return request.path.lstrip("/") == SIGN_IN.lstrip("/") and request.command == "POST"


class CleaningTask:
    """A task after which its idle thread holds neither memory nor a database connection."""

    def __init__(self, channel: Channel, body: Body | None) -> None:
        self.channel, self.body = channel, body

    def service(self) -> None:
        try:
            self.channel.service()
        finally:
            connections.close_all()
            # all threads wait for this, so strangers must not be able to cause it
            if self.body and self.body.passed_on > LARGE:
                give_back_memory()

    def cancel(self) -> None:
        self.channel.cancel()


def give_back_memory() -> None:
    """Return the memory of a large body to the system; glibc would keep it, other C libraries have no such call."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


def listening_socket(host: str, port: int) -> socket.socket:
    """A listening socket for an address; "::" accepts IPv4 as well."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=host == "::")
    sock.setblocking(False)
    return sock


def loaded_application() -> WSGIApplication:
    """The application with all pages imported and frozen: garbage collection, which stops all threads, skips them.

    It is called with room, because pages call deeply.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    application = get_wsgi_application()
    resolve("/healthz")
    gc.collect()
    gc.freeze()
    return with_room(application)


def main() -> None:
    application = loaded_application()
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(maximum, 65_536), maximum))
    # the folder where waitress stores long answers; /tmp may be small, or in memory
    tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
    sys.setswitchinterval(TAKES_TURNS)
    server = Server(application, listening_socket(settings.HOST, settings.PORT))
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, server.stop)
    log.info("Serving pages at http://%s:%s", settings.HOST, settings.PORT)
    server.run()
    log.info("Stopped serving pages")


if __name__ == "__main__":
    main()
