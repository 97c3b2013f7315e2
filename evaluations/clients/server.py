"""Single calls to one OpenAI-compatible server; no error contains the key."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx2

from evaluations.clients import answers, failures, hanging_up, keys, outbound, rate_limits, streams
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.rate_limits import Left
from evaluations.clients.service_error import ServiceError
from evaluations.clients.streams import Stream
from evaluations.clients.way import PLAIN, Way

if TYPE_CHECKING:
    from evaluations.clients.official import Official

MAX_BYTES = 32 * 1024 * 1024  # 256 embeddings of 4 096 numbers, written out as text


class Server:
    """One server with one key, called by many threads; every call is one request: nothing is retried here."""

    def __init__(self, base_url: str, api_key: str, guard: Guard, connections: int, way: Way = PLAIN) -> None:
        keys.check_key(api_key)
        self._mask = keys.Mask(api_key, *way.secrets)
        self._http = outbound.client(guard, max_bytes=MAX_BYTES, connections=connections)
        official = import_module("evaluations.clients.official")  # on first use, because it takes a second
        self._official: Official = official.Official(base_url, api_key, way, self._http)

    def close(self) -> None:
        self._http.close()

    def embeddings(
        self, model: str, texts: list[str], dimensions: int | None, seconds: float
    ) -> tuple[list[Vector], int]:
        """The vectors of these texts, in their order, and the tokens used."""
        body: dict[str, Any] = {"model": model, "input": texts, "encoding_format": "base64"}
        if dimensions is not None:
            body["dimensions"] = dimensions
        response = self._official.post("/embeddings", body, seconds)
        return answers.vectors(self._accepted(response, is_batch=True), len(texts))

    def chat(
        self, body: dict[str, Any], seconds: float, stream: Stream | None = None
    ) -> tuple[Any, Left | None]:
        """The parsed answer to a `chat/completions` request, without the key, and what is left of the server's limits.

        The body is sent unchanged. With a `stream`, the server is asked to send the answer piece by piece, and the
        stream has each when it arrives; a server that refuses this is asked once more without.
        """
        if stream is None:
            return self._chat(body, seconds)
        token = hanging_up.CALL.set(stream.call)
        try:
            return self._streamed(body, seconds, stream)
        except ServiceError as error:
            if not (error.is_free and error.permanent and "stream" in error.message.lower()):
                raise
            return self._chat(body, seconds)
        finally:
            hanging_up.CALL.reset(token)

    def _streamed(self, body: dict[str, Any], seconds: float, stream: Stream) -> tuple[Any, Left | None]:
        stream.mask = self._mask.answer
        token = outbound.LISTENER.set(stream.feed)
        try:
            return self._chat(body | streams.REQUEST, seconds)
        finally:
            outbound.LISTENER.reset(token)

    def _chat(self, body: dict[str, Any], seconds: float) -> tuple[Any, Left | None]:
        response = self._official.post("/chat/completions", body, seconds)
        content = self._accepted(response)
        parsed = streams.assembled(content) if streams.is_stream(content) else answers.parsed(content)
        answer = self._mask.answer(parsed)
        if error := failures.in_answer(answer):
            raise error
        return answer, rate_limits.left_of(response.headers)

    def models(self, seconds: float) -> list[str]:
        """The names of the models that the server lists."""
        names = answers.model_names(self._accepted(self._official.get("/models", seconds)))
        return [self._mask.answer(name) for name in names]

    def _accepted(self, response: httpx2.Response, *, is_batch: bool = False) -> bytes:
        """The body of a response; raises `ServiceError` for a status that reports a failure."""
        if not response.is_success:
            raise failures.of_response(response, self._mask, is_batch=is_batch)
        return response.content
