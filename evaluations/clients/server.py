"""Single calls to one OpenAI-compatible server; no error contains the key."""

from collections.abc import Callable
from typing import Any

import httpx2
import openai

from evaluations.clients import answers, keys, outbound
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.service_error import ServiceError
from evaluations.values import stored_json

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
        # Local servers need no key, but the openai package requires one.
        self._openai = openai.OpenAI(
            api_key=api_key or "none", base_url=base_url, max_retries=0, http_client=self._http
        )
        # Do not send the operator's own OpenAI organization and project, which the package reads from the environment.
        self._openai.organization = self._openai.project = None
        self._chat_url = httpx2.URL(f"{base_url.rstrip('/')}/chat/completions")
        self._chat_headers = {"content-type": "application/json"}
        if api_key:
            self._chat_headers["authorization"] = f"Bearer {api_key}"

    def close(self) -> None:
        self._http.close()

    def embeddings(
        self, model: str, texts: list[str], dimensions: int | None, seconds: float
    ) -> tuple[list[Vector], int]:
        """The vectors of these texts, in their order, and the tokens used."""
        create = self._openai.embeddings.with_raw_response.create
        size = openai.omit if dimensions is None else dimensions
        body = self._body(lambda: create(model=model, input=texts, dimensions=size, timeout=seconds))
        return answers.vectors(body, len(texts))

    def chat(self, body: dict[str, Any], seconds: float) -> bytes:
        """The answer to a `chat/completions` request; the body is sent unchanged.

        The openai package would convert every message by its types, which takes longer than the rest of a call.
        """
        content = stored_json(body).encode()
        response = self._http.post(
            self._chat_url, content=content, headers=self._chat_headers, timeout=seconds
        )
        if not response.is_success:
            raise self._status_error(response)
        return self._masked(response.content)

    def models(self, seconds: float) -> list[str]:
        """The names of the models that the server lists."""
        return answers.model_names(
            self._body(lambda: self._openai.models.with_raw_response.list(timeout=seconds))
        )

    def _body(self, call: Callable[[], Any]) -> bytes:
        # Not "from error": its text may contain the key, and tracebacks are logged.
        try:
            return self._masked(call().http_response.content)
        except openai.APIStatusError as error:
            raise self._status_error(error.response) from None

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
