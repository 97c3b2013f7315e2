"""The content of a prompt version, and its validation."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from evaluations.errors import Invalid, TooLarge
from evaluations.models import Connection, PromptVersion
from evaluations.numerals import grouped
from evaluations.values import LONGEST_NAME, stored_json

from . import templates

ROLES = ("system", "developer", "user", "assistant", "tool")
# names that are not parameters: fields of their own in a version, and options that change the shape of an answer
SET_ELSEWHERE = {
    "messages": "Use the field messages.",
    "model": "Use the field model.",
    "n": "Every call asks for one answer.",
    "stream": "Answers are never streamed.",
    "stream_options": "Answers are never streamed.",
    "tools": "Use the field tools.",
}
MOST_MESSAGES = 100
MOST_BYTES = 256_000
SCHEMA_NAME = "answer"


@dataclass(frozen=True)
class Content:
    """The parts of a prompt version that determine its requests."""

    messages: list[templates.Message]
    model: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)
    connection: Connection | None = None
    split_reasoning: bool = True

    @classmethod
    def from_version(cls, version: PromptVersion) -> "Content":
        return cls(**{part.name: getattr(version, part.name) for part in fields(cls)})

    def parts(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def json(self) -> str:
        """All parts except the connection, as stored."""
        parts = [self.messages, self.model, self.parameters, self.schema, self.tools]
        return stored_json(parts if self.split_reasoning else [*parts, False])

    def is_same(self, other: "Content") -> bool:
        """Whether both would send the same requests over the same connection; 1, 1.0 and true differ."""
        return (self.json, self.connection) == (other.json, other.connection)

    @property
    def variables(self) -> list[str]:
        return templates.variables(self.messages)

    def body(self, messages: list[templates.Message], model: str = "") -> dict[str, Any]:
        """The body of a `chat/completions` request."""
        request: dict[str, Any] = {"model": model or self.model, "messages": messages, **self.parameters}
        if self.schema is not None:
            schema = {"name": SCHEMA_NAME, "schema": self.schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if self.tools:
            request["tools"] = self.tools
        return request


def check(content: Content) -> Content:
    """Raise `Invalid` naming each invalid part, or `TooLarge`."""
    if problems := list(_problems(content)):
        fields: dict[str, list[str]] = {}
        for path, sentence in problems:
            fields.setdefault(path, []).append(sentence)
        raise Invalid("invalid_prompt", f"{problems[0][0]}: {problems[0][1]}", fields=fields)
    if (size := len(content.json.encode())) > MOST_BYTES:
        message = f"A version of a prompt can have at most {grouped(MOST_BYTES)} bytes; this one has {grouped(size)}."
        raise TooLarge("prompt_too_large", message, fields={"messages": [message]})
    return content


def _problems(content: Content) -> Iterator[tuple[str, str]]:
    """Pairs of path and sentence for each problem, in the order of the parts."""
    if not content.messages:
        yield "messages", "At least one message is needed."
    if len(content.messages) > MOST_MESSAGES:
        yield "messages", f"At most {MOST_MESSAGES} messages."
    for number, message in enumerate(content.messages):
        yield from ((f"messages/{number}{path}", sentence) for path, sentence in _wrong_message(message))
    if len(content.model) > LONGEST_NAME:
        yield "model", f"At most {LONGEST_NAME} characters."
    for name in content.parameters.keys() & SET_ELSEWHERE.keys():
        yield f"parameters/{name}", SET_ELSEWHERE[name]
    if content.schema is not None and "response_format" in content.parameters:
        yield "parameters/response_format", "Give either a schema or a response_format."
    for number, tool in enumerate(content.tools):
        if not isinstance(tool, dict) or not isinstance(tool.get("type"), str):
            yield f"tools/{number}", "A tool must be an object with a type."


def _wrong_message(message: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(message, dict):
        yield "", "A message must be an object with role and content."
        return
    if message.get("role") not in ROLES:
        yield "/role", f"The role must be one of {', '.join(ROLES)}."
    content = message.get("content")
    calls_tools = message.get("role") == "assistant" and message.get("tool_calls")
    if content is None and not calls_tools:
        yield "/content", "A message needs content."
    elif not (content is None or isinstance(content, str) or _are_parts(content)):
        yield (
            "/content",
            "The content must be a text or a list of parts; each part must be an object with a type.",
        )


def _are_parts(content: Any) -> bool:
    return isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in content
    )
