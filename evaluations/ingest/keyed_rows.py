"""Recognises rows under names: {"ex-1": {"question": "a"}, "ex-2": {…}}, or lists of them, {"ex-1": [{…}, {…}]}.

They are the whole file, or one member of its object: {"date": "…", "eval": {"ex-1": […], "ex-2": […]}}.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import strict_json
from evaluations.files.codes import HINTS
from evaluations.files.formats import Limits
from evaluations.files.problems import FileError, FileWarning
from evaluations.linear import Pattern

from .json_array import first_elements

FEWEST = 5  # rows; fewer objects may be the splits of a dataset
COLUMNS = ("key", "id", "name", "row_name")  # the first that no row has is the column of the names
_MEMBER = Pattern[bytes](rb'(?s)\s*("(?:[^"\\]|\\.)*")\s*:\s*(\{.*)')


class Keyed(NamedTuple):
    """The column of the names; inside one member of the object, its name and its number among those that are objects.

    `around` are the members beside that one, as far as the first part of the file has them.
    """

    column: str
    inside: str = ""
    number: int | None = None
    around: tuple[str, ...] = ()


def find(head: str, limits: Limits) -> Keyed | None:
    """The column of the names, if all objects in the first part of a file have mostly the same fields; else None."""
    text = head.lstrip()
    if not text.startswith("{"):
        return None
    try:
        members, rest = _members(text.encode(), limits)
        column = _column(members)
        return Keyed(column) if column else _inside(members, rest, limits)
    except (FileError, strict_json.JSONError):
        return None


def _inside(members: Mapping[str, Any], rest: bytes, limits: Limits) -> Keyed | None:
    """The only member with rows under names, if no other has a list of rows; the last may not be whole."""
    objects = {name: value for name, value in members.items() if isinstance(value, dict)}
    if unfinished := _MEMBER.match(rest):
        objects[f"{strict_json.parse(unfinished[1])}"], _ = _members(unfinished[2], limits)
    found = [(name, column) for name, value in objects.items() if (column := _column(value))]
    if len(found) != 1:
        return None
    [(name, column)] = found
    around = {other: value for other, value in members.items() if other != name}
    if any(map(_has_rows, around.values())):
        return None
    return Keyed(column, name, [*objects].index(name), tuple(around))


def _has_rows(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else [value]
    return any(isinstance(one, list) and sum(isinstance(row, dict) for row in one) > 1 for one in inner)


def _column(members: Mapping[str, Any]) -> str | None:
    """The column of the names, if the members of an object are rows or short lists of rows; else None."""
    rows = [*_rows(members)]
    values = [row for _, row in rows]
    lists = [value for value in members.values() if isinstance(value, list)]
    if len(members) < FEWEST or not _are_alike(values) or _are_numbered(values):
        return None
    if lists and (len(lists) < len(members) or max(map(len, lists)) > len(members)):
        return None
    fields = frozenset[str]().union(*values)
    same = (field for field in values[0] if all(row.get(field) == name for name, row in rows))
    return next(same, None) or next((name for name in COLUMNS if name not in fields), None)


def _rows(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in members.items():
        yield from ((name, one) for one in (value if isinstance(value, list) else [value]))


def warning(keyed: Keyed) -> FileWarning:
    where = f"“{keyed.inside[:80]}”" if keyed.inside else "The file"
    message = (
        f"{where} is one object with a row under each name: the names are the column “{keyed.column[:80]}”."
    )
    if keyed.around:
        message += f" Not imported: {', '.join(f'“{name[:80]}”' for name in keyed.around[:10])}."
    return FileWarning("json_keyed_rows", message, HINTS["json_keyed_rows"], 1, (1,), keyed.around[:100])


def _members(text: bytes, limits: Limits) -> tuple[dict[str, Any], bytes]:
    """The members that are whole, and the beginning of the next one."""
    elements, rest = first_elements(text, limits, b"{")
    members: dict[str, Any] = {}
    for element in elements:
        member = strict_json.parse(b"{%s}" % element)
        members |= member if isinstance(member, dict) else {}
    return members, rest


def _are_alike(rows: Sequence[Any]) -> bool:
    """Whether all are objects that share at least half of the fields of the largest."""
    if not rows or not all(isinstance(row, dict) and row for row in rows):
        return False
    shared = frozenset(rows[0]).intersection(*rows)
    return 2 * len(shared) >= max(map(len, rows))


def _are_numbered(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether these are the columns of a data frame in pandas' default format, with a cell under each number."""
    return all(next(iter(row)) == "0" for row in rows)
