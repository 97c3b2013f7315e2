"""Calls through a proxy, and servers whose certificate a company's own authority signed."""

import socket
import ssl
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from evaluations.clients import Guard, ServiceError
from evaluations.clients.chat_client import ChatClient
from evaluations.clients.way_out import WayOut, address_of
from tests.clients.chat import reply

BODY = {"model": "m", "messages": [{"role": "user", "content": "?"}]}


class Proxy:
    """A CONNECT proxy on loopback. Whatever a client names, it connects to `target`."""

    def __init__(self, target, answer=b"HTTP/1.1 200 Connection established\r\n\r\n"):
        self.target, self.answer, self.heads = target, answer, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://user:p%40ss@127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        with client:
            self.heads.append(client.recv(4_096).decode())
            client.sendall(self.answer)
            if b" 200 " not in self.answer:
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                other = threading.Thread(target=self.copy, args=(server, client), daemon=True)
                other.start()
                self.copy(client, server)
                other.join()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65_536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@pytest.fixture
def proxy_to():
    proxies = []

    def start(target, **options):
        proxies.append(Proxy(target, **options))
        return proxies[-1]

    yield start
    for proxy in proxies:
        proxy.listener.close()


@contextmanager
def client_of(url, guard):
    client = ChatClient(url, "k-secret-123", guard, connections=2)
    try:
        yield client
    finally:
        client.close()


@dataclass
class Company:
    """Files of an authority, and of a certificate that it signed for localhost."""

    authority: Path
    certificate: Path
    key: Path


def signed(name, by=None):
    """A certificate and its key, signed by another pair, or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by[0].subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )
    return builder.sign(by[1] if by else key, hashes.SHA256()), key


@pytest.fixture
def company(tmp_path):
    authority = signed("company")
    certificate, key = signed("localhost", by=authority)
    files = Company(*(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")))
    pem = serialization.Encoding.PEM
    files.authority.write_bytes(authority[0].public_bytes(pem))
    files.certificate.write_bytes(certificate.public_bytes(pem))
    plain = serialization.NoEncryption()
    files.key.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return files


def names(addresses):
    """A resolver that knows these names."""

    def resolve(host, port, **_):
        if host not in addresses:
            raise socket.gaierror("unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (addresses[host], port))]

    return resolve


@pytest.mark.parametrize(
    "known", [{"models.example": "8.8.8.8"}, {}], ids=["public", "only the proxy knows it"]
)
def test_a_server_is_called_through_the_proxy(serve, proxy_to, known):
    proxy = proxy_to(serve(lambda request: reply()).port)
    guard = Guard(resolver=names(known), out=WayOut(proxy.url))

    with client_of("http://models.example/v1", guard) as client:
        assert client.answer(BODY, 5).text == "Paris"

    assert proxy.heads[0].splitlines()[:3] == [
        "CONNECT models.example:80 HTTP/1.1",
        "Host: models.example:80",
        "Proxy-Authorization: Basic dXNlcjpwQHNz",
    ]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("metadata.google.internal", "8.8.8.8"),
        ("169.254.169.254", None),
        ("inside.example", "10.0.0.7"),
        ("10.0.0.7", None),
    ],
)
def test_the_guard_holds_with_a_proxy(proxy_to, host, address):
    proxy = proxy_to(1)
    guard = Guard(resolver=names({host: address} if address else {}), out=WayOut(proxy.url))

    with client_of(f"http://{host}/v1", guard) as client, pytest.raises(ServiceError) as caught:
        client.answer(BODY, 5)

    assert caught.value.code == "address_not_allowed"
    assert proxy.heads == []


def test_hosts_that_are_named_are_called_without_the_proxy(serve, proxy_to):
    stub, proxy = serve(lambda request: reply()), proxy_to(1)
    guard = Guard(["gpu.corp.example", "127.0.0.1"], names({"gpu.corp.example": "127.0.0.1"}))
    guard.out = WayOut(proxy.url, (".corp.example",))

    with client_of(f"http://gpu.corp.example:{stub.port}/v1", guard) as client:
        assert client.answer(BODY, 5).text == "Paris"

    assert proxy.heads == []


@pytest.mark.parametrize(
    ("direct", "host", "needs"),
    [
        ((), "api.openai.com", True),
        ((), "localhost", False),
        ((), "127.0.0.1", False),
        (("*",), "api.openai.com", False),
        ((".corp.example",), "a.corp.example", False),
        (("corp.example",), "a.corp.example", False),
        (("corp.example",), "notcorp.example", True),
        (("corp.example:8080",), "corp.example", True),
        (("corp.example:443",), "CORP.example.", False),
        (("10.0.0.0/8",), "10.1.2.3", False),
        (("10.0.0.0/8",), "11.1.2.3", True),
        (("", "."), "api.openai.com", True),
    ],
)
def test_which_hosts_need_the_proxy(direct, host, needs):
    assert WayOut("http://proxy:3128", direct).needs_proxy(host, 443) == needs


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (
            b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "proxy_refused",
            "another user name or password",
        ),
        (b"HTTP/1.1 401 Unauthorized\r\n\r\n", "proxy_refused", "another user name or password"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "unreachable", "do not allow models.example or port 80"),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "unreachable", "it answered 502"),
        (b"", "unreachable", "closed the connection"),
        (b"x" * 20_000, "unreachable", "closed the connection"),
    ],
)
def test_a_proxy_that_refuses_is_named(proxy_to, answer, code, words):
    proxy = proxy_to(1, answer=answer)
    guard = Guard(resolver=names({}), out=WayOut(proxy.url))

    with client_of("http://models.example/v1", guard) as client, pytest.raises(ServiceError) as caught:
        client.answer(BODY, 5)

    assert caught.value.code == code
    assert words in caught.value.message
    assert "p@ss" not in caught.value.message


@pytest.mark.parametrize(
    "proxy", ["https://proxy:1", "proxy:3128", "socks5://proxy", "http://", "http://p/x"]
)
def test_a_proxy_that_cannot_be_used_is_refused(proxy):
    with pytest.raises(ValueError, match=r"."):
        address_of(proxy)


def test_a_certificate_of_the_companys_own_authority_is_trusted(serve, company):
    stub = serve(lambda request: reply())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(company.certificate, company.key)
    stub._server.socket = context.wrap_socket(stub._server.socket, server_side=True)
    url = f"https://localhost:{stub.port}/v1"
    allowed, resolver = ["localhost"], names({"localhost": "127.0.0.1"})

    with client_of(url, Guard(allowed, resolver)) as client, pytest.raises(ServiceError) as caught:
        client.answer(BODY, 5)
    with client_of(url, Guard(allowed, resolver, WayOut(ca_file=str(company.authority)))) as client:
        answer = client.answer(BODY, 5)

    assert "certificate" in caught.value.message
    assert "EVALSITE_CA_FILE" in caught.value.message
    assert answer.text == "Paris"
