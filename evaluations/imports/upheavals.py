"""A warning where a file changes or removes more than half of a dataset: it may be another file, or its columns."""

from collections.abc import Mapping
from typing import Any

CODE = "most_changed"
HINT = "Check that this is the right file, and that its columns are mapped as those of the dataset are."


def warnings(counts: Mapping[str, int], examples: int) -> list[dict[str, Any]]:
    """
    >>> [each["message"] for each in warnings({"removed": 980, "changed": 3}, 1_000)]
    ['This removes 980 of 1,000 examples and changes 3.']
    >>> warnings({"removed": 1, "changed": 1}, 4)
    []
    """
    removed, changed = counts.get("removed", 0), counts.get("changed", 0)
    if 2 * (removed + changed) <= examples:
        return []
    message = _sentence(removed, changed, f"{examples:,} examples")
    return [{"code": CODE, "message": message, "hint": HINT, "count": removed + changed, "first_lines": []}]


def _sentence(removed: int, changed: int, examples: str) -> str:
    if not removed:
        return f"This changes {changed:,} of {examples}."
    also = f" and changes {changed:,}" if changed else ""
    return f"This removes {removed:,} of {examples}{also}."
