"""Single calls to one OpenAI-compatible server; no error contains the key."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx2

from evaluations.clients import answers, keys, outbound
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.service_error import ServiceError
from evaluations.clients.way import PLAIN, Way

if TYPE_CHECKING:
    from evaluations.clients.official import Official

MAX_BYTES = 32 * 1024 * 1024  # 256 embeddings of 4 096 numbers, written out as text

CODES = {
    400: "refused",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    408: "unavailable",
    409: "unavailable",
    413: "too_many",
    422: "too_many",
    425: "unavailable",
    429: "rate_limited",
}
# Sentences about the server, by the status of its response.
PHRASES = {
    401: "rejected the API key",
    403: "denied access with this API key",
    404: "has no such path or model",
    429: "asked for fewer calls",
}
ADVICE = {
    404: " – check the model, and that the base URL ends where the API begins, usually with /v1",
}


class Server:
    """One server with one key, called by many threads; every call is one request: nothing is retried here."""

    def __init__(self, base_url: str, api_key: str, guard: Guard, connections: int, way: Way = PLAIN) -> None:
        keys.check_key(api_key)
        self._mask = keys.Mask(api_key)
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
        return answers.vectors(self._accepted(self._official.post("/embeddings", body, seconds)), len(texts))

    def chat(self, body: dict[str, Any], seconds: float) -> Any:
        """The parsed answer to a `chat/completions` request, without the key; the body is sent unchanged."""
        response = self._official.post("/chat/completions", body, seconds)
        return self._mask.answer(answers.parsed(self._accepted(response)))

    def models(self, seconds: float) -> list[str]:
        """The names of the models that the server lists."""
        names = answers.model_names(self._accepted(self._official.get("/models", seconds)))
        return [self._mask.answer(name) for name in names]

    def _accepted(self, response: httpx2.Response) -> bytes:
        """The body of a response; raises `ServiceError` for a status that reports a failure."""
        if not response.is_success:
            raise self._status_error(response)
        return response.content

    def _status_error(self, response: httpx2.Response) -> ServiceError:
        status = response.status_code
        code = CODES.get(status, "unavailable" if status >= 500 else "http_error")
        words = self._mask.error(answers.words(response))[: answers.MAX_WORDS]
        did = f"{PHRASES[status]} ({status})" if status in PHRASES else f"answered {status}"
        return ServiceError(
            f"The server {did}: {words}{ADVICE.get(status, '')}",
            permanent=code not in ("rate_limited", "unavailable"),
            code=code,
            retry_after=answers.retry_after(response),
        )
