"""Names what a server says went wrong: by the status of its response, and by the names and words of its error."""

import json
from http import HTTPStatus
from typing import Any, NamedTuple

import httpx2

from evaluations.clients import rate_limits
from evaluations.clients.answers import parsed
from evaluations.clients.keys import Mask
from evaluations.clients.service_error import ServiceError
from evaluations.linear import Pattern

MAX_WORDS = 300
CONTROLS = Pattern(r"[\x00-\x1f\x7f]+")
CODES = {
    400: "refused",
    401: "unauthorized",
    402: "insufficient_quota",
    403: "forbidden",
    404: "not_found",
    408: "unavailable",
    409: "unavailable",
    413: "too_many",
    422: "refused",
    425: "unavailable",
    429: "rate_limited",
}
# What happened, by the name (`code` or `type`) that OpenAI, Azure, Anthropic and gateways give an error.
NAMES = {
    "insufficient_quota": "insufficient_quota",
    "billing_hard_limit_reached": "insufficient_quota",
    "billing_not_active": "insufficient_quota",
    "insufficient_credits": "insufficient_quota",
    "content_filter": "filtered",
    "content_policy_violation": "moderation",
    "moderation_blocked": "moderation",
    "moderation": "moderation",
    "invalid_api_key": "unauthorized",
    "authentication_error": "unauthorized",
    "permission_error": "forbidden",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "invalid_request_error": "refused",
    "rate_limit_exceeded": "rate_limited",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "unavailable",
    "server_error": "unavailable",
    "api_error": "unavailable",
    "timeout_error": "unavailable",
    "internal_server_error": "unavailable",
    "service_unavailable": "unavailable",
}
# Errors whose name says more than the status of their response.
DECISIVE = {"insufficient_quota", "filtered", "moderation"}
BUSY = ("overloaded", "unavailable", "at capacity", "timed out", "try again")
# Sentences about the server, by the status of its response.
PHRASES = {
    401: "rejected the API key",
    403: "denied access with this API key",
    404: "has no such path or model",
    429: "asked for fewer calls",
}
# Instead of these, if the error has such a name.
NAMED_PHRASES = {
    "insufficient_quota": "refuses calls because the account has no money or quota left",
    "moderation": "refused the request by its moderation",
    "filtered": "refused the request by its content filter",
}
ADVICE = {
    "not_found": " – check the model, and that the base URL ends where the API begins, usually with /v1",
}
UNKNOWN = (
    "not permitted",
    "unrecognized",
    "unknown",
    "unexpected",
    "unsupported",
    "not supported",
    "no such parameter",
)
OTHER_NAMES = {"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"}


class Said(NamedTuple):
    """The words of an error, and the names that it has."""

    words: str
    names: list[str]
    status: int | None = None


def of_response(response: httpx2.Response, mask: Mask, *, is_batch: bool = False) -> ServiceError:
    """The error for a response whose status reports a failure; a server may refuse a batch (422) for its size."""
    try:
        said = _said(parsed(response.content))
    except ServiceError:
        text = response.text.strip()
        said = Said(" ".join(text.split()) if text and "<" not in text else "", [])
    error = _error(response.status_code, said, mask, rate_limits.retry_after(response.headers))
    if is_batch and response.status_code == 422:
        error.code = "too_many"
    return error


def in_answer(answer: Any) -> ServiceError | None:
    """The error that a successful response holds instead of an answer; None if it holds none."""
    if not isinstance(answer, dict) or not answer.get("error"):
        return None
    said = _said(answer)
    return _error(said.status or 200, said, Mask(""), None)


def _error(status: int, said: Said, mask: Mask, retry_after: float | None) -> ServiceError:
    code = _code(status, said)
    words = mask.error(said.words or _phrase(status))[:MAX_WORDS]
    number = "" if status == 200 else f" ({status})"
    if code in NAMED_PHRASES:
        did = f"{NAMED_PHRASES[code]}{number}"
    elif status in PHRASES:
        did = f"{PHRASES[status]}{number}"
    else:
        did = "answered with an error" if status == 200 else f"answered {status}"
    return ServiceError(
        f"The server {did}: {words}{ADVICE.get(code, '')}{_parameter_advice(code, said.words)}",
        permanent=code not in ("rate_limited", "unavailable"),
        code=code,
        retry_after=retry_after,
    )


def _code(status: int, said: Said) -> str:
    named = [NAMES[name] for name in said.names if name in NAMES]
    decisive = [code for code in named if code in DECISIVE]
    if decisive:
        return decisive[0]
    if status == 403 and "moderation" in said.words.lower():
        return "moderation"
    if status != 200:
        by_status = CODES.get(status, "unavailable" if status >= 500 else "http_error")
        is_unknown = by_status == "refused" and _unknown_parameter(said.words)
        return "unsupported_parameter" if is_unknown else by_status
    if named:
        return named[0]
    return "unavailable" if any(word in said.words.lower() for word in BUSY) else "http_error"


def _unknown_parameter(words: str) -> str:
    """The parameter that the server does not know, of those that have another name elsewhere; "" if none."""
    lower = words.lower()
    if not any(phrase in lower for phrase in UNKNOWN):
        return ""
    named = [(lower.find(name), name) for name in OTHER_NAMES if name in lower]
    return min(named)[1] if named else ""


def _parameter_advice(code: str, words: str) -> str:
    if code != "unsupported_parameter":
        return ""
    name = _unknown_parameter(words)
    return f" – this server does not know {name}: set {OTHER_NAMES[name]} in the parameters instead"


def _said(answer: Any) -> Said:
    names: list[str] = []
    status = None
    for key in ("error", "detail", "message"):
        while isinstance(answer, dict) and answer.get(key):
            answer = answer[key]
            if isinstance(answer, dict):
                names += [value for name in ("code", "type") if isinstance(value := answer.get(name), str)]
                number = answer.get("code")
                status = number if type(number) is int and 400 <= number < 600 else status
    if isinstance(answer, dict):
        return Said("", names, status)
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return Said(CONTROLS.sub(" ", text.encode("utf-8", "ignore").decode()), names, status)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "no reason given"
