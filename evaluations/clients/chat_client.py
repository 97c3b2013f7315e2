"""Calls to chat models: one request, one answer with its text, its finish reason and its tokens."""

import time
from dataclasses import dataclass, replace
from typing import Any

from evaluations.clients import answers, failures
from evaluations.clients.addresses import Guard
from evaluations.clients.failures import MAX_WORDS
from evaluations.clients.rate_limits import Left
from evaluations.clients.server import Server
from evaluations.clients.streams import Stream
from evaluations.clients.tokens import MOST, Tokens
from evaluations.clients.way import PLAIN, Way
from evaluations.values import stored_json

# Codes for unusable answers, by the `finish_reason` of the server.
ENDS = {
    "length": "cut: The answer was cut at its length limit.",
    "content_filter": "filtered: The server's content filter removed the answer.",
}
REFUSED = "refused_to_answer: The model refused to answer."
EMPTY = "empty: The answer is empty."


@dataclass(frozen=True)
class Answer:
    """`failure` is `code: sentence` if the answer is unusable, `tool_calls` is JSON, `tokens` is None if unknown.

    `reasoning` is what the model thought before it answered. `left` is what the server's headers said is left of its
    limits.
    """

    text: str | None
    tool_calls: list[Any]
    failure: str
    finish_reason: str
    model: str
    tokens: Tokens | None
    milliseconds: int = 0
    reasoning: str | None = None
    left: Left | None = None

    @property
    def partial(self) -> str | None:
        """What the server sent that is no answer: the text or calls of a failed one, or the text beside tool calls."""
        if not self.failure:
            return (self.text or None) if self.tool_calls else None
        return self.text or (stored_json(self.tool_calls) if self.tool_calls else None)


class ChatClient:
    """A client of one server with one key, for many threads. Every call is one request."""

    def __init__(
        self, base_url: str, api_key: str, guard: Guard, *, connections: int = 64, way: Way = PLAIN
    ) -> None:
        self._server = Server(base_url, api_key, guard, connections, way)

    def close(self) -> None:
        self._server.close()

    def answer(self, body: dict[str, Any], seconds: float, stream: Stream | None = None) -> Answer:
        """The answer to a request of `chat/completions`; a `stream` has its beginning before. Raises ServiceError."""
        began = time.monotonic()
        answered, left = self._server.chat(body, seconds, stream)
        return replace(read(answered), milliseconds=round((time.monotonic() - began) * 1_000), left=left)


def read(parsed: Any) -> Answer:
    """The first choice of a `chat/completions` answer; raises `ServiceError` (bad_answer) if there is none."""
    choice = _first(parsed.get("choices")) if isinstance(parsed, dict) else None
    if error := failures.in_answer(choice):
        raise error
    message = choice.get("message") if choice else None
    if not choice or not isinstance(message, dict):
        raise answers.bad_answer("it has no choices")
    text, finish = _text(message.get("content")), choice.get("finish_reason")
    calls = message["tool_calls"] if isinstance(message.get("tool_calls"), list) else []
    finish_reason = finish if isinstance(finish, str) else ""
    has_content = bool((text and text.strip()) or calls)
    return Answer(
        text=text,
        tool_calls=calls,
        failure=_failure(finish_reason, message.get("refusal"), has_content=has_content),
        finish_reason=finish_reason,
        model=parsed["model"] if isinstance(parsed.get("model"), str) else "",
        tokens=_tokens(parsed.get("usage")),
        reasoning=_reasoning(message),
    )


def _first(choices: Any) -> dict[str, Any] | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _text(content: Any) -> str | None:
    """The content as text: a text as it is, or the texts of a list of parts joined."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _reasoning(message: dict[str, Any]) -> str | None:
    """What servers send beside the text: vLLM, DeepSeek and llama.cpp as `reasoning_content`, others as `reasoning`."""
    texts = (_text(message.get(name)) for name in ("reasoning_content", "reasoning"))
    return next((text for text in texts if text and text.strip()), None)


def _failure(finish_reason: str, refusal: Any, *, has_content: bool) -> str:
    if finish_reason in ENDS:
        return ENDS[finish_reason]
    if refusal:
        words = refusal.strip()[:MAX_WORDS] if isinstance(refusal, str) else ""
        return f"{REFUSED} It said: {words}" if words else REFUSED
    return "" if has_content else EMPTY


def _tokens(usage: Any) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if prompt is None or completion is None:
        return None
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens") or 0
    reasoning = _count(usage.get("completion_tokens_details"), "reasoning_tokens") or 0
    return Tokens(prompt, completion, cached, reasoning)


def _count(details: Any, name: str) -> int | None:
    count = details.get(name) if isinstance(details, dict) else None
    if type(count) is not int or count < 0:
        return None
    if count > MOST:
        raise answers.absurd_count(count)
    return count
