"""Parses conversations: lists of messages in the formats of OpenAI's chat and responses APIs.

Nothing is dropped: unknown fields are kept as JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations import strict_json
from evaluations.values import JSON, text_or_json, written

from .parts import Part, call, content

LONGEST = 1_000_000  # characters; longer texts are not read as conversations
ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
# a message has at least one of these fields
CONTENT_FIELDS = ("content", "tool_calls", "function_call", "refusal", "audio")
# types of items in the responses API
CALL, RESULT, REASONING = "function_call", "function_call_output", "reasoning"
READ_FIELDS = {"role", "name", "tool_call_id", *CONTENT_FIELDS}
READ_OF_CALL = {"type", "id", "call_id", "status", "name", "arguments"}
READ_OF_RESULT = {"type", "id", "call_id", "status", "output"}


@dataclass(frozen=True)
class Message:
    """One message; `name` is that of the speaker, or of the tool whose result it is."""

    role: str
    parts: tuple[Part, ...]
    name: str = ""

    @property
    def text(self) -> str:
        return "\n".join(part.line for part in self.parts)

    @property
    def label(self) -> str:
        return f"{self.role} {self.name}".rstrip()


def conversation(value: JSON) -> list[Message] | None:
    """The messages of a list, a single message, a list of calls, or JSON text of one of these; else None."""
    items = _parsed(value) if isinstance(value, str) else value
    if isinstance(items, dict) and items.get("role") in ROLES:
        items = [items]
    elif isinstance(items, list) and items and all(map(_is_call, items)):
        items = [{"role": "assistant", "tool_calls": items}]
    if not isinstance(items, list) or not items or not all(map(_is_message, items)):
        return None
    tools = _names_of_calls(items)
    return [_message(item, tools) for item in items]


def summary(messages: Sequence[Message]) -> str:
    """One line: how many there are, and the last.

    >>> summary([Message("user", (Part("text", "Hello"),)), Message("assistant", (Part("text", "Good day"),))])
    '2 messages, last assistant: Good day'
    """
    last = messages[-1]
    line = f"{last.label}: {' '.join(last.text.split())}"
    return line if len(messages) == 1 else f"{len(messages)} messages, last {line}"


def transcript(messages: Sequence[Message]) -> str:
    """All messages as one text.

    >>> transcript([Message("user", (Part("text", "Hello"),))])
    'user: Hello'
    """
    return "\n".join(f"{message.label}: {message.text}" for message in messages)


def readable(value: JSON) -> str:
    """A conversation as its transcript, any other value as text."""
    messages = conversation(value)
    return written(value) if messages is None else transcript(messages)


def _parsed(text: str) -> JSON:
    names_one = any(name in text for name in ('"role"', '"call_id"', '"arguments"'))
    if not names_one or len(text) > LONGEST or not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return strict_json.parse(text.encode())
    except strict_json.JSONError:
        return None


def _is_call(item: JSON) -> bool:
    """Whether this is an item of `tool_calls`; the definition of a tool looks alike, but has no arguments."""
    function = item.get("function") if isinstance(item, dict) else None
    return isinstance(function, dict) and isinstance(function.get("arguments"), str)


def _is_message(item: JSON) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("type") in (CALL, RESULT, REASONING):
        return True
    content = item.get("content")
    return (
        isinstance(item.get("role"), str)
        and any(item.get(name) is not None for name in CONTENT_FIELDS)
        and (content is None or isinstance(content, str | list))
    )


def _names_of_calls(items: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The names of called tools, by the id of the call."""
    calls = [item for item in items if item.get("type") == CALL]
    calls += [entry for item in items for entry in _objects(item.get("tool_calls"))]
    return {
        f"{entry.get('call_id') or entry.get('id')}": call(entry).name
        for entry in calls
        if entry.get("call_id") or entry.get("id")
    }


def _message(item: dict[str, Any], tools: Mapping[str, str]) -> Message:
    tool = tools.get(f"{item.get('tool_call_id') or item.get('call_id')}", "")
    match item.get("type"):
        case kind if kind == CALL:
            return Message("assistant", (call(item), *_other_fields(item, READ_OF_CALL)))
        case kind if kind == RESULT:
            return Message("tool", (*content(item.get("output")), *_other_fields(item, READ_OF_RESULT)), tool)
        case kind if kind == REASONING and "role" not in item:
            return Message("reasoning", content(item.get("summary") or item.get("content") or []))
    name = item.get("name") or tool
    return Message(
        item["role"],
        (*_content_parts(item), *_other_fields(item, READ_FIELDS)),
        name if isinstance(name, str) else "",
    )


def _content_parts(item: dict[str, Any]) -> list[Part]:
    parts = list(content(item.get("content")))
    if refusal := item.get("refusal"):
        parts.append(Part("refusal", text_or_json(refusal)))
    if audio := item.get("audio"):
        parts += content([{"type": "audio", "audio": audio}])
    calls = item.get("tool_calls") or []
    legacy = [item["function_call"]] if item.get("function_call") else []
    return [*parts, *map(call, [*(calls if isinstance(calls, list) else [calls]), *legacy])]


def _other_fields(item: dict[str, Any], read: set[str]) -> list[Part]:
    """The non-empty fields without a form of their own, as one JSON part."""
    fields = {
        name: value for name, value in item.items() if name not in read and value not in (None, "", [], {})
    }
    if fields.get("type") == "message":  # The responses API marks ordinary messages with this type.
        fields = {name: value for name, value in fields.items() if name not in ("type", "id", "status")}
    return [Part("data", text_or_json(fields), "other fields")] if fields else []


def _objects(value: JSON) -> list[dict[str, Any]]:
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []
