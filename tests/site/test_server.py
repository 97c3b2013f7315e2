"""The web server and slow clients, with small applications; also checks the behaviour of waitress that we rely on."""

import gc
import http.client
import io
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from types import SimpleNamespace

import pytest
import requests
from waitress.adjustments import Adjustments

from evalsite import channel
from evalsite import server as server_module
from evalsite.bodies import ROOM, Body
from evalsite.server import CleaningTask, Server, SpareMemory, listening_socket
from tests import processes

LARGE = 3_000_000
HOUR = 3_600  # seconds, longer than any test
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
FILE_HEAD = HEAD.replace(b"/ ", b"/upload ", 1).replace(
    b"Content", b"Content-Type: multipart/form-data; boundary=x\r\nContent", 1
)


def nothing() -> None:
    pass


# ---- streamed bodies ----


def test_a_body_is_read_in_the_order_it_was_fed():
    body = Body(10, nothing, nothing)
    body.feed(b"01234")
    body.feed(b"56789 and the next request")

    assert (body.read(4), body.read(100), body.read(100)) == (b"0123", b"456789", b"")


def test_a_body_that_is_not_read_wants_no_more():
    has_room = threading.Event()
    body = Body(3 * ROOM, nothing, has_room.set)
    body.feed(bytes(ROOM))
    assert not body.wants_more

    body.read(1)

    assert body.wants_more
    assert has_room.is_set()


def test_a_body_that_is_cut_raises_an_error():
    body = Body(10, nothing, nothing)
    body.feed(b"01234")
    body.cut()

    assert body.read(10) == b"01234"
    with pytest.raises(ConnectionError):
        body.read(10)


# ---- the server ----


@contextmanager
def serve(application: Callable) -> Iterator[tuple[str, int]]:
    server = Server(application, listening_socket("127.0.0.1", 0))
    with running(server):
        yield ("127.0.0.1", int(server.effective_port))


@contextmanager
def running(server: Server) -> Iterator[None]:
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield
    finally:
        server.stop()
        thread.join()
        for threads in (server.pages, server.uploads, server.files, server.probes, server.sign_ins):
            threads.end()


