"""Answers inside the results of batch APIs and evaluation tools: paths, and roles of the columns around them."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Steps = tuple[str | int, ...]


class Wrapped(NamedTuple):
    """Where the answer is; the column that the path begins with is left out."""

    steps: Steps
    roles: Mapping[str, str]

    @property
    def path(self) -> str:
        """The path in JSONPath (RFC 9535)."""
        return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)


_BATCH = {"custom_id": "key", "id": "metadata"}
OUTPUT_ITEM = Wrapped(
    ("sample", "output", 0, "content"), {"id": "key", "datasource_item": "inputs", "object": "leave out"}
)
KNOWN_WRAPPERS = (
    OUTPUT_ITEM,  # OpenAI Evals
    # OpenAI, Azure and vLLM: chat, completions, responses without and with reasoning
    Wrapped(("response", "body", "choices", 0, "message", "content"), _BATCH),
    Wrapped(("response", "body", "choices", 0, "text"), _BATCH),
    Wrapped(("response", "body", "output", 0, "content", 0, "text"), _BATCH),
    Wrapped(("response", "body", "output", 1, "content", 0, "text"), _BATCH),
    Wrapped(("result", "message", "content", 0, "text"), _BATCH),  # Anthropic
    # Vertex AI and Gemini
    Wrapped(
        ("response", "candidates", 0, "content", "parts", 0, "text"), {"key": "key", "request": "inputs"}
    ),
    # Helicone
    Wrapped(("response_body", "choices", 0, "message", "content"), {"request_id": "key"}),
    # lm-evaluation-harness and HELM
    Wrapped(("filtered_resps", 0), {"doc": "inputs", "resps": "leave out"}),
    Wrapped(("result", "completions", 0, "text"), {"instance": "inputs"}),
)
PATHS = frozenset(wrapped.path for wrapped in KNOWN_WRAPPERS)


def find(rows: Iterable[Mapping[str, Any]]) -> Wrapped | None:
    """The place of the answers that most of the rows have; None if none has any of them."""
    listed = list(rows)
    counted = [
        (sum(_has_text(row, wrapped.steps) for row in listed), wrapped) for wrapped in _possible(listed)
    ]
    count, best = max(counted, key=lambda pair: pair[0], default=(0, None))
    return best if count else None


def _possible(rows: list[Mapping[str, Any]]) -> list[Wrapped]:
    return [wrapped for wrapped in KNOWN_WRAPPERS if any(wrapped.steps[0] in row for row in rows[:20])]


def _has_text(value: Any, steps: Steps) -> bool:
    for step in steps:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and len(value) > step:
            value = value[step]
        else:
            return False
    return isinstance(value, str)
