"""A client of the site's API that retries; tests observe every fault through it."""

import json
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx2

LOOK_EVERY = 0.2  # seconds between two polls
PATIENCE = 120  # seconds for which a request is repeated
# thousands of polls of a run would hide the cause of a failure
logging.getLogger("httpx2").setLevel(logging.WARNING)


class Client:
    """Requests with a key. Every refusal must have the common shape (I8), whatever fails."""

    def __init__(self, address: str, key: str) -> None:
        self.address = address
        headers = {"Authorization": f"Bearer {key}"}
        self.http = httpx2.Client(base_url=f"{address}/api/v1/", headers=headers, timeout=60, trust_env=False)

    def once(self, method: str, path: str, **content: Any) -> httpx2.Response:
        """One request, whatever the answer; raises `httpx2.TransportError` when there is none."""
        response = self.http.request(method, path, **content)
        if response.status_code >= 400:
            assert_well_formed(response)
        return response

    def ask(self, method: str, path: str, **content: Any) -> Any:
        """Repeat a request until it is answered; a write keeps its idempotency key."""
        headers = {"Idempotency-Key": uuid.uuid4().hex} if method == "POST" else {}
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                response = self.once(method, path, headers=headers, **content)
            except httpx2.TransportError as problem:
                response = problem
            if isinstance(response, httpx2.Response) and response.status_code < 400:
                return response.json() if response.content else None
            assert may_be_repeated(response), f"{method} {path}: {in_words(response)}"
            assert time.monotonic() < deadline, f"{method} {path}, for {PATIENCE} s: {in_words(response)}"
            time.sleep(0.1)

    def get(self, path: str, **query: Any) -> Any:
        return self.ask("GET", path, **({"params": query} if query else {}))

    def post(self, path: str, body: Any = None) -> Any:
        return self.ask("POST", path, json=body)

    def upload(self, path: str, content: bytes, **fields: Any) -> Any:
        texts = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()
        }
        return self.ask("POST", path, files={"file": ("rows.jsonl", content)}, data=texts)

    def pages(self, path: str, size: int = 1_000) -> Iterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        page = self.get(path, page_size=size)
        yield from page["results"]
        while page["next"]:
            page = self.get(page["next"])
            yield from page["results"]

    def export(self, run: int, kind: str) -> str:
        response = self.once("GET", f"runs/{run}/export/", params={"format": kind})
        assert response.status_code == 200, in_words(response)
        return response.text

    def is_ready(self) -> bool:
        """Whether `/readyz` says that pages are served and work is taken."""
        try:
            return httpx2.get(f"{self.address}/readyz", timeout=5, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False

    def wait_for(self, path: str, condition: Callable[[Any], bool], seconds: float = PATIENCE) -> Any:
        """Poll the object at `path` until the condition holds; returns it."""
        deadline = time.monotonic() + seconds
        while not condition(state := self.get(path)):
            assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {path} is {state}"
            time.sleep(LOOK_EVERY)
        return state


def assert_well_formed(response: httpx2.Response) -> None:
    """I8: a refusal is JSON with a code and a sentence, and reveals nothing internal."""
    assert response.headers["Content-Type"].startswith("application/json"), in_words(response)
    response.read()
    error = response.json()["error"]
    assert error["code"], in_words(response)
    assert error["message"], in_words(response)
    assert error["request_id"], in_words(response)
    assert not any(word in response.text for word in ("Traceback", "SELECT ", ".py", "evk_")), in_words(
        response
    )
    assert response.status_code != 500, in_words(response)
    if response.status_code == 503:
        assert int(response.headers["Retry-After"]) > 0


def may_be_repeated(response: httpx2.Response | httpx2.TransportError) -> bool:
    """Whether the problem is temporary: no connection, or no database."""
    return isinstance(response, httpx2.TransportError) or response.status_code == 503


def in_words(response: httpx2.Response | httpx2.TransportError) -> str:
    if isinstance(response, httpx2.TransportError):
        return repr(response)
    return f"{response.status_code} {response.text[:500]}"