def answer_size(environ, start_response):
    """Read the body and answer with its length."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(len(body)).encode()]


def refuse(environ, start_response):
    start_response("401 Unauthorized", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"no"]


@pytest.fixture
def site():
    with serve(answer_size) as address:
        yield address


def in_pieces(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return iter([b"one", b"two"])


def as_file(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "4")])
    return environ["wsgi.file_wrapper"](io.BytesIO(b"body"))


@pytest.mark.parametrize("application", [answer_size, refuse, in_pieces, as_file])
def test_an_answer_to_head_has_no_body_that_the_next_answer_would_begin_with(application):
    with serve(application) as address, socket.create_connection(address, timeout=60) as client:
        client.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = client.recv(10_000)
        while b"\r\n\r\n" not in received:
            received += client.recv(10_000)
        ends = b"Connection: close" in received
        if not ends:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        following = b"".join(iter(partial(client.recv, 10_000), b""))

    assert received.endswith(b"\r\n\r\n")
    assert following == b"" if ends else following.startswith(b"HTTP/1.1 ")


def assert_answers(address: tuple[str, int]) -> None:
    assert requests.get("http://{}:{}/".format(*address), timeout=60).text == "0"


@pytest.mark.parametrize(
    "beginning",
    [b"GET / HTTP/1.1\r\nHost: loc", HEAD % 500 + b"a", HEAD % LARGE + b"a"],
    ids=["heads", "bodies", "uploads"],
)
def test_two_hundred_slow_clients_delay_nobody(site, monkeypatch, beginning):
    monkeypatch.setattr(channel, "GRACE", HOUR)
    slow = [socket.create_connection(site) for _ in range(200)]
    for client in slow:
        client.sendall(beginning)

    assert_answers(site)
    for client in slow:
        client.close()


@contextmanager
def busy_server(is_held: Callable[[dict[str, object]], bool], request: bytes) -> Iterator[tuple[str, int]]:
    """The address of a server with more such requests, none of which ends, than it has threads for pages."""
    may_end = threading.Event()

    def application(environ, start_response):
        assert not is_held(environ) or may_end.wait(HOUR)
        return answer_size(environ, start_response)

    with serve(application) as address:
        clients = [socket.create_connection(address) for _ in range(2 * server_module.THREADS)]
        for client in clients:
            client.sendall(request)
        try:
            yield address
        finally:
            may_end.set()
            for client in clients:
                client.close()


def test_probes_do_not_wait_behind_pages():
    pages = 2 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    with busy_server(lambda environ: environ["PATH_INFO"] != "/healthz", pages) as address:
        assert requests.get("http://{}:{}/healthz".format(*address), timeout=60).text == "0"


def test_pages_do_not_wait_behind_files():
    """A small file is received whole, but storing it may wait for a storage on another server."""
    with busy_server(lambda environ: environ["PATH_INFO"] != "/", FILE_HEAD % 1 + b"x") as address:
        assert_answers(address)


@pytest.mark.parametrize("path", ["/signin/", "//signin/", "/sign%69n/"])
def test_pages_do_not_wait_behind_passwords(path):
    password = (HEAD % 0).replace(b"/", path.encode(), 1)

    with busy_server(lambda environ: environ["REQUEST_METHOD"] != "GET", password) as address:
        assert_answers(address)


def test_quiet_connections_are_left_alone_while_others_are_served(site, monkeypatch):
    """Handling each of them in every turn of the loop doubled the time of all answers."""
    looks = []
    readable = channel.Channel.readable
    monkeypatch.setattr(channel.Channel, "readable", lambda self: looks.append(self) or readable(self))
    slow = [socket.create_connection(site) for _ in range(200)]
    for client in slow:
        client.sendall(b"GET / HTTP/1.1\r\nHost: loc")

    def looks_at_them() -> int:
        looks.clear()
        for _ in range(5):
            assert_answers(site)
        return len(looks)

    # while connections are accepted, each is handled a few times
    processes.wait_until(lambda: looks_at_them() < 200, "quiet connections are left alone")
    for client in slow:
        client.close()


def test_clients_that_do_not_hang_up_keep_nobody_out(site, monkeypatch):
    monkeypatch.setattr(channel, "GOODBYE", HOUR)
    idle = [socket.create_connection(site) for _ in range(50)]
    for client in idle:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.0 200")

    assert_answers(site)
    for client in idle:
        client.close()


@pytest.mark.parametrize("beginning", [b"GET / HT", HEAD % 500, HEAD % LARGE], ids=["head", "body", "upload"])
def test_a_client_that_sends_a_byte_now_and_then_is_cut_off(site, monkeypatch, beginning):
    monkeypatch.setattr(channel, "GRACE", 0.2)
    with socket.create_connection(site) as client:
        client.sendall(beginning)
        client.settimeout(0.1)
        deadline = time.monotonic() + 30
        while not has_ended(client):
            assert time.monotonic() < deadline, "the server still listens"


def has_ended(client: socket.socket) -> bool:
    try:
        client.sendall(b"a")
        return client.recv(1000) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_a_client_that_keeps_up_has_more_time(site, monkeypatch):
    monkeypatch.setattr(channel, "GRACE", 0)
    monkeypatch.setattr(channel, "SLOWEST", 1)

    assert requests.post("http://{}:{}/".format(*site), data=bytes(LARGE), timeout=60).text == str(LARGE)


def test_a_connection_without_requests_is_closed(site, monkeypatch):
    monkeypatch.setattr(channel, "IDLE", 0.1)
    with socket.create_connection(site, timeout=30) as client:
        assert client.recv(1) == b""


def test_a_large_body_is_streamed_while_it_arrives():
    first = threading.Event()

    def application(environ, start_response):
        body = environ["wsgi.input"]
        body.read(1)
        first.set()
        start_response("200 OK", [])
        return [str(1 + len(body.read())).encode()]

    with serve(application) as address, socket.create_connection(address, timeout=30) as client:
        client.sendall(HEAD % LARGE + bytes(100_000))
        assert first.wait(30)
        client.sendall(bytes(LARGE - 100_000))
        assert http.client.HTTPResponse(client).begin() is None


def test_a_client_that_leaves_ends_the_reading_of_its_body():
    reading, errors = threading.Event(), []
    ended = threading.Event()

    def application(environ, start_response):
        reading.set()
        try:
            environ["wsgi.input"].read()
        except ConnectionError as error:
            errors.append(error)
        ended.set()
        start_response("400 Bad Request", [])
        return [b""]

    with serve(application) as address:
        with socket.create_connection(address) as client:
            client.sendall(HEAD % LARGE)
            assert reading.wait(30)
        assert ended.wait(30)

    assert errors


@pytest.fixture
def searches(monkeypatch):
    """The searches of all objects, by a process in which none has been made."""
    searches = []
    monkeypatch.setattr(gc, "collect", lambda: searches.append("all objects"))
    monkeypatch.setattr(server_module, "spare", SpareMemory())
    return searches


def test_many_large_bodies_stop_all_threads_once_in_a_while(searches, monkeypatch):
    spare = SpareMemory()
    for _ in range(10):
        spare.is_owed = True
        spare.give_back()

    assert len(searches) == 1
    now = time.monotonic()
    monkeypatch.setattr(server_module.time, "monotonic", lambda: now + 11)
    spare.give_back()
    spare.give_back()
    assert len(searches) == 2  # for the bodies since then


@pytest.mark.parametrize(("read", "times"), [(0, 0), (LARGE, 1)])
def test_only_after_a_large_body_was_read_are_all_threads_stopped_for_its_memory(searches, read, times):
    body = Body(LARGE, nothing, nothing)
    body.feed(bytes(LARGE))
    task = CleaningTask(SimpleNamespace(service=lambda: body.read(read), client="", person=""), body)

    with ThreadPoolExecutor(1) as uploads:
        uploads.submit(task.service).result()

    assert len(searches) == times


@pytest.mark.parametrize(("size", "connection"), [(LARGE, "close"), (1_000, None)])
def test_a_body_that_is_refused_unread_does_not_lose_the_answer(size, connection):
    with serve(refuse) as (host, port):
        client = http.client.HTTPConnection(host, port, timeout=60)
        client.request("POST", "/", body=bytes(size))
        answer = client.getresponse()

    assert (answer.status, answer.read(), answer.headers["Connection"]) == (401, b"no", connection)


def test_a_client_that_asks_first_sends_nothing_that_is_refused():
    with serve(refuse) as address, socket.create_connection(address, timeout=30) as client:
        client.sendall((HEAD % LARGE).replace(b"Host", b"Expect: 100-continue\r\nHost"))
        assert client.recv(1000).startswith(b"HTTP/1.1 401")


def test_a_client_that_asks_first_gets_100_continue_when_its_body_is_read(site):
    with socket.create_connection(site, timeout=30) as client:
        client.sendall((HEAD % LARGE).replace(b"Host", b"Expect: 100-continue\r\nHost"))
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(bytes(LARGE))
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_body_without_a_stated_length_is_left_to_the_application():
    request_environment = {}

    def application(environ, start_response):
        request_environment.update(environ)
        return refuse(environ, start_response)

    with serve(application) as (host, port):
        requests.post(f"http://{host}:{port}/", data=iter([b"a", b"b"]), timeout=60)

    assert request_environment["HTTP_TRANSFER_ENCODING"] == "chunked"
    assert "CONTENT_LENGTH" not in request_environment


def test_requests_that_run_are_finished_when_the_server_stops():
    running, go_on = threading.Event(), threading.Event()

    def application(environ, start_response):
        running.set()
        go_on.wait(30)
        return answer_size(environ, start_response)

    server = Server(application, listening_socket("127.0.0.1", 0))
    address = f"http://127.0.0.1:{server.effective_port}/"
    with ThreadPoolExecutor() as pool:
        serving = pool.submit(server.run)
        answer = pool.submit(requests.get, address, timeout=60)
        assert running.wait(30)
        server.stop()
        processes.wait_until(lambda: server.socket.fileno() < 0, "no more connections are taken")
        go_on.set()

        assert answer.result(30).status_code == 200
        serving.result(30)


def test_two_requests_at_once_are_answered_in_order(site):
    with socket.create_connection(site, timeout=30) as client:
        client.sendall(HEAD % 3 + b"abc" + HEAD % LARGE + bytes(LARGE))
        client.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: client.recv(65536), b""))

    assert received.count(b"HTTP/1.1 200 OK") == 2
    assert received.index(b"\r\n\r\n3") < received.index(str(LARGE).encode())


def test_a_client_that_asks_without_reading_is_cut_off():
    calls, hung_up = [], threading.Event()

    def answer_late(environ, start_response):
        calls.append(environ["PATH_INFO"])
        hung_up.wait(60)
        return answer_size(environ, start_response)

    with serve(answer_late) as address, socket.create_connection(address, timeout=60) as client:
        client.sendall(HEAD % 0 * 2 * channel.WAITING)
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""
        hung_up.set()

    assert len(calls) <= 1  # the first may be cut off before a thread takes it


def answer_to(address: tuple[str, int], request: bytes) -> tuple[int, bytes]:
    """The status and body of the answer to what is sent."""
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(request)
        answer = http.client.HTTPResponse(client)
        answer.begin()
        return answer.status, answer.read()


ENCODED = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: br\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"no request\r\n\r\n", 400, "bad_request"),
        (b"get / HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"GET http://[::1/ HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nno header\r\n\r\n", 400, "bad_request"),
        (HEAD % 2**60, 413, "body_too_large"),
        (b"GET / HTTP/1.1\r\nCookie: " + b"x" * 70_000, 431, "head_too_large"),
        (ENCODED, 501, "unsupported_transfer_encoding"),
    ],
    ids=["words", "lower-case", "bytes", "address", "header", "body", "head", "encoding"],
)
def test_a_request_that_cannot_be_read_is_refused_in_the_shape_of_the_api(site, request_bytes, status, code):
    received_status, body = answer_to(site, request_bytes)
    error = json.loads(body)["error"]

    assert (received_status, error["code"]) == (status, code)
    assert set(error) == {"code", "message", "hint", "request_id"}


def test_the_log_has_the_id_of_a_refused_request(site, caplog):
    _, body = answer_to(site, ENCODED)

    assert json.loads(body)["error"]["request_id"] in caplog.text


def test_an_application_that_fails_is_answered_in_the_shape_of_the_api():
    def fail(environ, start_response):
        raise ZeroDivisionError

    with serve(fail) as address:
        status, body = answer_to(address, HEAD % 0)

    assert (status, json.loads(body)["error"]["code"]) == (500, "internal_error")


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_a_client_that_asks_first_and_has_no_body_is_answered(site, method):
    request = method + b" / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n"

    assert answer_to(site, request) == (200, b"0")


def test_a_client_that_asks_first_and_cannot_be_read_is_refused(site):
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: some\r\n\r\n"

    assert answer_to(site, head)[0] == 400


@pytest.mark.parametrize(
    ("hosts", "host"),
    [(b"Host: a\r\n", "b"), (b"", None), (b"Host: a\r\nHost: b\r\n", "a, b")],
    ids=["one", "none", "two"],
)
def test_the_host_of_a_whole_address_counts_if_there_is_one_host_header(hosts, host):
    """Django refuses a request with no host, or with two."""
    hosts_noted = []

    def note_host(environ, start_response):
        hosts_noted.append(environ.get("HTTP_HOST"))
        return answer_size(environ, start_response)

    with serve(note_host) as address:
        answer_to(address, b"GET http://b/ HTTP/1.1\r\n" + hosts + b"\r\n")

    assert hosts_noted == [host]


def test_requests_beyond_the_limit_of_waiting_ones_are_not_parsed(monkeypatch):
    parsed, hung_up = [], threading.Event()
    parse = channel.Parser.parse_header
    monkeypatch.setattr(
        channel.Parser, "parse_header", lambda self, head: parsed.append(1) or parse(self, head)
    )

    def answer_late(environ, start_response):
        hung_up.wait(60)
        return answer_size(environ, start_response)

    with serve(answer_late) as address, socket.create_connection(address, timeout=60) as client:
        with suppress(ConnectionError):
            client.sendall(HEAD % 0 * 5_000)
            assert client.recv(1) == b""
        hung_up.set()

    assert len(parsed) < channel.WAITING + channel.PIECE / len(HEAD)


# ---- what one client can hold ----


def connect(address: tuple[str, int], client: str = "127.0.0.1") -> socket.socket:
    """A connection from one of the machine's loopback addresses."""
    return socket.create_connection(address, timeout=60, source_address=(client, 0))


