"""Answers that arrive as server-sent events, merged into what a server without streaming sends at once."""

from collections.abc import Callable
from typing import Any

import orjson

from evaluations.clients import answers
from evaluations.clients.hanging_up import Call

TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
SHOWN = 20_000  # characters of an answer that is not whole yet
LONGEST_KEY = 1_000  # characters that a key may have behind them
REQUEST = {"stream": True, "stream_options": {"include_usage": True}}


def is_stream(body: bytes) -> bool:
    return body.lstrip().startswith((b"data:", b"event:", b":"))


class Stream:
    """One answer: a thread feeds it, and others may read its `text` meanwhile, or end its `call`.

    `mask` hides the key in it.
    """

    def __init__(self) -> None:
        self.call = Call()
        self.mask: Callable[[str], str] = str
        self._rest: list[bytes] = []  # the parts of a line that is not whole yet
        self._texts: dict[str, list[str]] = {name: [] for name in TEXTS}
        self._calls: dict[int, dict[str, Any]] = {}
        self._facts: dict[str, Any] = {}
        self._finish: Any = None
        self._is_whole = False

    @property
    def text(self) -> str:
        """The beginning of the text that has arrived so far, or else of what the model thinks."""
        text = next((text for text in map(self._joined, TEXTS) if text), "")
        return self.mask(text[: SHOWN + LONGEST_KEY])[:SHOWN]

    def _joined(self, name: str) -> str:
        return "".join(self._texts[name])

    def feed(self, data: bytes) -> None:
        end, *lines = data.split(b"\n")
        self._rest.append(end)
        for line in lines:
            self._take(b"".join(self._rest).strip())
            self._rest = [line]

    def _take(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        if line == b"data: [DONE]" or line == b"data:[DONE]":
            self._is_whole = True
            return
        try:
            event = orjson.loads(line[5:])
        except orjson.JSONDecodeError:
            return
        if isinstance(event, dict):
            self._facts |= {name: fact for name, fact in event.items() if name != "choices" and fact}
            for choice in event.get("choices") or []:
                if isinstance(choice, dict) and not choice.get("index"):
                    self._add(choice)

    def _add(self, choice: dict[str, Any]) -> None:
        if choice.get("finish_reason"):
            self._finish, self._is_whole = choice["finish_reason"], True
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return
        for name in TEXTS:
            if isinstance(delta.get(name), str):
                self._texts[name].append(delta[name])
        calls = delta.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(call, dict):
                self._add_call(call, call["index"] if type(call.get("index")) is int else number)

    def _add_call(self, call: dict[str, Any], index: int) -> None:
        """Add a part of a call: its arguments come in pieces, everything else at once."""
        known = self._calls.setdefault(index, {"function": {"arguments": []}})
        known |= {name: part for name, part in call.items() if name not in ("index", "function") and part}
        function = call.get("function")
        if isinstance(function, dict):
            known["function"] |= {
                name: part for name, part in function.items() if name != "arguments" and part
            }
            if isinstance(function.get("arguments"), str):
                known["function"]["arguments"].append(function["arguments"])

    def answer(self) -> dict[str, Any]:
        """The whole answer; raises ServiceError (bad_answer) if the stream ended before it."""
        self.feed(b"\n")
        if "error" in self._facts:
            return self._facts
        if not self._is_whole:
            raise answers.bad_answer("its stream ended early")
        message: dict[str, Any] = {name: self._joined(name) for name in TEXTS if self._texts[name]}
        if self._calls:
            message["tool_calls"] = [_whole(self._calls[index]) for index in sorted(self._calls)]
        return self._facts | {"choices": [{"message": message, "finish_reason": self._finish}]}


def _whole(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return call | {"function": function | {"arguments": "".join(function["arguments"])}}


def assembled(body: bytes) -> dict[str, Any]:
    """The answer in a complete stream."""
    stream = Stream()
    stream.feed(body)
    return stream.answer()
