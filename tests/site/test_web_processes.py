"""Web processes behind one socket: shared, watched, ended when they hang and started again."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import requests

from evalsite.pulses import Pulses
from evaluations.access.shares import share
from tests import processes

# A small application in two processes, of which /hang holds the interpreter for ever.
SITE = """
import os, re, sys
from functools import partial
import django
django.setup()
from evalsite import server
from evalsite.pulses import Pulses
from evalsite.web_processes import WebProcesses

def application(environ, start_response):
    if environ["PATH_INFO"] == "/hang":
        re.match("(a+)+$", "a" * 60 + "b")
    if environ["PATH_INFO"] == "/fail":
        os._exit(3)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]

pulses = Pulses(2)
listener = server.listening_socket("127.0.0.1", int(sys.argv[1]))
serve = partial(server.serve, application, listener, pulses)
print("Serving", flush=True)
sys.exit(not WebProcesses(serve, pulses, hangs=6).keep(listener))
"""


class Site:
    def __init__(self, folder: Path) -> None:
        self.port = processes.unused_port()
        self.process = processes.Process([sys.executable, "-c", SITE, str(self.port)], folder / "web.log")
        self.process.wait_for("Serving")

    def ask(self, path: str = "/", timeout: float = 30) -> int:
        """The process that answered; each request has a connection of its own."""
        return int(requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=timeout).text)

    def children(self) -> set[int]:
        """The web processes that run now."""
        parent = psutil.Process(self.process.popen.pid)
        return {child.pid for child in parent.children() if processes.is_alive(child)}


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    running = Site(tmp_path)
    processes.wait_until(lambda: len(running.children()) == 2, "both processes run")
    yield running
    running.process.end()


def hang_up(site: Site) -> None:
    with suppress(requests.RequestException):
        site.ask("/hang")


@pytest.mark.processes
def test_a_process_that_hangs_is_ended_and_replaced_while_the_other_serves(site):
    before = site.children()
    threading.Thread(target=hang_up, args=[site], daemon=True).start()
    time.sleep(1)  # it hangs by then; what it had accepted before is lost with it

    slowest = 0.0
    while "is killed" not in site.process.output:
        began = time.monotonic()
        assert site.ask() in before
        slowest = max(slowest, time.monotonic() - began)

    assert slowest < 4, (
        "the other process served all the time, and did not wait for the end of the one that hung"
    )
    processes.wait_until(lambda: len(site.children()) == 2 and site.children() != before, "another process")
    assert "in application" in site.process.output, "the log says what it was doing"


@pytest.mark.processes
def test_connections_that_stay_are_divided_among_the_processes(site):
    sessions = [requests.Session() for _ in range(8)]

    served_by = [int(session.get(f"http://127.0.0.1:{site.port}/", timeout=30).text) for session in sessions]

    assert {served_by.count(pid) for pid in site.children()} <= {3, 4, 5}


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_ends_is_started_again_and_the_others_stay(site, number):
    ended, stays = sorted(site.children())

    psutil.Process(ended).send_signal(number)

    processes.wait_until(
        lambda: stays in site.children() and len(site.children() - {ended}) == 2, "a new one"
    )
    assert site.ask() in site.children()


@pytest.mark.processes
def test_sigterm_ends_all_of_them(site):
    children = site.children()

    site.process.send(signal.SIGTERM)

    assert site.process.wait() == 0
    assert not [pid for pid in children if psutil.pid_exists(pid)]


@pytest.mark.processes
def test_they_end_with_their_parent(site):
    children = site.children()

    site.process.send(signal.SIGKILL)

    site.process.wait()
    processes.wait_until(lambda: not [pid for pid in children if psutil.pid_exists(pid)], "they ended")


def test_limits_are_divided_among_processes_and_rounded_up(settings):
    settings.WEB_PROCESSES = 3

    assert [share(limit) for limit in (16, 1, 6)] == [6, 1, 2]


def test_a_pulse_tells_how_late_its_event_loop_was(monkeypatch):
    now = [600.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pulses = Pulses(2)
    pulses.begin(1)
    pulses.beat(1, 3.0, connections=7)
    now[0] += 60
    pulses.beat(1, 0.1, connections=5)

    assert (pulses.delay(1), pulses.read(1).connections) == (3.0, 5)
    now[0] += 60
    pulses.beat(1, 0.1, connections=5)
    assert pulses.delay(1) == pytest.approx(0.1)


def test_a_pulse_that_stops_is_a_delay(monkeypatch):
    now = [600.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pulses = Pulses(1)
    pulses.begin(0)

    now[0] += 11

    assert (pulses.silence(0), pulses.delay(0)) == (11, 10)
