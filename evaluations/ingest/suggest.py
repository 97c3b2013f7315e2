"""Which column is what, from exact well-known names only: a wrong guess costs more than a choice."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ROLES = {
    "inputs": {"input", "question", "prompt"},
    "reference": {"expected", "reference", "answer", "ground_truth", "target"},
    "key": {"id", "key"},
}
PATHS = 100
_SHORTHAND = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*")


def suggest(columns: Iterable[str]) -> dict[str, Any]:
    """{"inputs": [...], "reference": [...], "metadata": [...], "key": name or None}; case is ignored.

    >>> suggest(["ID", "question", "answer", "topic"])
    {'inputs': ['question'], 'reference': ['answer'], 'metadata': ['topic'], 'key': 'ID'}
    """
    mapping: dict[str, Any] = {"inputs": [], "reference": [], "metadata": [], "key": None}
    for column in columns:
        name = column.strip().lower()
        role = next((role for role, names in ROLES.items() if name in names), "metadata")
        if role != "key":
            mapping[role].append(column)
        elif mapping["key"] is None:
            mapping["key"] = column
        else:
            mapping["metadata"].append(column)
    return mapping


def output_paths(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """JSONPaths (RFC 9535) to the texts inside nested objects: possible outputs, for the user to choose.

    >>> output_paths([{"question": "2+2?", "6b": {"solution": "4", "is_correct": True}}])
    ["$['6b'].solution"]
    """
    paths: dict[str, None] = {}
    for row in rows:
        for column, value in row.items():
            if isinstance(value, dict):
                paths |= dict.fromkeys(_text_paths(value, f"${_step(column)}"))
            if len(paths) >= PATHS:
                return list(paths)[:PATHS]
    return list(paths)


def _text_paths(fields: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, str):
            yield path + _step(name)
        elif isinstance(value, dict):
            yield from _text_paths(value, path + _step(name))


def _step(name: str) -> str:
    """`.name`, or `['6 b']` where the shorthand does not allow the name."""
    if _SHORTHAND.fullmatch(name):
        return f".{name}"
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return "['" + re.sub(r"[\x00-\x1f]", lambda control: f"\\u{ord(control.group()):04x}", escaped) + "']"
