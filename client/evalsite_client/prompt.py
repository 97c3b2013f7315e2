"""Prompts that a program fetches by name: filled by the program, and kept on disk for when the site is away."""

import contextlib
import hashlib
import inspect
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .errors import EvalsiteError, Mistaken, Refused, Unreachable
from .journal import digest, folder
from .progress import duration
from .transport import Transport

SLOW = 1.0  # seconds after which the kept copy is served
log = logging.getLogger("evalsite")


@dataclass(frozen=True)
class Prompt:
    """A version of a prompt. With `kept_at` (seconds since 1970), it is the copy on disk, because the site was away."""

    name: str
    version: int
    label: str | None
    messages: list[dict[str, Any]]
    model: str
    parameters: dict[str, Any]
    schema: dict[str, Any] | None
    tools: list[dict[str, Any]]
    variables: list[str]
    kept_at: float | None = None

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any], kept_at: float | None = None) -> "Prompt":
        names = (
            "name",
            "version",
            "label",
            "messages",
            "model",
            "parameters",
            "schema",
            "tools",
            "variables",
        )
        return cls(**{name: answer[name] for name in names}, kept_at=kept_at)

    def fill(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> list[dict[str, Any]]:
        """The messages with the values of the variables, filled as the site fills them.

        A name with dots is a variable of its own, or leads into the JSON of a value. Raises `Mistaken` for a variable
        without a value.
        """
        given = {**(values or {}), **named}
        return [
            message | {"content": _filled(message["content"], given)} if "content" in message else message
            for message in self.messages
        ]

    def request(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, Any]:
        """The arguments of `client.chat.completions.create` of the `openai` package, and the body of the request."""
        request: dict[str, Any] = {"model": self.model, "messages": self.fill(values, **named)}
        request |= self.parameters
        if self.schema is not None:
            schema = {"name": "answer", "schema": self.schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if self.tools:
            request["tools"] = self.tools
        taken = taken_by_openai()
        further = {name: request.pop(name) for name in list(request) if taken and name not in taken}
        return request | ({"extra_body": further} if further else {})


@cache
def taken_by_openai() -> frozenset[str]:
    """The parameters that the installed `openai` takes by name; empty if it is not installed."""
    try:
        create = import_module("openai.resources.chat.completions").Completions.create
    except ImportError:
        return frozenset()
    return frozenset(inspect.signature(create).parameters)


def _filled(content: Any, values: Mapping[str, Any]) -> Any:
    """The content of a message with each text filled; names in objects and values of `type` stay."""
    if isinstance(content, str):
        return "".join(_pieces(content, values))
    if isinstance(content, list):
        return [_filled(part, values) for part in content]
    if isinstance(content, dict):
        return {name: part if name == "type" else _filled(part, values) for name, part in content.items()}
    return content


def _pieces(text: str, values: Mapping[str, Any]) -> Iterator[str]:
    """A template piece by piece; a backslash before a variable makes it plain text.

    >>> "".join(_pieces("{{{ a }} \\\\{{ a }} {{ a", {"a": 1}))
    '{1 {{ a }} {{ a'
    """
    done = at = 0
    while (start := text.find("{{", at)) != -1:
        end = next((place for place in range(start + 2, len(text)) if text[place] in "{}\n"), len(text))
        at = start + 1
        if not text.startswith("}}", end):
            continue
        is_plain = start > done and text[start - 1] == "\\"
        yield text[done : start - 1] if is_plain else text[done:start]
        yield text[start : end + 2] if is_plain else _value(text[start + 2 : end].strip(" \t"), values)
        done = at = end + 2
    yield text[done:]


def _value(name: str, values: Mapping[str, Any]) -> str:
    steps = name.split(".")
    for end in range(len(steps), 0, -1):
        if (column := ".".join(steps[:end])) in values:
            value = _inside(values[column], steps[end:], name)
            return (
                value
                if isinstance(value, str)
                else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            )
    raise Mistaken(f"There is no value for “{name}”.")


def _inside(value: Any, steps: list[str], name: str) -> Any:
    for step in steps:
        is_index = isinstance(value, list) and step.isascii() and step.isdecimal()
        try:
            value = value[int(step) if is_index else step]
        except (LookupError, TypeError) as error:
            raise Mistaken(f"There is no value for “{name}”.") from error
    return value


# ---- fetching ------------------------------------------------------------------------------------------------


class Prompts:
    """Fetches prompts, and keeps each last answer in memory and on disk."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.recent: dict[tuple[str, str], tuple[float, Prompt]] = {}

    def get(self, name: str, label: str, version: int | None, max_age: float) -> Prompt:
        """The prompt, at most `max_age` seconds old, or else the copy on disk if the site is slow or away."""
        wanted = f"version={version}" if version is not None else f"label={quote(label, safe='')}"
        fetched_at, prompt = self.recent.get((name, wanted), (float("-inf"), None))
        if prompt is None or time.monotonic() - fetched_at >= max_age:
            prompt = self._fetched(name, wanted)
            self.recent[name, wanted] = (time.monotonic(), prompt)
        return prompt

    def _fetched(self, name: str, wanted: str) -> Prompt:
        copy = Copy(self.transport, name, wanted)
        if copy.answer is None:
            copy.refresh(None)
            return Prompt.from_answer(copy.answer or {})
        problem = copy.refreshed_within(SLOW)
        if problem is None:
            return Prompt.from_answer(copy.answer)
        if isinstance(problem, Refused) and problem.status < 500 and problem.status != 429:
            raise problem
        age = duration(max(0.0, time.time() - copy.kept_at))
        log.warning("Prompt %s: the site did not answer (%s); using the copy of %s ago.", name, problem, age)
        return Prompt.from_answer(copy.answer, copy.kept_at)


class Copy:
    """The last answer about a prompt, in a file that only its owner can read."""

    def __init__(self, transport: Transport, name: str, wanted: str) -> None:
        self.transport = transport
        self.path = f"prompts/by-name/{quote(name, safe='/')}/?{wanted}"
        key = hashlib.sha256(transport.settings.key.encode()).hexdigest()
        self.file = folder() / "prompts" / f"{digest(transport.settings.url, key, name, wanted)}.json"
        self.answer: dict[str, Any] | None = None
        self.etag, self.kept_at = "", 0.0
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(self.file.read_text(encoding="utf-8"))
            self.answer, self.etag, self.kept_at = kept["answer"], kept["etag"], kept["at"]

    def refresh(self, seconds: float | None) -> None:
        """Ask the site, and keep what it answers."""
        etag, answer = self.transport.if_changed(self.path, self.etag, seconds)
        if answer is not None:
            self.answer, self.etag = answer, etag
        self.kept_at = time.time()
        with contextlib.suppress(OSError):  # a program without a disk of its own has no copy
            self._store()

    def refreshed_within(self, seconds: float) -> EvalsiteError | None:
        """Why the site did not answer in time, if so; an answer that comes late is still kept for the next call."""
        problems: list[EvalsiteError] = [Unreachable(f"no answer within {seconds:.0f} s")]
        kept = self.answer, self.kept_at

        def ask() -> None:
            try:
                self.refresh(seconds * 10)
                problems.clear()
            except EvalsiteError as problem:
                problems[0] = problem

        thread = threading.Thread(target=ask, name="evalsite-prompt", daemon=True)
        thread.start()
        thread.join(seconds)
        if thread.is_alive() or problems:
            self.answer, self.kept_at = kept
            return problems[0] if problems else Unreachable(f"no answer within {seconds:.0f} s")
        return None

    def _store(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(dir=self.file.parent)  # mkstemp creates it with mode 0600
        with os.fdopen(number, "w", encoding="utf-8") as target:
            json.dump({"answer": self.answer, "etag": self.etag, "at": self.kept_at}, target)
        Path(name).replace(self.file)
