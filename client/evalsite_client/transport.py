"""Calls of the REST API: retried if safe, streamed in both directions; refusals become exceptions."""

import io
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

import httpx2

from .backoff import Backoff, retry_after
from .errors import EvalsiteError, Refused, Unreachable
from .settings import Settings

ROOT = "/api/v1/"
NOT_MODIFIED = 304
RETRIED = {429, 500, 502, 503, 504}  # not 507, because a full disk outlasts any retry
WITHOUT_ANSWER = 5.0  # seconds of patience with an address at which nothing ever answered: it may be wrong
SECONDS = httpx2.Timeout(120.0, connect=10.0)

T = TypeVar("T")
Query = Mapping[str, str | int | float | None]
Build = Callable[[], httpx2.Request]
OnBytes = Callable[[int, int], object]  # bytes so far, total bytes


class Transport:
    """One site, with one key and one pool of connections.

    Every POST carries an Idempotency-Key that its retries repeat, so the server does nothing twice.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        patience: float = 60.0,
        on_retry: Callable[[str], object] = lambda reason: None,
        agent: str = "evalsite-client",
    ) -> None:
        self.settings, self.patience, self.on_retry = settings, patience, on_retry
        headers = {"Authorization": f"Bearer {settings.key}", "User-Agent": agent}
        self.has_answered = False
        self.http = httpx2.Client(headers=headers, timeout=SECONDS)

    def close(self) -> None:
        self.http.close()

    def get(self, path: str, query: Query | None = None, *, patience: float | None = None) -> Any:
        """The answer to a GET, as JSON; `patience` in seconds, by default the transport's."""
        return self._retried(lambda: self._request("GET", path, query), _parsed, patience)

    def post(self, path: str, body: Any = None, *, patience: float | None = None) -> Any:
        """The answer to a POST of JSON; `patience` in seconds, by default the transport's."""
        return self._sent("POST", path, body, _idempotency_header(), patience)

    def put(self, path: str, body: Any) -> Any:
        """The answer to a PUT of JSON, which does the same however often it is sent."""
        return self._sent("PUT", path, body, {})

    def patch(self, path: str, body: Any) -> Any:
        """The answer to a PATCH of JSON, which does the same however often it is sent."""
        return self._sent("PATCH", path, body, {})

    def delete(self, path: str) -> None:
        """Send a DELETE."""
        self._sent("DELETE", path, None, {})

    def _sent(
        self, method: str, path: str, body: Any, headers: dict[str, str], patience: float | None = None
    ) -> Any:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        return self._retried(
            lambda: self._request(method, path, content=content, headers=headers), _parsed, patience
        )

    def if_changed(self, path: str, etag: str, seconds: float | None) -> tuple[str, Any]:
        """The ETag and the answer to a GET, or None for an answer with this ETag.

        With `seconds`, one attempt that may take so long; otherwise retried like every call.
        """
        headers = {"If-None-Match": etag} if etag else {}

        def build() -> httpx2.Request:
            timeout = SECONDS if seconds is None else httpx2.Timeout(seconds)
            return self._request("GET", path, headers=headers, timeout=timeout)

        def receive(answer: httpx2.Response) -> tuple[str, Any]:
            is_same = answer.status_code == NOT_MODIFIED
            return answer.headers.get("ETag", ""), None if is_same else _parsed(answer)

        return self._retried(build, receive, None if seconds is None else 0.0)

    def upload(
        self, path: str, file: Path, fields: Mapping[str, str], on_bytes: OnBytes | None = None
    ) -> Any:
        """The answer to a POST of a form with a file, which is read while it is being sent."""
        headers = _idempotency_header()
        with _CountedFile(file, on_bytes) as content:
            form: dict[str, Any] = {"data": dict(fields), "files": {"file": (file.name, content)}}
            return self._retried(lambda: self._request("POST", path, headers=headers, **form), _parsed)

    def rows(self, path: str, query: Query | None = None) -> Iterator[dict[str, Any]]:
        """All rows of a list, page by page."""
        page = self.get(path, query)
        while True:
            yield from page["results"]
            if page["next"] is None:
                return
            page = self.get(self._below(page["next"]))

    def download(self, path: str, query: Query, target: IO[bytes], on_bytes: OnBytes | None = None) -> int:
        """Write an answer into a file that can be truncated for a retry; returns the number of bytes."""

        def receive(answer: httpx2.Response) -> int:
            target.seek(0)
            target.truncate()
            return _copy(answer, target, on_bytes)

        return self._retried(lambda: self._request("GET", path, query), receive)

    def _retried(
        self, build: Build, receive: Callable[[httpx2.Response], T], patience: float | None = None
    ) -> T:
        """The result of `receive` for the first response that needs no retry."""
        patience = self.patience if patience is None else patience
        backoff = Backoff(patience)
        noted = ""
        while True:
            problem: EvalsiteError
            try:
                with closing(self.http.send(build(), stream=True)) as answer:
                    self.has_answered = True
                    refusal = _refusal(answer)
                    if refusal is None:
                        return receive(answer)
                    if answer.status_code not in RETRIED:
                        raise refusal
                    problem, seconds = refusal, retry_after(answer.headers.get("Retry-After"))
            except httpx2.TransportError as error:
                problem, seconds = self._unreachable(error), None
                if isinstance(error, httpx2.ConnectError) and not self.has_answered:
                    backoff.patience = min(patience, WITHOUT_ANSWER)
            if str(problem) != noted:  # a long outage is logged once
                noted = str(problem)
                self.on_retry(f"{noted if noted.endswith(('.', '?')) else noted + '.'} Trying again.")
            if not backoff.wait(seconds):
                raise problem

    def _unreachable(self, error: httpx2.TransportError) -> Unreachable:
        doubt = "" if self.has_answered else ". Is the address right?"
        return Unreachable(f"No answer from {self.settings.url}: {str(error) or type(error).__name__}{doubt}")

    def _request(self, method: str, path: str, query: Query | None = None, **options: Any) -> httpx2.Request:
        params = {name: value for name, value in (query or {}).items() if value is not None}
        return self.http.build_request(
            method, self.settings.url + ROOT + path, params=params or None, **options
        )

    def _below(self, link: str) -> str:
        """The part of a link after /api/v1/, because the key is sent to the site of the settings and nowhere else."""
        parts = urlsplit(link)
        return f"{parts.path.partition(ROOT)[2]}?{parts.query}"


