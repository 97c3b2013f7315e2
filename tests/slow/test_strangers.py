"""Nobody holds what is shared: beside attacks from one address, probes and an editor's upload are served as when idle.

Times are compared with those of the same requests before and after the attack, because the machine may be busy.
"""

import http.client
import os
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle, islice

import pytest

from evalsite.channel import SETTLED
from tests.faults.site import Site

from .test_soak import anonymous_memory

pytestmark = pytest.mark.slow
ATTACKER, OTHER = "127.0.0.1", "127.0.0.2"
REQUESTS = 20
MORE_MEMORY = 100.0  # MB
TIMES, SLACK = 2.0, 0.02  # a time beside an attack may be so many times that without, and some seconds more
PIECE, EVERY = bytes(6_000), 0.5  # what a slow client sends, and seconds between two pieces
FORM = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'


def upload(rows: int) -> bytes:
    """A form with a file of so many rows, and a new name."""
    file = b"question,answer\n" + b"what is the answer to this,this\n" * rows
    name = FORM % (b"name", b"", b"n%d" % time.monotonic_ns())
    return name + FORM % (b"file", b'; filename="a.csv"', file) + b"--x--\r\n"


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[Site, str, list[str]]]:
    """The site, the credentials of an editor, and those of four others."""
    running = Site(os.environ.get("SOAK_DATABASE", "sqlite"))
    try:
        client = running.begin()
        made = running.manage(*[["apikey", "create", "--project=default", "--scope=write"]] * 4)
        yield running, client.http.headers["Authorization"], [f"Bearer {key}" for key in made.split()]
    finally:
        running.end()


def ask(port: int, origin: str, method: str, path: str, body: bytes = b"", **headers: str) -> float:
    """The seconds that a request from an address took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(origin, 0))
    began = time.monotonic()
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status < 300, (answer.status, path)
    return time.monotonic() - began


def measured(port: int, key: str, origin: str) -> dict[str, float]:
    """The medians of the seconds of a probe and of an editor's small and large upload, asked alternately."""
    times: dict[str, list[float]] = {"probe": [], "upload": [], "large upload": []}
    for _ in range(REQUESTS):
        times["probe"].append(ask(port, origin, "GET", "/healthz"))
        for name, rows in (("upload", 1), ("large upload", 5_000)):
            fields = {"Authorization": key, "Content_Type": "multipart/form-data; boundary=x"}
            times[name].append(ask(port, origin, "POST", "/api/v1/datasets/", upload(rows), **fields))
    return {name: statistics.median(seconds) for name, seconds in times.items()}


@contextmanager
def attack(port: int, count: int, heads: Sequence[bytes], sends: bool) -> Iterator[None]:
    """So many connections that send a head, and then a little now and then, or nothing."""
    sockets, is_over = [], threading.Event()

    def send_on() -> None:
        while not is_over.wait(EVERY):
            for one in sockets:
                with suppress(OSError):
                    one.send(PIECE)

    for head in islice(cycle(heads), count):
        one = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(ATTACKER, 0))
        sockets.append(one)
        with suppress(OSError):
            one.sendall(head)
        one.setblocking(False)
    sender = threading.Thread(target=send_on)
    if sends:
        sender.start()
    try:
        yield
    finally:
        is_over.set()
        if sends:
            sender.join()
        for one in sockets:
            one.close()


def post(path: str, kind: str, length: int, more: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n"
    return f"{head}{more}\r\n".encode()


PARTS = "multipart/form-data; boundary=x"
CSRF = f"Cookie: csrf={'c' * 32}\r\n"
FIELDS = "application/x-www-form-urlencoded"
ATTACKS: dict[str, tuple[int, Callable[[str], bytes], bool]] = {
    "60 slow uploads of strangers": (60, lambda key: post("/signin/", PARTS, 900_000, CSRF), True),
    "60 slow uploads of members": (
        60,
        lambda key: post("/api/v1/datasets/", PARTS, 900_000, f"Authorization: {key}\r\n"),
        True,
    ),
    "300 slow uploads of members": (
        300,
        lambda key: post("/api/v1/datasets/", PARTS, 900_000, f"Authorization: {key}\r\n"),
        True,
    ),
    "2 100 idle connections": (2_100, lambda key: b"G", False),
    "1 200 unfinished sign-ins": (1_200, lambda key: post("/signin/", FIELDS, 490_000, CSRF), True),
}


@pytest.mark.parametrize("origin", [OTHER, ATTACKER], ids=["other address", "same address"])
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_delays_nobody(site, name, origin):
    running, key, others = site
    count, head, sends = ATTACKS[name]
    web = running.running["web"][0].popen.pid
    before, memory = measured(running.port, key, origin), anonymous_memory(web)
    with attack(running.port, count, [head(other) for other in others], sends):
        time.sleep(SETTLED)
        beside, most = measured(running.port, key, origin), anonymous_memory(web)
    after = measured(running.port, key, origin)

    idle = {what: max(before[what], after[what]) for what in before}
    figures = ", ".join(f"{what} {beside[what] / idle[what]:.2f} times {idle[what]:.3f} s" for what in idle)
    sys.stdout.write(f"{name}: {figures}; {most - memory:+.0f} MB\n")
    assert all(beside[what] <= TIMES * idle[what] + SLACK for what in idle), figures
    assert most - memory <= MORE_MEMORY