def is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_more_connections_than_a_client_may_have_replace_its_oldest_idle_ones(monkeypatch):
    monkeypatch.setattr(server_module, "OF_ONE_CLIENT", 20)
    with serve(answer_size) as address:
        neighbour = connect(address, "127.0.0.2")
        idle = [connect(address) for _ in range(60)]
        for client in idle:
            client.sendall(b"G")

        assert_answers(address)
        processes.wait_until(lambda: sum(map(is_open, idle)) <= 20, "the oldest are closed")
        assert is_open(idle[-1])
        assert is_open(neighbour)


def test_a_site_full_of_idle_connections_serves_new_ones(monkeypatch):
    """Of the client with most connections, the oldest makes room."""
    monkeypatch.setattr(server_module, "CONNECTIONS", 30)
    with serve(answer_size) as address:
        neighbour = connect(address, "127.0.0.2")
        idle = [connect(address, "127.0.0.3") for _ in range(60)]

        assert_answers(address)
        processes.wait_until(lambda: sum(map(is_open, idle)) <= 30, "the oldest are closed")
        assert is_open(neighbour)


def test_a_connection_that_is_served_is_never_replaced(monkeypatch):
    monkeypatch.setattr(server_module, "OF_ONE_CLIENT", 4)
    running, may_end = threading.Event(), threading.Event()

    def application(environ, start_response):
        running.set()
        assert may_end.wait(60)
        return answer_size(environ, start_response)

    with serve(application) as address, connect(address) as served:
        served.sendall(HEAD % 0)
        assert running.wait(60)
        idle = [connect(address) for _ in range(10)]
        processes.wait_until(lambda: sum(map(is_open, idle)) <= 4, "others are closed")
        may_end.set()
        assert served.recv(100).startswith(b"HTTP/1.1 200")


