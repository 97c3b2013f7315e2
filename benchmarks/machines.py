"""Machines made of Linux network namespaces: each has an address of its own, and its cable can be pulled.

They share processors, memory and disk, so they show what several hosts do to one another, not what several cost.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.site import descendants, processor_seconds

KEEP = "trap 'kill $!; wait $!; exit' TERM; while :; do \"$@\" & wait $!; sleep 1; done"
NETWORK = "10.213.77"  # this machine is .1


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Machine:
    """A namespace with one address, in which programs run."""

    def __init__(self, hub: str, name: str, number: int, folder: Path) -> None:
        self.hub, self.name, self.address = hub, name, f"{NETWORK}.{number}"
        self.namespace, self.port = f"{hub}-{name}", f"p{number}"
        self.folder = folder / name
        self.folder.mkdir()
        self.programs: list[subprocess.Popen[bytes]] = []
        ip("netns", "add", self.namespace)
        ip(
            "-n",
            hub,
            "link",
            "add",
            self.port,
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            self.namespace,
        )
        ip("-n", hub, "link", "set", self.port, "master", "bridge", "up")
        ip("-n", self.namespace, "addr", "add", f"{self.address}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            ip("-n", self.namespace, "link", "set", link, "up")

    def start(self, command: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a program; its output goes to a file in the folder of the machine."""
        inside = ["ip", "netns", "exec", self.namespace, *command]
        with (self.folder / "log").open("ab") as log:
            program = subprocess.Popen(inside, env=os.environ | variables, stdout=log, stderr=log)
        self.programs.append(program)
        return program

    def keep(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        """Start a program, and again whenever it ends, as systemd, Docker and `evalsite up` do."""
        self.start(["sh", "-c", KEEP, "keep", *command], variables)

    def processor_seconds(self) -> float:
        """What its programs have used so far, with their children."""
        return sum(processor_seconds(pid) for program in self.programs for pid in tree(program))

    def cut_off(self) -> None:
        """Pull the cable: packets vanish, and no connection is told."""
        ip("-n", self.hub, "link", "set", self.port, "down")

    def connect(self) -> None:
        ip("-n", self.hub, "link", "set", self.port, "up")

    def stop(self) -> None:
        for program in self.programs:
            program.terminate()
        for program in self.programs:
            try:
                program.wait(timeout=40)
            except subprocess.TimeoutExpired:
                program.kill()
        self.programs.clear()


def tree(program: subprocess.Popen[bytes]) -> list[int]:
    """A program and its descendants; none if it has ended."""
    for _ in range(100):
        with suppress(FileNotFoundError, ProcessLookupError):  # one of them has just ended
            return [program.pid, *descendants(program.pid)] if program.poll() is None else []
    return [program.pid]


@contextmanager
def machines(names: Sequence[str], folder: Path) -> Iterator[dict[str, Machine]]:
    """Connect machines of these names to one switch, and this machine as well."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise SystemExit("Several hosts on one machine need Linux, root and the program `ip` (iproute2).")
    hub = f"ev{os.getpid()}"
    made: dict[str, Machine] = {}
    ip("netns", "add", hub)
    try:
        ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        ip("-n", hub, "link", "set", "bridge", "up")
        ip("link", "add", hub, "type", "veth", "peer", "name", "p1", "netns", hub)
        ip("-n", hub, "link", "set", "p1", "master", "bridge", "up")
        ip("addr", "add", f"{NETWORK}.1/24", "dev", hub)
        ip("link", "set", hub, "up")
        for number, name in enumerate(names, start=2):
            made[name] = Machine(hub, name, number, folder)
        yield made
    finally:
        for machine in reversed(made.values()):
            machine.connect()
            machine.stop()
        for namespace in (*(machine.namespace for machine in made.values()), hub):
            subprocess.run(["ip", "netns", "del", namespace], check=False)


def wait_for(what: str, is_there: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > deadline:
            raise SystemExit(f"Not within {seconds:.0f} s: {what}")
        time.sleep(0.1)