def _idempotency_header() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


def _parsed(answer: httpx2.Response) -> Any:
    content = answer.read()
    try:
        return json.loads(content) if content else None
    except ValueError:
        message = f"{answer.url} did not answer with JSON. Is it the address of an Evalsite site?"
        raise Refused(answer.status_code, {"code": "not_json", "message": message}) from None


def _refusal(answer: httpx2.Response) -> Refused | None:
    """The refusal in a response with status 300 or above; None for other responses."""
    status = answer.status_code
    if answer.is_success or status == NOT_MODIFIED:
        return None
    if answer.has_redirect_location:
        message = f"{answer.url} is now {answer.headers['Location']}: use that address."
        return Refused(status, {"code": "moved", "message": message})
    try:
        error = json.loads(answer.read())["error"]
        return Refused(status, {"code": error["code"], "message": error["message"]} | error)
    except (ValueError, KeyError, TypeError):
        message = f"{answer.url} answered {status} {answer.reason_phrase}."
        return Refused(status, {"code": "http_error", "message": message})


def _copy(answer: httpx2.Response, target: IO[bytes], on_bytes: OnBytes | None) -> int:
    total, size = int(answer.headers.get("Content-Length") or 0), 0
    for piece in answer.iter_bytes():
        target.write(piece)
        size += len(piece)
        if on_bytes:
            on_bytes(size, max(total, size) if total else 0)
    return size


class _CountedFile(io.FileIO):
    """A file that reports how far it was read."""

    def __init__(self, path: Path, on_bytes: OnBytes | None) -> None:
        super().__init__(path)
        self.on_bytes, self.size = on_bytes, os.fstat(self.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(-1 if size is None else size) or b""
        if self.on_bytes:
            self.on_bytes(self.tell(), self.size)
        return content
