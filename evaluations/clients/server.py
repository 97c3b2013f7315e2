"""Single calls to one OpenAI-compatible server; no error contains the key."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx2

from evaluations.clients import answers, failures, keys, outbound, rate_limits
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.rate_limits import Left
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

    def chat(self, body: dict[str, Any], seconds: float) -> tuple[Any, Left | None]:
        """The parsed answer to a `chat/completions` request, without the key, and what is left of the server's limits.

        The body is sent unchanged.
        """
        response = self._official.post("/chat/completions", body, seconds)
        answer = self._mask.answer(answers.parsed(self._accepted(response)))
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
