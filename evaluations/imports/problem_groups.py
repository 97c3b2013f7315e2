"""Groups the problems of an import for a table: one line per message, and where it first occurs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluations.linear import Pattern

SHOWN = 10
TEXTS = 5  # distinct messages per code; rows with other messages are counted together
MORE_ROWS = "More rows have this problem."
LOCATION = Pattern(r"^(?:Line|Row) [\p{Nd},]+(?:: |, )")


@dataclass
class Group:
    """Rows with the same message: their number, the first lines, and a hint."""

    code: str
    message: str
    hint: str
    count: int = 0
    locations: list[dict[str, Any]] = field(default_factory=list)

    @property
    def more(self) -> int:
        """The number of rows beyond those of the listed lines, which differ."""
        return max(0, self.count - len(self.locations))


def grouped(errors: Iterable[Mapping[str, Any]], counts: Mapping[str, int] | None = None) -> list[Group]:
    """Groups in order of appearance; `counts` tell how many there are beyond the errors that were kept.

    >>> [(g.message, g.count) for g in grouped([{"code": "a", "message": "x"}] * 2, {"a": 40})]
    [('x', 40)]
    >>> [(g.message, g.count) for g in grouped([{"code": "a", "message": text} for text in "xyx"], {"a": 40})]
    [('x', 2), ('y', 1), ('More rows have this problem.', 37)]
    >>> [(g.locations, g.more) for g in grouped([{"code": "a", "message": "x", "where": {"line": 1}}] * 3)]
    [([{'line': 1}], 2)]
    """
    by_code: dict[str, dict[str, Group]] = {}
    for error in errors:
        groups = by_code.setdefault(error["code"], {})
        group = _group(groups, error)
        group.count += 1
        where = error.get("where")
        if where and where not in group.locations and len(group.locations) < SHOWN:
            group.locations.append(where)
    for code, groups in by_code.items():
        _add_uncounted(code, groups, (counts or {}).get(code, 0))
    return [group for groups in by_code.values() for group in groups.values()]


def _group(groups: dict[str, Group], error: Mapping[str, Any]) -> Group:
    """The group with the message of an error, created if necessary."""
    message, hint = _without_location(error), error.get("hint", "")
    if message not in groups and len(groups) >= TEXTS:
        message, hint = MORE_ROWS, ""
    return groups.setdefault(message, Group(error["code"], message, hint))


def _without_location(error: Mapping[str, Any]) -> str:
    message: str = error["message"]
    if not error.get("where"):
        return message
    sentence = LOCATION.sub("", message)
    return sentence[:1].upper() + sentence[1:]


def _add_uncounted(code: str, groups: dict[str, Group], count: int) -> None:
    """Count rows beyond the stored errors: in the only group of their code, else in a group of their own."""
    more = count - sum(group.count for group in groups.values())
    if more > 0:
        message = MORE_ROWS if len(groups) > 1 else next(iter(groups))
        groups.setdefault(message, Group(code, message, "")).count += more
