"""The web server: `python -m evalsite.server`."""

import ctypes
import gc
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from threading import BoundedSemaphore
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.http import parse_cookie
from django.urls import resolve, reverse
from waitress.server import TcpWSGIServer

from evalsite.balance import Alone, OneOfSeveral, Watched
from evalsite.bodies import Body
from evalsite.call_stack import with_room
from evalsite.channel import LARGE, Channel, Parser, disk_has_room
from evalsite.clients import Clients
from evalsite.head_requests import without_bodies
from evalsite.pulses import Pulses
from evalsite.sockets import Sockets
from evalsite.threads import Threads
from evalsite.web_processes import WebProcesses
from evaluations.access.shares import share

log = logging.getLogger("evalsite.server")  # run as a program, this module is named __main__

# In all web processes together; each has its share.
THREADS = 16  # threads for requests that were received completely
UPLOADS = 32  # threads for large bodies, each as long as its body arrives
FILES = 8  # threads for small files, which may have to wait for a storage on another server
SIGN_IN = "/signin/"  # where passwords wait in line to be checked
SIGN_INS = 48  # threads for them: those that may wait, and a few that refuse others
PROBES = ("/healthz", "/readyz", "/metrics")  # do not wait behind pages: a busy site is not a dead one
PROBING = 4  # threads for probes, some of which may wait for an unavailable database
CONNECTIONS = 2_000
OF_ONE_CLIENT = 256  # connections
UNREAD = 1024**3  # bytes of all answers that may wait on the disk for their readers
WAITERS = THREADS // 2  # threads that may wait for readers beyond that
GIVES_WAY = 100_000  # bytes a second; a slower upload ends if another one waits for its thread
MUCH = 512 * 1024  # bytes of a body, whose memory is given back
GIVE_BACK_EVERY = 10.0  # seconds
LAST_SECONDS = 5  # seconds for running requests after SIGTERM
TURN = 0.25  # seconds that the event loop waits at most, so that its pulse shows whether it is late
# seconds after which a busy thread lets others run, because every answer passes through two
TAKES_TURNS = 0.001


