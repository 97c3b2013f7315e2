"""The only HTTP client for connections: checks addresses, and limits time and size."""

import ssl
import time
import zlib
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

from evaluations.clients import hanging_up, way_out
from evaluations.clients.addresses import Guard
from evaluations.clients.service_error import ServiceError

MAX_BYTES = 8 * 1024 * 1024
HEAD = 256 * 1024  # bytes before a body, so that answers before the answer end
AROUND = 2  # bytes that may arrive for each of a body: chunks have sizes around them
# OpenSSL's codes of a chain that ends at no trusted certificate
UNKNOWN_AUTHORITY = {18, 19, 20, 21}
OWN_AUTHORITY = (
    "If an authority of your own signed it, the operator of this site names its file in EVALSITE_CA_FILE."
)
MOST_PARTS = 250_000  # of a body: reading so many small chunks takes seconds, in which other calls wait


@dataclass
class _Left:
    """What a request may still take: until when on the monotonic clock, and how many bytes from the server."""

    until: float
    size: int

    def seconds(self) -> float:
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            raise httpcore2.ReadTimeout("the time limit of this request has passed")
        return seconds

    def take(self, data: bytes) -> bytes:
        self.size -= len(data)
        if self.size < 0:
            raise _transient("too_large", "The server sends too much around its answer.")
        return data


_LEFT: ContextVar[_Left] = ContextVar("left")
# what is told each part of a body when it arrives, unless the body is compressed
LISTENER: ContextVar[Callable[[bytes], None] | None] = ContextVar("listener", default=None)


def client(guard: Guard, *, max_bytes: int = MAX_BYTES, connections: int = 4) -> httpx2.Client:
    """An httpx2 client that follows no redirects and ignores the environment.

    The `timeout` of a request is the time for all of it, from resolving the name to the last byte, and
    `max_bytes` limits a body before and after decompression. Every failure is a ServiceError.
    """
    transport = GuardedTransport(guard, max_bytes, connections)
    return httpx2.Client(transport=transport, trust_env=False, headers={"Accept-Encoding": "gzip"})


class GuardedTransport(httpx2.BaseTransport):
    def __init__(self, guard: Guard, max_bytes: int, connections: int) -> None:
        self._max_bytes = max_bytes
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_certificates(guard.out.ca_file),
            max_connections=connections,
            keepalive_expiry=30.0,
            network_backend=_GuardedBackend(guard),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        seconds = request.extensions["timeout"]["read"]
        token = _LEFT.set(_Left(time.monotonic() + seconds, HEAD))
        try:
            return self._answer(request, seconds)
        except httpcore2.TimeoutException as error:
            raise _transient(
                "timeout", f"{request.url.host} did not answer within {_seconds(seconds)}."
            ) from error
        except httpcore2.ConnectError as error:
            raise _transient("unreachable", _why_unreachable(request.url, error)) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            hanging_up.raise_if_ended()
            message = f"{request.url.host} closed the connection without a complete answer."
            raise _transient("unreachable", message) from error
        finally:
            hanging_up.release()
            _LEFT.reset(token)

    def close(self) -> None:
        self._pool.close()

    def _answer(self, request: httpx2.Request, seconds: float) -> httpx2.Response:
        answer = self._pool.handle_request(_for_pool(request, seconds))
        _LEFT.get().size += AROUND * self._max_bytes
        try:
            headers = httpx2.Headers(answer.headers)
            is_heard = 200 <= answer.status < 300 and "Content-Encoding" not in headers
            body = self._read(answer.stream, LISTENER.get() if is_heard else None)
        finally:
            hanging_up.release()
            answer.close()
        if 300 <= answer.status < 400:
            raise ServiceError(
                "The server redirects to another address. Enter that address instead.",
                permanent=True,
                code="redirect",
            )
        body = self._unpacked(body, headers.get("Content-Encoding", "identity").strip().lower())
        for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
            headers.pop(name, None)
        return httpx2.Response(answer.status, headers=headers, content=body, request=request)

    def _read(self, stream: Any, listen: Callable[[bytes], None] | None) -> bytes:
        body = bytearray()
        for number, part in enumerate(stream):
            body += part
            if listen:
                listen(part)
            if len(body) > self._max_bytes:
                raise self._too_large()
            if number >= MOST_PARTS:
                raise _transient("too_large", "The server's answer arrives in too many parts.")
        return bytes(body)

    def _unpacked(self, body: bytes, encoding: str) -> bytes:
        if encoding in ("", "identity"):
            return body
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise _transient("bad_answer", "The server answered in an encoding that was not requested.")
        try:
            unpacked = zlib.decompressobj(wbits=47).decompress(body, self._max_bytes + 1)
        except zlib.error as error:
            raise _transient("bad_answer", "The server's compressed answer cannot be read.") from error
        if len(unpacked) > self._max_bytes:
            raise self._too_large()
        return unpacked

    def _too_large(self) -> ServiceError:
        size = self._max_bytes // (1024 * 1024)
        return ServiceError(
            f"The server's answer is larger than {size} MB.", permanent=False, code="too_large"
        )