def test_behind_a_proxy_the_client_is_the_one_it_names(monkeypatch, settings):
    """All connections come from the proxy; requests in progress of one client do not count for another one."""
    monkeypatch.setattr(server_module, "OF_ONE_CLIENT", 5)
    settings.TRUSTED_PROXIES = 1
    unfinished = b"POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\nContent-Length: 9\r\n\r\na"
    with serve(answer_size) as address:
        neighbour = connect(address)
        neighbour.sendall(unfinished % b"192.0.2.7")
        crowd = [connect(address) for _ in range(20)]
        for client in crowd:
            client.sendall(unfinished % b"192.0.2.8")

        processes.wait_until(lambda: sum(map(is_open, crowd)) == 5, "the oldest of the crowd are closed")
        assert is_open(neighbour)
        assert_answers(address)


@pytest.mark.long
def test_uploads_of_one_client_leave_threads_for_those_of_others():
    may_end = threading.Event()

    def application(environ, start_response):
        assert environ["REMOTE_ADDR"] == "127.0.0.2" or may_end.wait(60)
        return answer_size(environ, start_response)

    with serve(application) as address:
        slow = [connect(address) for _ in range(2 * server_module.UPLOADS)]
        for client in slow:
            client.sendall(HEAD % LARGE)
        with connect(address, "127.0.0.2") as other:
            other.sendall(HEAD % LARGE + bytes(LARGE))
            assert other.recv(100).startswith(b"HTTP/1.1 200")
        may_end.set()


