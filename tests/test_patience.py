import socket

import pytest

from evalsite import patience
from evalsite.patience import PatientSocket


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
