"""A site of real processes that can be damaged: database, Redis, web, two workers and a sweeper."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import psutil
from celery import Celery

from tests import processes
from tests.processes import ROOT, Process

from .client import Client
from .postgresql import PostgreSQL

LEASE = 2  # seconds
CELERY = [
    sys.executable,
    "-m",
    "celery",
    "--quiet",
    "-A",
    "tests.faults.worker",
    "worker",
]
FLAGS = ["--without-mingle", "--without-gossip", "-O", "fair"]
MANAGE = """
import json, sys, django
from django.core.management import call_command
django.setup()
for command in json.loads(sys.argv[1]):
    call_command(*command)
"""
COMMANDS = {
    "web": [sys.executable, "-m", "evalsite.server"],
    "worker": [*CELERY, *FLAGS, "--concurrency", "{processes}"],
    "sweeper": [sys.executable, "-m", "tests.faults.sweeper"],
}


class Site:
    """Started once and damaged often; `repair` restarts the processes that a fault ended."""

    def __init__(self, vendor: str, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="evalsite-faults-"))
        self.folder.chmod(0o755)  # PostgreSQL started by root runs as another user
        self.running: dict[str, list[Process]] = {name: [] for name in COMMANDS}
        self.starts = 0
        self.processes = 2  # of a worker
        self.postgresql = PostgreSQL(self.folder / "postgresql") if vendor == "postgresql" else None
        self.redis = processes.Redis(self.folder)
        self.port = processes.unused_port()
        database = self.postgresql.url if self.postgresql else f"sqlite:///{self.folder}/evalsite.sqlite3"
        self.env = {
            "DATABASE_URL": database,
            "BROKER_URL": self.redis.url,
            "PORT": str(self.port),
            "EVALSITE_API_RATE": "0",
            "EVALSITE_DATA": str(self.folder / "data"),
            "EVALSITE_STORAGE": str(self.folder / "uploads"),
            "EVALSITE_LEASE": str(LEASE),
            "EVALSITE_PROVIDER_ALLOWED_HOSTS": "127.0.0.1",
            "EVALSITE_SECRET_KEY": "only-for-tests-" + "0123456789abcdef" * 4,
        }

        if self.postgresql:  # Its own pg_dump: an older one refuses the server.
            self.env["PATH"] = os.pathsep.join([str(self.postgresql.server.bin_path), os.environ["PATH"]])

    # ---- starting and stopping

    def begin(self) -> Client:
        """Start everything on a new database; returns a client with a key, once the site responds."""
        key = self.manage(
            ["migrate", "-v0"],
            ["collectstatic", "--no-input", "-v0"],
            ["begin"],
            ["apikey", "create", "--project=default", "--scope=write"],
        )
        client = self.client(key.strip())
        client.get("runs/")
        return client

    def client(self, key: str) -> Client:
        self.repair()
        return Client(f"http://127.0.0.1:{self.port}", key)

    def manage(self, *commands: list[str]) -> str:
        """Run management commands in one process; returns their output."""
        env = os.environ | self.env | {"DJANGO_SETTINGS_MODULE": "evalsite.settings"}
        command = [sys.executable, "-c", MANAGE, json.dumps(commands)]
        result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=400)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def start(self, name: str, count: int = 1, **env: str) -> None:
        for _ in range(count):
            self.starts += 1
            log = self.folder / f"{name}-{self.starts}.log"
            command = [part.format(processes=self.processes) for part in COMMANDS[name]]
            self.running[name].append(Process(command, log, **(self.env | env)))

    def repair(self, names: Iterable[str] = COMMANDS) -> None:
        """Start the missing processes in this order; returns when the site is repaired."""
        for name in names:
            self.running[name] = [process for process in self.running[name] if process.popen.poll() is None]
            if not self.running[name]:
                self.start(name)

    def calm(self) -> None:
        """Leave one process of each kind and no message, so that tests do not influence each other."""
        for same_kind in self.running.values():
            while len(same_kind) > 1:
                same_kind.pop().end()
        self.redis.private.client().flushall()
        self.repair()

    def stop(self, name: str) -> None:
        """kill -9, with all children."""
        while self.running[name]:
            self.running[name].pop().end()

    def end(self) -> None:
        for name in COMMANDS:
            self.stop(name)
        self.redis.end()
        if self.postgresql:
            self.postgresql.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self, name: str) -> str:
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob(f"{name}-*.log")))

    # ---- faults: methods that take only `chance`

    def kill_the_workers(self, chance: random.Random) -> None:
        """F1: kill -9 of parents and children; then new workers start."""
        self.stop("worker")
        self.start("worker")

    def kill_a_child(self, chance: random.Random) -> None:
        """F3: kill -9 of one pool process, as the kernel does without memory."""
        children = psutil.Process(self.running["worker"][0].popen.pid).children(recursive=True)
        if children:
            chance.choice(children).kill()

    def kill_the_sweeper(self, chance: random.Random) -> None:
        """F4: no sweeps for a while."""
        self.stop("sweeper")
        time.sleep(LEASE * 2)
        self.start("sweeper")

    def kill_the_web(self, chance: random.Random) -> None:
        """F5: requests in progress are cut off."""
        self.stop("web")
        self.start("web")

    def kill_everything(self, chance: random.Random) -> None:
        """F6: everything at once, like a power failure; chance decides which process restarts first."""
        self.stop_the_redis()
        if self.postgresql:
            self.postgresql.stop()
        for name in COMMANDS:
            self.stop(name)
        if self.postgresql:
            self.postgresql.start()
        names = [*COMMANDS, "redis"]
        chance.shuffle(names)
        for name in names:
            self.start_the_redis() if name == "redis" else self.start(name)

    def flush_the_broker(self, chance: random.Random) -> None:
        """F7: every message is lost."""
        self.redis.private.client().flushall()

    def restart_the_broker(self, chance: random.Random) -> None:
        """F8 and F9: away for a while, and empty afterwards."""
        self.stop_the_redis()
        time.sleep(chance.uniform(1, 5))
        self.start_the_redis()

    def stop_the_redis(self) -> None:
        self.redis.process.end()
        self.redis.private.socket.unlink(missing_ok=True)

    def start_the_redis(self) -> None:
        self.redis.process = Process(self.redis.private.command, self.folder / "redis.out")
        assert self.redis.private.wait(), self.redis.process.output

    def suspend_the_broker(self, chance: random.Random) -> None:
        """F10: connections stay open, but nothing responds."""
        self.redis.process.send(signal.SIGSTOP)
        time.sleep(chance.uniform(LEASE, 4 * LEASE))
        self.redis.process.send(signal.SIGCONT)

    def fill_the_broker(self, chance: random.Random) -> None:
        """F11: no memory and no eviction, so writes are refused. Celery's main process does not survive this; in the
        product its watchdog ends it after two minutes, and its supervisor restarts it.
        """
        self.redis.private.client().config_set("maxmemory", 1)
        time.sleep(2 * LEASE)
        self.redis.private.client().config_set("maxmemory", 0)
        self.stop("worker")
        self.start("worker")

    def restart_the_database(self, chance: random.Random) -> None:
        """F12: PostgreSQL crashes, and is away for a while."""
        self.postgresql.stop()
        time.sleep(chance.uniform(0, 5))
        self.postgresql.start()

    def end_connections(self, chance: random.Random) -> None:
        """F12: every backend is terminated."""
        self.postgresql.end_connections()

    def deliver_again(self, chance: random.Random) -> None:
        """F14: three more deliveries of every possible message."""
        app = Celery(broker=self.redis.url, set_as_current=False)
        for _ in range(3):
            for pk in range(1, 200):
                app.send_task("evaluations.work", (pk,), queue="work", ignore_result=True)
                app.send_task("evaluations.import_file", (pk,), queue="files", ignore_result=True)
        app.close()

    def sweep_ten_times_over(self, chance: random.Random) -> None:
        """F15: ten sweepers."""
        self.start("sweeper", 9)

    def suspend_a_worker(self, chance: random.Random) -> None:
        """F16: a worker sleeps beyond its lease while another takes its work; then it wakes up and writes."""
        parent = psutil.Process(self.running["worker"][0].popen.pid)
        self.start("worker")
        asleep = [*parent.children(recursive=True), parent]
        for process in asleep:
            process.suspend()
        time.sleep(LEASE * 1.5)
        for process in asleep:
            process.resume()

    def deploy(self, chance: random.Random) -> None:
        """F18: SIGTERM to the workers; then new ones start."""
        old, self.running["worker"] = self.running["worker"], []
        for worker in old:
            worker.send(signal.SIGTERM)
        self.start("worker")
        for worker in old:
            worker.wait(10)


FAULTS = (
    Site.kill_the_workers,
    Site.kill_a_child,
    Site.kill_the_sweeper,
    Site.kill_the_web,
    Site.kill_everything,
    Site.flush_the_broker,
    Site.restart_the_broker,
    Site.suspend_the_broker,
    Site.fill_the_broker,
    Site.deliver_again,
    Site.sweep_ten_times_over,
    Site.suspend_a_worker,
    Site.deploy,
)
DATABASE_FAULTS = (Site.restart_the_database, Site.end_connections)
