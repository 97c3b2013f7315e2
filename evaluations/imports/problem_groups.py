"""The problems of an import, grouped for a table: one line per kind of problem."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SHOWN = 10


@dataclass
class Group:
    """One kind of problem: the number of rows, the first message, the first lines, a hint."""

    code: str
    message: str
    hint: str
    count: int = 0
    places: list[dict[str, Any]] = field(default_factory=list)

    @property
    def more(self) -> int:
        """How many rows have it beyond the places that are shown."""
        return max(0, self.count - len(self.places))


def grouped(errors: Iterable[Mapping[str, Any]], counts: Mapping[str, int] | None = None) -> list[Group]:
    """Groups in order of appearance; `counts` tell how many there are beyond the errors that were kept.

    >>> [(g.code, g.count) for g in grouped([{"code": "a", "message": "x"}] * 2, {"a": 40})]
    [('a', 40)]
    """
    groups: dict[str, Group] = {}
    for error in errors:
        code = error["code"]
        group = groups.setdefault(code, Group(code, error["message"], error.get("hint", "")))
        group.count += 1
        if error.get("where") and len(group.places) < SHOWN:
            group.places.append(error["where"])
    for code, group in groups.items():
        group.count = max(group.count, (counts or {}).get(code, 0))
    return list(groups.values())
