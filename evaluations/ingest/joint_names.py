"""Examples that two columns name together, such as a story and a turn in it: neither does so alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

from .batch import Row
from .file_names import GENERIC
from .file_tables import COMMON, UNIQUE, Key, Table, as_key
from .suggest import plain, roles

NAME = "example_id"
FEWEST_TABLES = 2
MOST_COLUMNS = 8  # of those that tables share


def with_joint_names(tables: Sequence[Table]) -> list[Table]:
    """The tables with a column of what two columns say together, where that alone names the examples of several.

    >>> rows = [{"story": n // 4, "turn": n % 4, "said": n % 3} for n in range(12)]
    >>> [table.columns for table in with_joint_names([Table("a", rows), Table("b", rows)])][1]
    ('example_id', 'story', 'turn', 'said')
    >>> [table.columns for table in with_joint_names([Table("a", [{"id": n, "of": 1} for n in range(9)])])]
    [('id', 'of')]
    """
    if any(NAME in table.columns for table in tables):
        return [*tables]
    if pair := next(_pairs(tables), None):
        return [
            replace(table, rows=[Row({NAME: _both(row, pair)}) | row for row in table.rows])
            if {*pair} <= {*table.columns}
            else table
            for table in tables
        ]
    return [*tables]


def _pairs(tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """The pairs of columns that name the examples of two or more tables, and of all that have them."""
    times = Counter(chain.from_iterable(table.columns for table in tables))
    shared = [name for name in _naming(times) if times[name] >= FEWEST_TABLES][:MOST_COLUMNS]
    alone = {name for name in shared for table in tables if name in table.columns and _names(table, name)}
    for pair in combinations([name for name in shared if name not in alone], 2):
        having = [table for table in tables if {*pair} <= {*table.columns}]
        if len(having) < FEWEST_TABLES:
            continue
        keys = [{_both(row, pair) for row in table.rows} for table in having]
        are_names = all(len(one) >= UNIQUE * len(table.rows) for one, table in zip(keys, having, strict=True))
        if not alone and are_names and all(len(one & keys[0]) > COMMON * len(one) for one in keys[1:]):
            yield pair


def _naming(columns: Counter[str]) -> list[str]:
    """The columns that may name examples: none of answers, nor of what is asked."""
    by_name = roles([*columns])
    return [
        name
        for name, role in by_name.items()
        if role not in ("output", "reference", "inputs") and plain(name) not in GENERIC
    ]


def _names(table: Table, column: str) -> bool:
    return len(table.keys(column)) >= UNIQUE * len(table.rows)


def _both(row: Row, pair: tuple[str, str]) -> Key:
    return " ".join(as_key(row.get(name)) for name in pair)
