"""`evalsite up`: runs web, workers, beat and a private Redis in one terminal, and stops them together, Redis last."""

import asyncio
import fcntl
import os
import shutil
import signal
import socket
import sys
import time
import traceback
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError

from evalsite import broker
from evalsite.processes import Child, say

CELERY = [sys.executable, "-m", "celery", "--quiet", "-A", "evalsite"]
FLAGS = ["--without-mingle", "--without-gossip", "-O", "fair"]


def worker(name: str, queues: str) -> list[str]:
    """The command of a Celery worker of these queues."""
    return [*CELERY, "worker", *FLAGS, "--hostname", f"{name}@%h", "--queues", queues]


# The children have the names of the services in docker-compose.yml. Work that takes long, calls that wait for servers,
# and sweeps with deliveries have workers of their own, so that none waits for another.
WORKERS = {"worker": "work,files", "caller": "calls", "sweeper": "sweeps"}
COMMANDS = {
    **{name: worker(name, queues) for name, queues in WORKERS.items()},
    "beat": [*CELERY, "beat"],
    "web": [sys.executable, "-m", "evalsite.server"],
}
# otherwise glibc keeps for each thread the memory of its largest request
LITTLE_MEMORY = {"MALLOC_ARENA_MAX": "2"}
STOPS_WITHIN = {"web": 10, "beat": 5, "redis": 5} | dict.fromkeys(WORKERS, 30)  # seconds
RESTARTED = (*WORKERS, "beat")  # restarted whatever ended them; others not after they failed by themselves
MOST_DEATHS, DEATHS_WITHIN = 5, 60  # seconds
PAUSE = 1.0  # seconds after the first death; doubled after each further one
READY_WITHIN = 120  # seconds

INSTALL_REDIS = "*** Install valkey or redis, or set BROKER_URL, for full speed. The results are the same."
SMALL_REDIS = ("No Redis program is here, so a small one in Python carries the messages.", INSTALL_REDIS)
NO_REDIS = (
    "*** No Redis can be started here, so messages go through files: one process of each worker only.",
    INSTALL_REDIS,
)


