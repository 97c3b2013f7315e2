import socket
import sys
import time

import pytest
import requests

from evalsite import patience
from evalsite.patience import PatientSocket
from tests import processes


class Clock:
    now = 0.0


@pytest.fixture
def clock(monkeypatch) -> Clock:
    set_by_hand = Clock()
    monkeypatch.setattr(patience.time, "monotonic", lambda: set_by_hand.now)
    return set_by_hand


@pytest.fixture
def ends():
    """Two ends of a connection: the server's and the client's."""
    server, client = socket.socketpair()
    with server, client:
        yield server, client


def test_what_comes_fast_enough_is_read(ends):
    server, client = ends
    client.sendall(b"body")

    assert PatientSocket(server).recv(10) == b"body"
    assert server.gettimeout() is None


def test_who_sends_a_byte_now_and_then_is_cut_off_when_the_grace_is_over(ends, clock):
    server, client = ends
    slow = PatientSocket(server)
    for clock.now in (1.0, 10.0, 19.0):
        client.sendall(b"x")
        assert slow.recv(10) == b"x"

    clock.now = 21.0
    client.sendall(b"x")
    with pytest.raises(TimeoutError):
        slow.recv(10)


def test_who_keeps_up_has_more_time(ends, clock):
    server, client = ends
    fast = PatientSocket(server)
    for clock.now in (10.0, 20.0, 30.0):
        client.sendall(bytes(100_000))
        received = 0
        while received < 100_000:
            received += len(fast.recv(100_000))


def test_who_sends_nothing_more_is_waited_for_until_then(ends, monkeypatch):
    server, _ = ends
    monkeypatch.setattr(patience, "GRACE", 0.05)

    with pytest.raises(TimeoutError):
        PatientSocket(server).recv(10)
    assert server.gettimeout() is None


def test_a_client_that_is_let_go_has_the_answer_and_is_waited_for_no_more(ends, monkeypatch):
    server, client = ends
    monkeypatch.setattr(patience, "GOODBYE", 0.05)
    client.sendall(b"a body that nobody read")
    server.sendall(b"answer")

    patience.let_go(server)

    assert (client.recv(100), client.recv(100)) == (b"answer", b"")
    server.settimeout(60)
    assert server.recv(100) == b""


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """The address of a web server on an empty database."""
    folder, port = tmp_path_factory.mktemp("web"), processes.unused_port()
    env = {
        "DATABASE_URL": f"sqlite:///{folder}/evalsite.sqlite3",
        "EVALSITE_DATA": str(folder),
        "PORT": str(port),
    }
    command = [sys.executable, "-m", "gunicorn", "-c", "python:evalsite.gunicorn"]
    running = processes.Process(command, folder / "web.log", **env)
    running.wait_for("Listening at:")
    yield "127.0.0.1", port
    running.end()


@pytest.mark.processes
def test_clients_that_do_not_hang_up_keep_nobody_out(web):
    """They asked for the end of the connection; two seconds for each of them would be twenty."""
    idle = [socket.create_connection(web) for _ in range(10)]
    for client in idle:
        client.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    for client in idle:
        assert client.recv(100).startswith(b"HTTP/1.0 200")

    began = time.monotonic()
    answer = requests.get("http://{}:{}/healthz".format(*web), timeout=60)

    assert answer.status_code == 200
    assert time.monotonic() - began < 5
    for client in idle:
        client.close()


@pytest.mark.processes
@pytest.mark.parametrize(("size", "ends"), [(1_000_000, "close"), (1_000, "keep-alive")])
def test_who_is_refused_before_a_large_body_is_read_is_told_to_connect_anew(web, size, ends):
    address = "http://{}:{}/api/v1/datasets/".format(*web)

    answer = requests.post(
        address, data=bytes(size), headers={"Content-Type": "multipart/form-data"}, timeout=60
    )

    assert answer.status_code == 401
    assert answer.headers["Connection"] == ends
