"""Sends a GET call for a person who pastes a key, and shows what a program would get.

The call goes to the view itself, with the key alone: neither the cookie nor the rights of the person's session go with
it, so it can do nothing that the key cannot.
"""

import io
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote, urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import resolve

from evaluations.linear import Pattern

from .reference import Operation, operations

MOST = 100_000  # bytes of an answer that are shown
NAME = Pattern(r"\{(\w+)\}")
DROPPED = ("HTTP_COOKIE", "HTTP_X_CSRFTOKEN", "CONTENT_TYPE", "HTTP_REFERER", "HTTP_ORIGIN")


@dataclass(frozen=True)
class Sent:
    """What came back: `text` has the first bytes of the answer, pretty if it is JSON; `is_cut` if there are more."""

    address: str
    status: int
    milliseconds: int
    headers: dict[str, str]
    text: str
    is_cut: bool

    @property
    def meaning(self) -> str:
        return HTTPStatus(self.status).phrase


def sendable() -> dict[str, Operation]:
    """The operations that can be sent, by id: those that change nothing."""
    every = (operation for members in operations().values() for operation in members)
    return {operation.id: operation for operation in every if operation.method == "GET"}


def address_of(operation: Operation, values: Mapping[str, str]) -> str:
    """The address of a call with these values of its parameters; those of the query that are empty are left out."""
    path = NAME.sub(lambda found: quote(values.get(found[1], ""), safe=""), operation.path)
    in_path = {found[1] for found in NAME.finditer(operation.path)}
    asked = [(name, value) for name, value in values.items() if name not in in_path and value]
    return f"{path}?{urlencode(asked)}" if asked else path


def send(request: HttpRequest, address: str, key: str) -> Sent:
    """Send GET `address` with this key from the address of the reader; streams end after what is shown of them."""
    path, _, query = address.partition("?")
    match = resolve(path)
    asked = WSGIRequest(_environment(request, path, query, key))
    asked.resolver_match = match
    begun = time.monotonic()
    answer: HttpResponseBase = match.func(asked, *match.args, **match.kwargs)
    if isinstance(answer, HttpResponse) and callable(render := getattr(answer, "render", None)):
        answer = render()
    body = b"".join(_first(answer))
    took = round(1000 * (time.monotonic() - begun))
    # not closed: that would end the request of the reader; a stream that is let go ends by itself
    text, is_cut = body[:MOST].decode(errors="replace"), len(body) > MOST
    return Sent(
        address, answer.status_code, took, dict(answer.items()), text if is_cut else _pretty(text), is_cut
    )


def _environment(request: HttpRequest, path: str, query: str, key: str) -> dict[str, Any]:
    own = {name: value for name, value in request.META.items() if name not in DROPPED}
    return {
        **own,
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": "0",
        "wsgi.input": io.BytesIO(),
        "HTTP_ACCEPT": "application/json, */*",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
    }


def _first(answer: HttpResponseBase) -> Iterator[bytes]:
    """The parts of the body until more than what is shown has come."""
    is_stream = isinstance(answer, StreamingHttpResponse)
    parts = cast(Iterable[bytes], answer if is_stream else [cast(HttpResponse, answer).content])
    size = 0
    for part in parts:
        yield part
        size += len(part)
        if size > MOST:
            return


def _pretty(text: str) -> str:
    """JSON with a line for each value; any other text as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
