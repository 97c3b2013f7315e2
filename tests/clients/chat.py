"""Answers of chat completions, for a `Stub`."""

from typing import Any

from tests.clients.stub import Reply, json_reply


def reply(text: str | None = "Paris", finish: str = "stop", **message: Any) -> Reply:
    """An answer that took ten tokens in and two out."""
    choice = {"message": {"role": "assistant", "content": text} | message, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return json_reply({"model": "tiny-1", "choices": [choice], "usage": usage})


def echo(request: dict[str, Any]) -> Reply:
    return reply(request["messages"][0]["content"])
