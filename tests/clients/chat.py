"""Answers of chat completions, for a `Stub`."""

import json
from typing import Any

from tests.clients.stub import Reply, json_reply


def reply(text: str | None = "Paris", finish: str = "stop", **message: Any) -> Reply:
    """An answer that took ten tokens in and two out."""
    choice = {"message": {"role": "assistant", "content": text} | message, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return json_reply({"model": "tiny-1", "choices": [choice], "usage": usage})


def event(finish: str | None = None, **delta: Any) -> bytes:
    """A server-sent event with a part of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"model": "tiny-1", "choices": [choice]}).encode() + b"\n\n"


def last_events(finish: str = "stop") -> bytes:
    """The end of a stream, which took ten tokens in and two out."""
    usage = {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    return event(finish) + b"data: " + json.dumps(usage).encode() + b"\n\ndata: [DONE]\n\n"


def echo(request: dict[str, Any]) -> Reply:
    return reply(request["messages"][0]["content"])
