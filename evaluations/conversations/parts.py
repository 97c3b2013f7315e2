"""Parts of a message: texts, tool calls, and attachments, which are named and never fetched."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evaluations import numerals
from evaluations.values import JSON, text_or_json

Kind = Literal["text", "call", "refusal", "attachment", "data"]
TEXTS = {"text", "input_text", "output_text", "summary_text", "reasoning_text"}
ATTACHMENTS = {
    "image_url": "image",
    "input_image": "image",
    "image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "file": "file",
    "input_file": "file",
}
LONGEST_ADDRESS = 200


@dataclass(frozen=True)
class Part:
    """One part; `name` is the called tool, the type of an attachment, or the label of other data."""

    kind: Kind
    text: str
    name: str = ""

    @property
    def line(self) -> str:
        """The part as one text.

        >>> Part("call", '{"city": "Rome"}', "weather").line
        'weather({"city": "Rome"})'
        """
        if self.kind == "call":
            return f"{self.name}({self.text})"
        return f"[{self.name}: {self.text}]" if self.name else self.text


def content(value: JSON) -> tuple[Part, ...]:
    """The parts of a message's content, which is a text or a list of parts."""
    if value is None or value == "":
        return ()
    return tuple(map(_part, value)) if isinstance(value, list) else (Part("text", text_or_json(value)),)


def call(value: JSON) -> Part:
    """A tool call, with its arguments as they were written.

    >>> call({"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}})
    Part(kind='call', text='{}', name='weather')
    """
    fields = value if isinstance(value, dict) else {}
    kind = fields.get("type")
    inner = fields.get(kind) if isinstance(kind, str) and isinstance(fields.get(kind), dict) else fields
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or not isinstance(name, str):
        return Part("data", text_or_json(value), "call")
    arguments = inner.get("arguments", inner.get("input"))
    return Part("call", "" if arguments is None else text_or_json(arguments), name)


def _part(value: JSON) -> Part:
    if isinstance(value, str):
        return Part("text", value)
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str):
        return Part("data", text_or_json(value))
    if kind in TEXTS and isinstance(value.get("text"), str):
        return Part("text", value["text"])
    if kind == "refusal" and isinstance(value.get("refusal"), str):
        return Part("refusal", value["refusal"])
    if kind in ATTACHMENTS:
        return Part("attachment", _described(kind, value), ATTACHMENTS[kind])
    return Part("data", text_or_json(value))


def _described(kind: str, part: Mapping[str, Any]) -> str:
    """The description of an attachment: file, address, format and size, and its transcript."""
    inner = part.get(kind)
    facts: dict[str, Any] = {**part, **inner} if isinstance(inner, dict) else dict(part)
    address = facts.get("url") or (inner if isinstance(inner, str) else None) or facts.get("image_url")
    details = [facts.get(name) for name in ("filename", "file_id", "id", "format", "transcript")]
    details += [_address(address), _size(facts.get("data") or facts.get("file_data"))]
    return ", ".join(detail for detail in details if isinstance(detail, str) and detail) or text_or_json(
        dict(part)
    )


def _address(address: JSON) -> str | None:
    """An address as text; for a data URL, the type and size of the data.

    >>> _address("data:image/png;base64,AAAA")
    'image/png, 3 bytes'
    """
    if not isinstance(address, str):
        return None
    if not address.startswith("data:"):
        return address if len(address) <= LONGEST_ADDRESS else f"{address[:LONGEST_ADDRESS]}…"
    media, _, encoded = address.removeprefix("data:").partition(",")
    return f"{media.partition(';')[0] or 'text/plain'}, {_size(encoded)}"


def _size(encoded: JSON) -> str | None:
    """The size of base64-encoded data, in words."""
    if not isinstance(encoded, str) or not encoded:
        return None
    size = len(encoded.rpartition(",")[2].rstrip("=")) * 3 // 4
    return numerals.plural(size, "byte")
