"""Outbound requests: limits on time and size, redirects, and the environment."""

import gzip
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from evaluations.clients import Guard, ServiceError, outbound
from tests.clients.stub import Reply, json_reply

LOCAL = Guard(["127.0.0.1"])
HOUR = 3_600.0  # seconds, longer than any test


@pytest.fixture
def http():
    client = outbound.client(LOCAL, max_bytes=10_000)
    yield client
    client.close()


def fetch(http, stub, reply, seconds=5.0):
    stub.models = reply
    return http.get(stub.url + "/models", timeout=seconds)


def failure(http, stub, reply, seconds=5.0):
    with pytest.raises(ServiceError) as failed:
        fetch(http, stub, reply, seconds)
    return failed.value


@pytest.mark.parametrize(
    ("encoding", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)]
)
def test_a_compressed_answer_is_read(http, serve, encoding, compress):
    answer = fetch(http, serve(), Reply(compress(b'{"a": 1}'), headers={"Content-Encoding": encoding}))

    assert answer.json() == {"a": 1}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b" " * 10_001),
        Reply(gzip.compress(b" " * 10_000_000, mtime=0), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["plain", "bomb"],
)
def test_an_answer_that_is_too_large_is_cut_off(http, serve, reply):
    assert failure(http, serve(), reply).code == "too_large"


def test_a_bomb_is_never_unpacked_as_a_whole(http, serve):
    stub, bomb = serve(), Reply(gzip.compress(b" " * 8_000_000), headers={"Content-Encoding": "gzip"})
    tracemalloc.start()

    failure(http, stub, bomb)

    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


def test_an_answer_of_just_the_limit_is_read(http, serve):
    assert len(fetch(http, serve(), Reply(b" " * 10_000)).content) == 10_000


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_an_encoding_that_cannot_be_read_is_a_bad_answer(http, serve, encoding):
    assert (
        failure(http, serve(), Reply(b"\x1f\x8bxx", headers={"Content-Encoding": encoding})).code
        == "bad_answer"
    )


@pytest.mark.parametrize(
    "reply",
    [
        Reply(headers={"Content-Length": "4000"}, drip=0.05),
        Reply(headers={"Content-Length": "4000"}, drip=30),
    ],
    ids=["drip", "hang"],
)
def test_the_time_limit_is_for_the_whole_answer(http, serve, reply):
    error = failure(http, serve(), reply, seconds=0.3)

    assert (error.code, error.permanent) == ("timeout", False)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(http, serve, status):
    stub, elsewhere = serve(), serve()

    error = failure(http, stub, json_reply({}, status, Location=elsewhere.url + "/models"))

    assert (error.code, error.permanent) == ("redirect", True)
    assert elsewhere.headers == []


def test_half_an_answer_is_a_broken_connection(http, serve):
    error = failure(http, serve(), Reply(b"half", headers={"Content-Length": "8", "Connection": "close"}))

    assert (error.code, error.permanent) == ("unreachable", False)


def test_a_closed_port_is_unreachable(http, serve):
    stub = serve()
    stub.close()

    with pytest.raises(ServiceError) as failed:
        http.get(stub.url, timeout=1)

    assert failed.value.code == "unreachable"


def test_proxies_of_the_environment_are_not_used(monkeypatch, serve):
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    client = outbound.client(LOCAL)

    assert client.get(serve().url + "/models", timeout=5).status_code == 200
    client.close()


def test_tls_asks_for_the_certificate_of_the_host_not_of_the_address():
    """The stream that httpcore wraps in TLS is ours, and the name it is given is the URL's."""
    handshakes = []

    class Raw:
        def start_tls(self, context, name, seconds):
            handshakes.append((name, seconds <= 5))
            return self

    token = outbound._LEFT.set(outbound._Left(outbound.time.monotonic() + 5, 0))
    outbound._DeadlineStream(Raw()).start_tls(None, "api.example")
    outbound._LEFT.reset(token)

    assert handshakes == [("api.example", True)]


@contextmanager
def flooding(first: bytes, again: bytes) -> Iterator[str]:
    """The address of a server that sends `first` and then `again` until the client has had enough."""

    def flood() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(first)
            while True:
                connection.sendall(again)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100),
        (CHUNKED, b"1;" + b"a" * 8_000 + b"\r\na\r\n"),
        (CHUNKED, b"1\r\na\r\n" * 100),
        (CHUNKED + b"ffffffff\r\n", b"a" * 1_000),
    ],
    ids=["answers before the answer", "words around a body", "tiny parts", "a chunk that never ends"],
)
def test_a_server_that_never_stops_is_left(http, monkeypatch, first, again):
    monkeypatch.setattr(outbound, "MOST_PARTS", 1_000)

    with flooding(first, again) as address, pytest.raises(ServiceError) as failed:
        http.get(address, timeout=HOUR)

    assert failed.value.code == "too_large"
