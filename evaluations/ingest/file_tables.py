"""The tables of several files, and the columns by which two or more of them name the same examples."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from .batch import Row
from .file_names import GENERIC
from .suggest import plain, roles

COMMON = 0.5  # of the names of examples, those that two tables of the same examples have in common at least
UNIQUE = 0.95  # of the values in a column of names, those that are different
MODEL_INSIDE = {"model", "model_version", "model_id"}  # names of fields of answers
DEEPEST = 3  # objects inside each other in which they are looked for
Key = str


@dataclass(frozen=True)
class Table:
    """The rows of one file, or of several that belong together; `path` is the one in the archive, without a suffix.

    Without `has_keys` nothing but the place of a row names its example, as in a text with a line for each.
    """

    path: str
    rows: Sequence[Row]
    variant: str = ""
    has_keys: bool = True
    columns: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = dict.fromkeys(name for row in self.rows for name in row)
        object.__setattr__(self, "columns", tuple(names))

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def keys(self, column: str) -> set[Key]:
        """The names of examples in a column."""
        return {as_key(row.get(column)) for row in self.rows} - {""}

    def by_key(self, column: str) -> dict[Key, Row]:
        """The rows by what names their example in a column; the first of several."""
        return {key: row for row in reversed(self.rows) if (key := as_key(row.get(column)))}


def shared_key(group: Sequence[Table]) -> str | None:
    """The column by which the tables name the same examples; None if they have no examples in common."""
    shared = [name for name in group[0].columns if all(name in table.columns for table in group)]
    parts = roles(shared)
    found = [
        (parts[name] == "key", share, -place, name)
        for place, name in enumerate(shared)
        if parts[name] != "output" and plain(name) not in GENERIC
        if (share := _commonness(group, name)) >= COMMON and _ask_the_same(group, name)
    ]
    return max(found)[-1] if found else None


def _commonness(group: Sequence[Table], name: str) -> float:
    """The median share of a table's names of examples that some other table has; 0 if it does not name them."""
    keys = [table.keys(name) for table in group]
    if any(len(one) <= COMMON * len(table.rows) for table, one in zip(group, keys, strict=True)):
        return 0.0
    count = Counter(chain.from_iterable(keys))
    shares = sorted(sum(count[key] > 1 for key in one) / len(one) for one in keys)
    return shares[len(shares) // 2]


def _ask_the_same(group: Sequence[Table], key: str) -> bool:
    """Whether the first two tables ask mostly the same in the rows of one key, if they say what is asked."""
    asked = [name for name, role in roles(group[0].columns).items() if role == "inputs" and name != key]
    asked = [name for name in asked if name in group[1].columns]
    first, second = (table.by_key(key) for table in group[:2])
    pairs = [(row, second[name]) for name, row in first.items() if name in second]
    same = sum(all(one.get(name) == other.get(name) for name in asked) for one, other in pairs)
    return same >= COMMON * len(pairs)


def as_key(value: Any) -> Key:
    """What names an example, as text, because a number in one file is a text in another; "" for nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def key_pair(one: Table, other: Table) -> tuple[str, str] | None:
    """The columns by which two tables name the same examples, each once in the first; None if there are none."""
    known = {name: keys for name in _naming(one) if len(keys := one.keys(name)) >= UNIQUE * len(one.rows)}
    sent = {name: keys for name in _naming(other) if len(keys := other.keys(name)) > COMMON * len(other.rows)}
    pairs = [
        (len(keys & known[column]) / len(keys), column == name, column, name)
        for name, keys in sent.items()
        for column in known
        if len(keys & known[column]) > COMMON * len(keys)
    ]
    best = max(pairs, key=lambda pair: pair[:2], default=None)
    return best and best[2:]


def counting(tables: Sequence[Table], rows: int) -> tuple[str, int] | None:
    """The column in which each of the tables counts so many rows, and the number it begins with; None if none does.

    So the first row of another table with as many rows, and without names, is that of the first number.

    >>> said = Table("small", [{"index": n, "prediction": "yes"} for n in range(9)])
    >>> counting([said], 9), counting([said], 8)
    (('index', 0), None)
    """
    for name in tables[0].columns:
        counted = [[as_key(row.get(name)) for row in table.rows] for table in tables]
        for first in (0, 1):
            if all(one == [f"{number}" for number in range(first, rows + first)] for one in counted):
                return name, first
    return None


def _naming(table: Table) -> list[str]:
    """The columns that may name examples: none of answers."""
    return [
        name
        for name, role in roles(table.columns).items()
        if role not in ("output", "reference") and plain(name) not in GENERIC
    ]


def model_inside(table: Table) -> str:
    """The model that the objects of all rows name, as the answers of a batch do: {"body": {"model": "small"}}; else "".

    >>> model_inside(Table("a", [{"id": 1, "response": {"body": {"model": "small", "usage": {}}}}]))
    'small'
    """
    named = {
        tuple(_models(cell, DEEPEST)) for row in table.rows for cell in row.values() if isinstance(cell, dict)
    }
    found = {model for models in named for model in models}
    return found.pop() if len(found) == 1 and () not in named else ""


def _models(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    for name, inside in value.items():
        if plain(name) in MODEL_INSIDE and isinstance(inside, str):
            yield inside.strip()
        elif isinstance(inside, dict) and depth:
            yield from _models(inside, depth - 1)
