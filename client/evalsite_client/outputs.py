"""What a task returned, as an output of a run."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

LONGEST_ERROR = 2_000  # characters


@dataclass(frozen=True)
class Output:
    """An output with what it cost: `tokens` in all, `latency_ms` in milliseconds instead of the measured time."""

    value: Any
    tokens: int | None = None
    latency_ms: int | None = None


def as_output(returned: Any) -> Output:
    """What a task returned: an `Output`, an answer of the `openai` package, or any value that JSON can hold.

    Raises `TypeError` or `ValueError` for a value that JSON cannot hold.
    """
    output = returned if isinstance(returned, Output) else _of_answer(returned) or Output(returned)
    value = _plain(output.value)
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()  # raises for what cannot be sent
    return dataclasses.replace(output, value=value)


def _of_answer(returned: Any) -> Output | None:
    """The message of a chat completion: its text, or all of it where it calls tools."""
    choices = getattr(returned, "choices", None)
    if not isinstance(choices, list) or not choices or not hasattr(choices[0], "message"):
        return None
    message, usage = choices[0].message, getattr(returned, "usage", None)
    calls = getattr(message, "tool_calls", None)
    value = _plain(message) if calls else message.content
    return Output(value, getattr(usage, "total_tokens", None))


def _plain(value: Any) -> Any:
    """A value as JSON has it; models of pydantic and dataclasses become objects."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value


def error_text(error: BaseException) -> str:
    """An exception as the error of an output or a score.

    >>> error_text(ValueError("no such city"))
    'ValueError: no such city'
    """
    return f"{type(error).__name__}: {error}".rstrip(": ")[:LONGEST_ERROR]