@contextmanager
def alone(data_folder: Path) -> Iterator[None]:
    """Lock the data folder; the lock ends with the process."""
    with (data_folder / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CommandError(f"Another `evalsite up` (process {file.read()}) uses {data_folder}.") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def told(file: Path, text: str) -> Iterator[None]:
    """A file with this text for as long as the site runs."""
    file.write_text(text)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def require_free_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            hint = "Choose another one with PORT=…"
            raise CommandError(f"Port {port} cannot be used: {problem.strerror}. {hint}") from problem


class Up:
    """Starts, watches and stops the child processes."""

    def __init__(
        self, prepare: Callable[[], None], workers_are_ready: Callable[[], bool], announce: Callable[[], str]
    ) -> None:
        """`prepare` runs while the workers start, and before the web server does."""
        self.prepare, self.workers_are_ready, self.announce = prepare, workers_are_ready, announce
        self.commands = dict(COMMANDS)
        self.children: dict[str, Child] = {}
        self.tasks: list[asyncio.Task[None]] = []
        self.env = (
            LITTLE_MEMORY
            | os.environ
            | {
                "DJANGO_SETTINGS_MODULE": "evalsite.settings",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "PYTHONUNBUFFERED": "1",
            }
        )
        self.end = asyncio.Event()
        self.is_ready = False
        self.interrupts = 0
        self.failure = ""
        self.folder: Path | None = None

    async def run(self) -> int:
        """Start everything, wait for Ctrl-C or a fatal death, stop everything; returns the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.interrupt)
        try:
            await self.start_broker()
            for name in WORKERS:
                self.spawn(self.keep(name))
            await asyncio.to_thread(self.prepare)
            self.spawn(self.keep("web"))
            self.spawn(self.say_when_ready())
            await self.end.wait()
            for task in self.tasks:
                task.cancel()
        finally:
            await self.stop()
        if self.failure:
            say("up", self.failure)
        return 1 if self.failure else 0

    def spawn(self, coroutine: Coroutine[None, None, None]) -> None:
        """Run a coroutine concurrently; if it raises, everything stops with its traceback."""

        def look(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and task.exception():
                traceback.print_exception(task.exception())
                self.fail(f"{task.exception()!r}, so everything stops.")

        self.tasks.append(asyncio.create_task(coroutine))
        self.tasks[-1].add_done_callback(look)

    def interrupt(self) -> None:
        """Handle Ctrl-C: the first lets all finish, the second kills them."""
        self.interrupts += 1
        if self.interrupts == 1:
            say("up", "Stopping. Press Ctrl-C again to stop at once.")
            self.end.set()
        else:
            for child in self.children.values():
                child.kill()

    def fail(self, sentence: str) -> None:
        self.failure = self.failure or sentence
        self.end.set()

    async def start_broker(self) -> None:
        """Use BROKER_URL, else a private Redis, else files for messages; pass the choice to the children."""
        if url := settings.GIVEN_BROKER_URL:
            self.env["BROKER_URL"] = url
            return
        self.env["BROKER_URL"] = await self.start_redis() or "filesystem://"
        if self.env["BROKER_URL"] == "filesystem://":
            for line in NO_REDIS:
                say("up", line)
        settings.BROKER_FILE.touch(mode=0o600)
        settings.BROKER_FILE.write_text(self.env["BROKER_URL"])

    async def start_redis(self) -> str:
        """Start the first private Redis that works, and return its address; "" if none does."""
        self.folder = broker.socket_folder(settings.DATA)
        for private in broker.offers(self.folder, settings.DATA / "redis.log"):
            child = await Child.start("redis", private.command, self.env)
            if await asyncio.to_thread(private.wait):
                self.commands["redis"] = private.command
                self.spawn(self.keep("redis", child))
                for line in () if private.password else SMALL_REDIS:
                    say("up", line)
                return private.url
            await child.stop(1)
        return ""

    async def keep(self, name: str, child: Child | None = None) -> None:
        """Run a child, or watch the one that runs already; restart it when it dies, but not for ever.

        A site that was ready keeps serving pages while workers die, for example because Redis is full.
        """
        deaths: list[float] = []
        while True:
            child = self.children[name] = child or await Child.start(name, self.commands[name], self.env)
            code, child = await child.wait(), None
            now = time.monotonic()
            deaths = [*(at for at in deaths if now - at < DEATHS_WITHIN), now]
            is_spared = name in RESTARTED and self.is_ready
            if (len(deaths) >= MOST_DEATHS and not is_spared) or (code > 0 and name not in RESTARTED):
                self.fail(f"{name} ended with code {code}, so everything stops.")
                return
            pause = PAUSE * 2 ** (len(deaths) - 1)
            say("up", f"{name} ended with code {code}; it starts again in {pause:g} s.")
            await asyncio.sleep(pause)

    async def say_when_ready(self) -> None:
        """Print the address and a sign-in link once pages are served and workers respond, however late that is."""
        await asyncio.to_thread(self.wait_until_ready, time.monotonic() + READY_WITHIN)
        if not self.is_ready and not self.end.is_set():
            say("up", f"Not ready after {READY_WITHIN} s; the lines above say why.")
        self.spawn(self.keep("beat"))  # not needed in the first seconds
        await asyncio.to_thread(self.wait_until_ready)
        if self.is_ready:
            say("up", await asyncio.to_thread(self.announce))

    def wait_until_ready(self, deadline: float = float("inf")) -> None:
        """Wait in a thread until everything works, a time on the monotonic clock has come, or everything stops."""
        pause = 0.05 if deadline < float("inf") else 1.0
        while not self.is_ready and time.monotonic() < deadline and not self.end.is_set():
            self.is_ready = pages_are_served() and self.workers_are_ready()
            if not self.is_ready:
                time.sleep(pause)

    async def stop(self) -> None:
        """Stop all but Redis, which the others need to finish their work; then Redis."""
        await asyncio.gather(*(self.stop_child(name) for name in COMMANDS))
        await self.stop_child("redis")
        if self.folder:
            shutil.rmtree(self.folder)
        settings.BROKER_FILE.unlink(missing_ok=True)

    async def stop_child(self, name: str) -> None:
        if child := self.children.get(name):
            await child.stop(STOPS_WITHIN[name])


def pages_are_served() -> bool:
    host = "127.0.0.1" if settings.HOST in ("localhost", "0.0.0.0", "::") else settings.HOST
    try:
        with urllib.request.urlopen(f"http://{host}:{settings.PORT}/healthz", timeout=5):
            return True
    except OSError:  # refused while it starts; HTTPError is a subclass of OSError
        return False