@pytest.mark.long
def test_a_small_file_does_not_wait_behind_slow_uploads_of_its_own_address():
    may_end = threading.Event()

    def application(environ, start_response):
        assert int(environ["CONTENT_LENGTH"]) < LARGE or may_end.wait(60)
        return answer_size(environ, start_response)

    with serve(application) as address:
        slow = [connect(address) for _ in range(60)]
        for client in slow:
            client.sendall(HEAD % LARGE)
        with connect(address) as editor:
            editor.sendall(FILE_HEAD % 30 + bytes(30))
            assert editor.recv(100).startswith(b"HTTP/1.1 200")
        may_end.set()


def trickling(address: tuple[str, int], keys: int, count: int) -> list[socket.socket]:
    """Uploads of several people behind one address, of which only the beginning arrives."""
    slow = [connect(address) for _ in range(count)]
    for number, client in enumerate(slow):
        client.sendall(as_person(HEAD % LARGE, number % keys) + bytes(1000))
    return slow


def as_person(head: bytes, key: int) -> bytes:
    return head.replace(b"Host", b"Authorization: Bearer %d\r\nHost" % key, 1)


def assert_uploads(address: tuple[str, int], key: int) -> None:
    with connect(address) as editor:
        editor.sendall(as_person(HEAD % LARGE, key) + bytes(LARGE))
        assert editor.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.long