class Server(TcpWSGIServer):
    """waitress with deadlines and shares for clients, threads for each kind of request, and a graceful shutdown."""

    channel_class = Channel

    def __init__(
        self,
        application: WSGIApplication,
        sock: socket.socket,
        processes: int = 1,
        watched: Watched = Alone(),  # noqa: B008  # it has no state
    ) -> None:
        """One of `processes` servers on a socket."""
        self.is_stopping, self.watched = False, watched
        self.share = partial(share, processes=processes)
        threads, uploads, files = (self.share(number) for number in (THREADS, UPLOADS, FILES))
        self.pages, self.files = shared(threads, -(-threads * 3 // 4)), shared(files, -(-files * 3 // 4))
        self.uploads = shared(uploads, -(-uploads // 2))
        self.sign_ins, self.probes = Threads(self.share(SIGN_INS)), Threads(PROBING)
        self.waiters = BoundedSemaphore(self.share(WAITERS))
        self.clients = Clients(self.share(CONNECTIONS), of_one=self.share(OF_ONE_CLIENT))
        sockets = Sockets()
        watched.join(sockets)
        super().__init__(
            without_bodies(application),
            map=sockets,
            _sock=sock,
            bind_socket=False,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            dispatcher=self.pages,
            connection_limit=1 << 30,  # `clients` counts them, and lets new ones in
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

    def readable(self) -> bool:
        return bool(super().readable()) and not self.watched.has_many(len(self.clients))

    def add_task(self, channel: Channel) -> None:
        request = channel.requests[0]
        path = request.path.removeprefix(settings.PATH)
        channel.person = channel.client, credentials(request)
        if not channel.body and is_sign_in(path, request.command):
            self.sign_ins.add_task(CleaningTask(channel, None))
        elif channel.body:
            self.uploads.add_task(CleaningTask(channel, channel.body))
            self.make_way()
        elif request.has_files:
            self.files.add_task(CleaningTask(channel, None))
        elif path in PROBES:
            self.probes.add_task(channel)
        else:
            self.pages.add_task(channel)

    def make_way(self) -> None:
        """End the slowest upload that another one waits for, if it is slow."""
        holders = [task.channel for task in self.uploads.holders() if isinstance(task, CleaningTask)]
        slowest = min(holders, key=lambda channel: channel.pace, default=None)
        if slowest and slowest.pace < GIVES_WAY:
            slowest.handle_close()

    def maintenance(self, now: float) -> None:
        self.make_way()
        for channel in list(self.active_channels.values()):
            if channel.will_close or channel.is_overdue():
                channel.handle_close()

    def has_room(self) -> bool:
        """Whether more bytes of answers may wait on the disk until they are read."""
        unread = sum(channel.total_outbufs_len for channel in list(self.active_channels.values()))
        return unread < self.share(UNREAD) and disk_has_room()

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
        due = time.monotonic() + TURN
        self._map.turn(TURN)
        self.watched.beat(max(0.0, time.monotonic() - due), len(self.clients))
        spare.give_back()

    def is_busy(self) -> bool:
        return any(channel.requests or channel.total_outbufs_len for channel in self.active_channels.values())

    def stop(self, *_: object) -> None:
        self.is_stopping = True
        self.pull_trigger()


def shared(threads: int, of_one_client: int) -> Threads:
    """Threads that people share; one of a client leaves a quarter of its share to others behind the same address."""
    return Threads(threads, of_one_client, of_one_person=-(-of_one_client * 3 // 4))


def credentials(request: Parser) -> int:
    """A number that differs for requests with different credentials, which nobody has checked yet."""
    headers: dict[str, str] = request.headers
    session = parse_cookie(headers.get("COOKIE", "")).get(settings.SESSION_COOKIE_NAME, "")
    return hash((headers.get("AUTHORIZATION", ""), session))


def is_sign_in(path: str, method: str) -> bool:
    """Whether a request sends a password; the application reads several slashes at the beginning as one."""
    return path.lstrip("/") == SIGN_IN.lstrip("/") and method == "POST"


class CleaningTask:
    """A task after which its idle thread holds neither memory nor a database connection."""

    def __init__(self, channel: Channel, body: Body | None) -> None:
        self.channel, self.body = channel, body
        self.client, self.person = channel.client, channel.person

    def service(self) -> None:
        try:
            self.channel.service()
        finally:
            connections.close_all()
            if self.body and self.body.passed_on > MUCH:
                spare.is_owed = True
                spare.give_back()


class SpareMemory:
    """The memory of large bodies, which `is_owed` to the system until it is given back.

    All threads wait for that, so it happens at most every `GIVE_BACK_EVERY` seconds, however many bodies arrive.
    """

    def __init__(self) -> None:
        self.is_owed = False
        self._not_before = 0.0

    def give_back(self) -> None:
        if self.is_owed and time.monotonic() >= self._not_before:
            self.is_owed, self._not_before = False, time.monotonic() + GIVE_BACK_EVERY
            give_back_memory()


spare = SpareMemory()


def give_back_memory() -> None:
    """Return what nobody uses to the system; glibc would keep it, other C libraries have no such call."""
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
    reverse("home")  # fills the table of addresses by name
    gc.collect()
    gc.freeze()
    return with_room(application)


def with_pulses(application: WSGIApplication, pulses: Pulses) -> WSGIApplication:
    """The application, which finds the pulses of all web processes in its requests."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["evalsite.pulses"] = pulses
        return application(environ, start_response)

    return call


def serve(application: WSGIApplication, sock: socket.socket, pulses: Pulses, index: int) -> None:
    """Serve as one of several processes until SIGTERM, or until the parent is gone."""
    sys.setswitchinterval(TAKES_TURNS)
    server = Server(application, sock, pulses.number, OneOfSeveral(pulses, index))
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, server.stop)
    server.run()


def keep_metrics() -> None:
    """Let all web processes count requests in one folder, from zero; prometheus_client reads where when loaded."""
    folder = settings.DATA / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def main() -> None:
    pulses = Pulses(settings.WEB_PROCESSES)
    keep_metrics()
    application = with_pulses(loaded_application(), pulses)
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(maximum, 65_536), maximum))
    # the folder where waitress stores long answers; /tmp may be small, or in memory
    tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
    sock = listening_socket(settings.HOST, settings.PORT)
    log.info("Serving pages at http://%s:%s", settings.HOST, settings.PORT)
    ended_well = WebProcesses(partial(serve, application, sock, pulses), pulses).keep(sock)
    log.info("Stopped serving pages")
    sys.exit(not ended_well)


if __name__ == "__main__":
    main()
