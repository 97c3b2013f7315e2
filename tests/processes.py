"""Real processes for tests marked `processes`: started, awaited by their output, and always ended."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil
from django.db import connection

from evalsite import broker
from evalsite.lifeline import die_with
from evalsite_client import Client

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 90  # seconds; the start of a program takes 5 alone, and ten times that beside other tests


def wait_until(condition: Callable[[], object], event: str, seconds: float = PATIENCE) -> None:
    """Poll a condition; after `seconds`, fail with the name of the missing event."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {event}"
        time.sleep(0.02)


class Process:
    """A program whose output goes to a file; it ends with the test run in any case."""

    def __init__(
        self, command: Sequence[str], log: Path, cwd: Path = ROOT, without: Iterable[str] = (), **env: str
    ) -> None:
        self.log = log
        needed_variables = {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "PYTHONPATH": str(ROOT)}
        with log.open("wb") as output:
            self.popen = subprocess.Popen(
                command,
                cwd=cwd,
                env={
                    name: value
                    for name, value in (os.environ | needed_variables | env).items()
                    if name not in without
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=partial(die_with, os.getpid()),
            )

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, text: str, seconds: float = PATIENCE) -> str:
        """Wait until the output contains `text`; returns the output."""

        def said_or_ended() -> bool:
            return text in self.output or self.popen.poll() is not None

        deadline = time.monotonic() + seconds
        while not said_or_ended() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert text in self.output, f"not within {seconds} s: {text!r} in\n{self.output}"
        return self.output

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        return self.popen.wait(seconds)

    def end(self) -> None:
        """Kill the process and its whole session."""
        if self.popen.poll() is None:
            os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait()


class Redis:
    """A private Redis like that of `evalsite up`, by whichever server is installed."""

    def __init__(self, folder: Path) -> None:
        server = broker.servers()[0]
        self.private = broker.prepare(server, broker.socket_folder(folder), folder / "redis.log")
        self.process = Process(self.private.command, folder / "redis.out")
        assert self.private.wait(), self.process.output

    @property
    def url(self) -> str:
        return self.private.url

    def end(self) -> None:
        self.process.end()
        shutil.rmtree(self.private.socket.parent, ignore_errors=True)


def worker(log: Path, broker_url: str, queues: str = "", **env: str) -> Process:
    """A Celery worker on the test database, ready for work: of all queues with two children, or of these as in `up`."""
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "evalsite", "worker"]
    flags = ["--without-mingle", "--without-gossip", "-O", "fair"]
    flags += ["--queues", queues] if queues else ["--concurrency", "2"]
    process = Process([*command, *flags], log, BROKER_URL=broker_url, DATABASE_URL=database_url(), **env)
    process.wait_for("ready.")
    return process


def web(log: Path, port: int, **env: str) -> Process:
    """A web server on the test database, ready for requests."""
    command = [sys.executable, "-m", "evalsite.server"]
    process = Process(command, log, PORT=str(port), DATABASE_URL=database_url(), **env)
    process.wait_for("Serving pages at")
    return process


def cookie(jar: Mapping[str, str], kind: str) -> str:
    """The session or csrf cookie of a site, whose whole name depends on its address."""
    return next(value for name, value in jar.items() if name.removeprefix("__Host-").startswith(f"{kind}-"))


def database_url() -> str:
    """DATABASE_URL for the test database that pytest-django made."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    port = f"&port={settings['PORT']}" if settings["PORT"] else ""
    return f"postgresql://{settings['USER']}:{settings['PASSWORD']}@/{settings['NAME']}?host={host}{port}"


def unused_port() -> int:
    """A port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def score_a_run(address: str, key: str, folder: Path) -> Mapping[str, Any]:
    """A run of a site that was uploaded as a file and scored: the main job, in little."""
    file = folder / "answers.csv"
    file.write_text("question,reference,v1\n2+2?,4,4\n3+3?,6,5\n")
    columns = {"inputs": ["question"], "reference": ["reference"], "outputs": {"v1": "v1"}}
    with Client(address, key) as site:
        dataset = site.upload(file, **columns, evaluators=["exact_match"], timeout=PATIENCE)
        (run,) = site.experiment(dataset["experiment"])["runs"]
        return site.wait("run", run["id"], timeout=PATIENCE)


def is_alive(process: psutil.Process) -> bool:
    """Whether a process runs; one that ends while it is looked at does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
