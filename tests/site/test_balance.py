"""Several servers on one socket: who takes the next connection, and that nobody waits for it."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from evalsite import pulses as pulses_module
from evalsite import server as server_module
from evalsite.balance import OneOfSeveral
from evalsite.pulses import Pulses
from evalsite.server import Server, listening_socket
from tests.site.test_server import answer_size, running

HOUR = 3_600.0  # seconds, longer than any test
ENOUGH = 60.0  # seconds


@pytest.fixture
def servers(monkeypatch) -> Iterator[list[Server]]:
    """Two servers on one socket that look around only when something wakes them."""
    monkeypatch.setattr(server_module, "TURN", HOUR)
    monkeypatch.setattr(pulses_module, "LIVE", HOUR)
    pulses, listener = Pulses(2), listening_socket("127.0.0.1", 0)
    for index in range(2):
        pulses.begin(index)
    # a server that ends closes its socket
    both = [Server(answer_size, listener.dup(), 2, OneOfSeveral(pulses, index)) for index in range(2)]
    with ExitStack() as stack:
        for server in both:
            stack.enter_context(running(server))
        try:
            yield both
        finally:
            monkeypatch.undo()  # a server that still waits would end in an hour
    listener.close()


def test_a_burst_of_connections_waits_for_no_turn_and_is_shared(servers):
    address = "127.0.0.1", int(servers[0].effective_port)
    burst = [socket.create_connection(address, timeout=ENOUGH) for _ in range(100)]

    for one in burst:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answers = [one.recv(1024) for one in burst]

    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
    assert {len(server.clients) for server in servers} <= set(range(45, 56))
    for one in burst:
        one.close()


def test_a_server_wakes_the_others_once_when_it_begins_to_give_way():
    pulses = Pulses(2)
    for index in range(2):
        pulses.begin(index)
    server = OneOfSeveral(pulses, 0)

    assert [server.has_many(connections) for connections in (1, 5, 6, 0, 5)] == [
        False,
        True,
        True,
        False,
        True,
    ]
    assert pulses.alarms[1].recv(1024) == b"!!"
