"""Single calls to one OpenAI-compatible server; no error contains the key."""

from typing import Any

import httpx2

from evaluations.clients import answers, keys, outbound
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.service_error import ServiceError
from evaluations.values import stored_json

PATHS = ("chat/completions", "embeddings", "models")
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
    """Every call is one request: nothing is retried here."""

    def __init__(self, base_url: str, api_key: str, guard: Guard, connections: int) -> None:
        keys.check_key(api_key)
        self._in_errors, self._in_answers = keys.in_errors(api_key), keys.in_answers(api_key)
        self._http = outbound.client(guard, max_bytes=MAX_BYTES, connections=connections)
        self._urls = {path: httpx2.URL(f"{base_url.rstrip('/')}/{path}") for path in PATHS}
        self._headers = {"content-type": "application/json"}
        if api_key:
            self._headers["authorization"] = f"Bearer {api_key}"

    def close(self) -> None:
        self._http.close()

    def embeddings(
        self, model: str, texts: list[str], dimensions: int | None, seconds: float
    ) -> tuple[list[Vector], int]:
        """The vectors of these texts, in their order, and the tokens used."""
        body: dict[str, Any] = {"model": model, "input": texts, "encoding_format": "base64"}
        if dimensions is not None:
            body["dimensions"] = dimensions
        return answers.vectors(self._answer("POST", "embeddings", seconds, body), len(texts))

    def chat(self, body: dict[str, Any], seconds: float) -> bytes:
        """The answer to a `chat/completions` request; the body is sent unchanged."""
        return self._answer("POST", "chat/completions", seconds, body)

    def models(self, seconds: float) -> list[str]:
        """The names of the models that the server lists."""
        return answers.model_names(self._answer("GET", "models", seconds))

    def _answer(self, method: str, path: str, seconds: float, body: dict[str, Any] | None = None) -> bytes:
        """The body of the answer, without the key should the server repeat it."""
        response = self._http.request(
            method,
            self._urls[path],
            content=None if body is None else stored_json(body).encode(),
            headers=self._headers,
            timeout=seconds,
        )
        if not response.is_success:
            raise self._status_error(response)
        return self._masked(response.content)

    def _masked(self, body: bytes) -> bytes:
        return self._in_answers.sub(keys.MASK.encode(), body) if self._in_answers else body

    def _status_error(self, response: httpx2.Response) -> ServiceError:
        status = response.status_code
        code = CODES.get(status, "unavailable" if status >= 500 else "http_error")
        words = self._in_errors.sub(keys.MASK, answers.words(response))[: answers.MAX_WORDS]
        did = f"{PHRASES[status]} ({status})" if status in PHRASES else f"answered {status}"
        return ServiceError(
            f"The server {did}: {words}{ADVICE.get(status, '')}",
            permanent=code not in ("rate_limited", "unavailable"),
            code=code,
            retry_after=answers.retry_after(response),
        )
