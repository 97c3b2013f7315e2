"""Converts the result of a call to the stored fields of a trial's answer."""

from typing import Any

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.files.text import clean
from evaluations.models import TrialAnswer
from evaluations.prompts.reasoning import separated
from evaluations.values import stored_json

RETRY_HINT = "Retry in a moment."
HINTS = {
    "unauthorized": "Enter the API key on the connection page, then retry.",
    "forbidden": "Use a key with access to this model, then retry.",
    "not_found": "Correct the model or the base URL, then retry.",
    "rate_limited": RETRY_HINT,
    "unavailable": RETRY_HINT,
    "unreachable": "Check that the server runs and that the base URL is right, then retry.",
    "timeout": "Check that the server is not overloaded, then retry.",
    "limit_reached": "Raise the monthly limit, or try fewer examples.",
    "insufficient_quota": "Pay the provider, or use another connection.",
    "unsupported_parameter": "Change the parameters of the prompt, then try again.",
    "cut": "Raise max tokens, then retry.",
}
LOST = {
    "code": "worker_lost",
    "message": "The worker stopped during the call. The provider might still charge for it.",
    "hint": "Retry.",
}


def error(code: str, message: str) -> dict[str, str]:
    named = {"code": code, "message": clean(message)}
    return named | {"hint": HINTS[code]} if code in HINTS else named


def fields_of(result: ChatAnswer | ServiceError, *, splits: bool = True) -> dict[str, Any]:
    """The fields to store; an unusable answer keeps its text, with the reason."""
    if isinstance(result, ServiceError):
        return {"state": TrialAnswer.State.DONE, "error": error(result.code, result.message)}
    result = separated(result, splits=splits)
    tokens = result.tokens
    fields: dict[str, Any] = {
        "text": clean(stored_json(result.tool_calls) if result.tool_calls else result.text or ""),
        "is_json": bool(result.tool_calls),
        "reasoning": clean(result.reasoning) if result.reasoning else None,
        "finish_reason": clean(result.finish_reason)[:40],
        "model": clean(result.model)[:200],
        "tokens_in": tokens.input if tokens else None,
        "tokens_out": tokens.output if tokens else None,
        "latency_ms": result.milliseconds,
    }
    if result.failure:
        code, _, message = result.failure.partition(": ")
        fields |= {"state": TrialAnswer.State.DONE, "error": error(code, message)}
    return fields