def _for_pool(request: httpx2.Request, seconds: float) -> httpcore2.Request:
    url = request.url
    return httpcore2.Request(
        method=request.method,
        url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), seconds)},
    )


class _GuardedBackend(httpcore2.NetworkBackend):
    """Connects to an address that the guard has checked; the Host header and the TLS name stay those of the URL."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        if self._guard.out.needs_proxy(host, port):
            return self._through_proxy(host, port, socket_options)
        failure: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in self._guard.addresses(host, port, _seconds_left()):
            try:
                return _DeadlineStream(
                    self._sockets.connect_tcp(str(address), port, _seconds_left(), None, socket_options)
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError("no address")

    def _through_proxy(
        self, host: str, port: int, socket_options: Iterable[Any] | None
    ) -> httpcore2.NetworkStream:
        self._guard.check_for_proxy(host, port, _seconds_left())
        proxy = self._guard.out.proxy
        try:
            stream = self._sockets.connect_tcp(
                *way_out.address_of(proxy), _seconds_left(), None, socket_options
            )
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise _transient("unreachable", "The proxy of this site cannot be reached.") from error
        limited = _DeadlineStream(stream)
        try:
            way_out.tunnel(limited, host, port, proxy)
        except BaseException:
            limited.close()
            raise
        return limited


class _DeadlineStream(httpcore2.NetworkStream):
    """Limits every read and write to what is left of time and bytes, so that a slow drip and a flood end in time."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._hold()
        return _LEFT.get().take(self._stream.read(max_bytes, _seconds_left()))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._hold()
        for start in range(0, len(buffer), 65_536):
            self._stream.write(buffer[start : start + 65_536], _seconds_left())

    def _hold(self) -> None:
        hanging_up.hold(self._stream.get_extra_info("socket"))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, _seconds_left()))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


@lru_cache(maxsize=4)
def _certificates(ca_file: str) -> ssl.SSLContext:
    """The system's trusted certificates and those of a file; cached, because loading takes a fifth of a second."""
    context: ssl.SSLContext = httpx2.create_ssl_context(trust_env=False)
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context


def _seconds_left() -> float:
    return _LEFT.get().seconds()


def _why_unreachable(url: httpx2.URL, error: httpcore2.ConnectError) -> str:
    """The cause of a failed connection in words, from the error of the system or of TLS."""
    port = url.port or (443 if url.scheme == "https" else 80)
    cause = error.args[0] if error.args else None  # The pool does not set `__cause__`.
    if isinstance(cause, ConnectionRefusedError):
        return f"{url.host} refused the connection: nothing listens on port {port}."
    if isinstance(cause, ssl.SSLCertVerificationError):
        message = f"The TLS certificate of {url.host} is not valid: {cause.verify_message}."
        return f"{message} {OWN_AUTHORITY}" if cause.verify_code in UNKNOWN_AUTHORITY else message
    if isinstance(cause, ssl.SSLError):
        return f"{url.host} does not speak TLS on port {port}: does the URL begin with http://?"
    return f"{url.host} cannot be reached on port {port}: there is no route to it."


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds >= 2 else f"{seconds:.1f} s"


def _transient(code: str, message: str) -> ServiceError:
    return ServiceError(message, permanent=False, code=code)