def test_a_large_file_does_not_wait_behind_slow_uploads_of_somebody_at_its_address():
    with serve(answer_size) as address:
        slow = trickling(address, keys=1, count=60)

        assert_uploads(address, 7)
        assert all(map(is_open, slow))


@pytest.mark.long
def test_slow_uploads_make_way_for_others_at_their_address(monkeypatch):
    monkeypatch.setattr(channel, "SETTLED", 0.5)
    with serve(answer_size) as address:
        slow = trickling(address, keys=5, count=60)

        time.sleep(1)
        assert_uploads(address, 7)
        assert sum(map(is_open, slow)) >= 40


@pytest.mark.long
def test_uploads_that_are_not_slow_make_no_way(monkeypatch):
    monkeypatch.setattr(channel, "SETTLED", 0.2)
    monkeypatch.setattr(server_module, "GIVES_WAY", 0)
    with serve(answer_size) as address:
        slow = trickling(address, keys=5, count=60)
        waiting = connect(address)
        waiting.sendall(as_person(HEAD % LARGE, 7))
        time.sleep(2)

        assert all(map(is_open, slow))


@pytest.mark.long
def test_more_slow_uploads_than_connections_of_an_address_leave_room_for_its_newest(monkeypatch):
    monkeypatch.setattr(server_module, "OF_ONE_CLIENT", 30)
    with serve(answer_size) as address:
        slow = trickling(address, keys=1, count=40)

        assert_answers(address)
        assert_uploads(address, 7)
        assert sum(map(is_open, slow)) < 30


def test_a_body_waits_with_its_client_until_the_application_asks_for_it():
    """It may be that of a stranger, which is refused unread: memory is for those who may send it."""
    may_read, asked = threading.Event(), threading.Event()

    def application(environ, start_response):
        asked.set()
        assert may_read.wait(60)
        return answer_size(environ, start_response)

    server = Server(application, listening_socket("127.0.0.1", 0))
    with running(server), connect(("127.0.0.1", int(server.effective_port))) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)
        client.sendall(HEAD % LARGE)
        assert asked.wait(60)
        sending = threading.Thread(target=client.sendall, args=[bytes(LARGE)])
        sending.start()
        (channel_of_client,) = server.active_channels.values()
        processes.wait_until(lambda: channel_of_client.body.is_held_up, "the body waits")
        assert LARGE - channel_of_client.body.missing <= 2 * channel.LARGE
        may_read.set()
        sending.join(60)
        assert client.recv(100).startswith(b"HTTP/1.1 200")


# ---- unread answers ----

EXPORT = 12 * 1024 * 1024  # bytes, part of which the system buffers


