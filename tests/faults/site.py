"""A site of real processes that can be harmed: two workers, a sweeper, a Redis, and the database of the test."""

import random
import signal
import sys
import time
from pathlib import Path

import psutil
from celery import current_app
from django.db import connection

from evaluations import hints
from evaluations.models import Import, Job
from tests import processes

LEASE = 2  # seconds


class Site:
    """Faults are methods without parameters; `chance` decides moments and victims."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.redis = processes.Redis(folder)
        self.workers: list[processes.Process] = []
        self.sweepers: list[processes.Process] = []
        self.started = 0

    def start(self) -> None:
        self.add_workers()
        self.add_sweepers(1)

    def log(self, name: str) -> Path:
        self.started += 1
        return self.folder / f"{name}-{self.started}.log"

    def add_workers(self) -> None:
        env = {"EVALSITE_LEASE": str(LEASE)}
        self.workers.append(processes.worker(self.log("worker"), self.redis.url, **env))

    def add_sweepers(self, count: int) -> None:
        env = {"BROKER_URL": self.redis.url, "DATABASE_URL": processes.database_url()}
        command = [sys.executable, "-m", "tests.faults.sweeper"]
        self.sweepers += [processes.Process(command, self.log("sweeper"), **env) for _ in range(count)]

    def end(self) -> None:
        for process in (*self.workers, *self.sweepers, self.redis):
            process.end()

    # ---- faults

    def kill_the_workers(self) -> None:
        """F1: kill -9 of parent and children, and others start."""
        for worker in self.workers:
            worker.end()
        self.workers.clear()
        self.add_workers()

    def kill_a_child(self) -> None:
        """F3: kill -9 of one pool process, as the kernel does when memory ends."""
        children = psutil.Process(self.workers[0].popen.pid).children(recursive=True)
        if children:
            self.chance.choice(children).kill()

    def suspend_a_worker(self) -> None:
        """F16: asleep for longer than the lease; then the zombie writes."""
        whole = psutil.Process(self.workers[0].popen.pid)
        asleep = [*whole.children(recursive=True), whole]
        for process in asleep:
            process.suspend()
        time.sleep(LEASE * 1.5)
        for process in asleep:
            process.resume()

    def kill_the_sweeper(self) -> None:
        """F4: nobody sweeps for a while."""
        self.sweepers.pop().end()
        time.sleep(LEASE)
        self.add_sweepers(1)

    def flush_the_broker(self) -> None:
        """F7: every message is lost."""
        self.redis.private.client().flushall()

    def suspend_the_broker(self) -> None:
        """F10: connections stay open and nobody answers."""
        self.redis.process.send(signal.SIGSTOP)
        time.sleep(LEASE)
        self.redis.process.send(signal.SIGCONT)

    def restart_the_broker(self) -> None:
        """F8 and F9: gone for a while, and empty when it is back."""
        self.redis.process.end()
        time.sleep(1)
        self.redis.private.socket.unlink(missing_ok=True)
        self.redis.process = processes.Process(self.redis.private.command, self.log("redis"))
        assert self.redis.private.wait(), self.redis.process.output

    def deliver_again(self) -> None:
        """F14: every message three times."""
        hints.Broker.down_until = 0.0
        jobs = {("evaluations.work", pk) for pk in Job.objects.values_list("run_id", flat=True)}
        files = {("evaluations.import_file", pk) for pk in Import.objects.values_list("pk", flat=True)}
        for task, pk in 3 * sorted(jobs | files):
            hints.publish(task, (pk,))

    def sweep_ten_times_over(self) -> None:
        """F15: ten sweepers."""
        self.add_sweepers(9)

    def end_connections(self) -> None:
        """F12: the backends of all workers and sweepers are terminated."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


FAULTS = (
    "kill_the_workers",
    "kill_a_child",
    "suspend_a_worker",
    "kill_the_sweeper",
    "flush_the_broker",
    "suspend_the_broker",
    "restart_the_broker",
    "deliver_again",
    "sweep_ten_times_over",
)


def publish_to(url: str, settings, monkeypatch) -> None:
    """Let the hints of this process go to that broker."""
    settings.CELERY_BROKER_URL = url
    monkeypatch.setattr(current_app.conf, "broker_url", url)
    monkeypatch.setattr(hints.Broker, "down_until", 0.0)