def answer_or_export(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    chunk = bytes(64 * 1024)
    return [chunk] * (EXPORT // len(chunk)) if environ["PATH_INFO"] == "/export" else [b"0"]


@pytest.fixture
def exporting(monkeypatch):
    """A running server that answers /export, and whose threads would wait for readers early, if at all."""
    monkeypatch.setattr(Adjustments, "outbuf_high_watermark", channel.MOST_AHEAD)
    monkeypatch.setattr(channel, "STALLED", 600)
    server = Server(answer_or_export, listening_socket("127.0.0.1", 0))
    with running(server):
        yield server


def ask_for_export(server: Server) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(("127.0.0.1", int(server.effective_port)))
    client.sendall(b"GET /export HTTP/1.0\r\nHost: localhost\r\n\r\n")
    return client


def received(client: socket.socket) -> int:
    """Bytes of the answer's body until the connection ends."""
    with client, suppress(ConnectionResetError):
        answer = b"".join(iter(lambda: client.recv(1024 * 1024), b""))
        return len(answer.partition(b"\r\n\r\n")[2])
    return 0


@pytest.mark.long
def test_more_slow_readers_than_threads_delay_nobody_and_get_everything(exporting):
    slow = [ask_for_export(exporting) for _ in range(server_module.THREADS + 1)]

    # with a thread for each of them, no answer would come
    assert_answers(("127.0.0.1", int(exporting.effective_port)))
    assert {received(client) for client in slow} == {EXPORT}


@pytest.mark.long
def test_when_the_disk_is_full_of_answers_slow_readers_are_cut_off(exporting, monkeypatch):
    monkeypatch.setattr(server_module, "UNREAD", 0)
    slow = [ask_for_export(exporting) for _ in range(server_module.THREADS + 1)]
    processes.wait_until(
        lambda: len(exporting.active_channels) == server_module.WAITERS, "the others are cut off"
    )

    assert_answers(("127.0.0.1", int(exporting.effective_port)))
    assert [received(client) for client in slow].count(EXPORT) == server_module.WAITERS


@pytest.mark.long
def test_a_client_that_reads_nothing_of_its_answer_is_cut_off(exporting, monkeypatch):
    monkeypatch.setattr(channel, "STALLED", 0.1)
    with ask_for_export(exporting) as client:
        processes.wait_until(lambda: exporting.active_channels, "the client is served")
        processes.wait_until(lambda: not exporting.active_channels, "the client is cut off")
        assert received(client) < EXPORT


# ---- the site's application ----


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """The address of a web server on an empty database."""
    folder, port = tmp_path_factory.mktemp("web"), processes.unused_port()
    env = {
        "DATABASE_URL": f"sqlite:///{folder}/evalsite.sqlite3",
        "EVALSITE_DATA": str(folder),
        "PORT": str(port),
    }
    collect = [sys.executable, "-m", "evalsite", "collectstatic", "--noinput", "--verbosity", "0"]
    assert processes.Process(collect, folder / "collect.log", **env).wait(60) == 0
    running = processes.Process([sys.executable, "-m", "evalsite.server"], folder / "web.log", **env)
    running.wait_for("Serving pages at")
    yield "127.0.0.1", port
    running.end()


@pytest.mark.processes
def test_strangers_get_the_answer_of_the_api_before_they_send_a_large_body(web):
    answer = requests.post(
        f"http://{web[0]}:{web[1]}/api/v1/datasets/",
        data=bytes(LARGE),
        headers={"Content-Type": "multipart/form-data"},
        timeout=180,
    )

    assert (answer.status_code, answer.headers["Connection"]) == (401, "close")
    assert answer.json()["error"]["code"] == "unauthorized"


@pytest.mark.processes
@pytest.mark.parametrize("form", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_strangers_send_no_large_body_to_a_page(web, form):
    """Not even with a CSRF cookie, with which Django reads the body to check its token."""
    address = f"http://{web[0]}:{web[1]}/signin/"
    headers = {"Content-Type": form, "Cookie": f"csrf={'c' * 32}"}

    assert requests.post(address, data=bytes(8_193), headers=headers, timeout=60).status_code == 413


@pytest.mark.processes
def test_strangers_send_no_form_of_parts(web):
    """Their beginnings would be parsed while they arrive, in one of the threads that receive uploads."""
    answer = requests.post(f"http://{web[0]}:{web[1]}/signin/", files={"username": b"a"}, timeout=60)

    assert answer.status_code == 413


@pytest.mark.processes
def test_a_request_without_a_host_is_refused(web):
    with socket.create_connection(web, timeout=30) as client:
        client.sendall(b"GET /signin/ HTTP/1.1\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400")
