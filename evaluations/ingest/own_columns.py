"""Columns named after the variant of their table: "small_correct" in small.csv, "large_correct" in large.csv."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .batch import Row
from .file_tables import Table

SIGNS = " _-.:/|()[]"  # around the name of a variant
FEWEST = 2  # variants, columns of each, and signs in its name


def without_own_names(tables: Sequence[Table]) -> list[Table]:
    """The tables with one name for the columns that differ only in a part of their table's path.

    A single one in each table stays beside those of the other tables.

    >>> cells = {"small": {"small_right": True, "small_ms": 9}, "large": {"large_right": True, "large_ms": 7}}
    >>> small, large = (Table(f"run_{name}/x", [{"id": 1} | row]) for name, row in cells.items())
    >>> [table.columns for table in without_own_names([small, large])]
    [('id', 'right', 'ms'), ('id', 'right', 'ms')]
    >>> [table.columns for table in without_own_names([small])]
    [('id', 'small_right', 'small_ms')]
    """
    found = [{rest: (column, part) for column, part, rest in _own(table)} for table in tables]
    parts = dict[str, set[str]]()
    for own in found:
        for rest, (_, part) in own.items():
            parts.setdefault(rest, set()).add(part)
    common = {rest for rest, of_rest in parts.items() if len(of_rest) >= FEWEST}
    new = [{column: rest for rest, (column, _) in own.items() if rest in common} for own in found]
    return [
        replace(
            table,
            rows=[Row((names.get(name, name), cell) for name, cell in row.items()) for row in table.rows],
        )
        if len(names) >= FEWEST
        else table
        for table, names in zip(tables, new, strict=True)
    ]


def _own(table: Table) -> Iterator[tuple[str, str, str]]:
    """The columns that begin or end with a part of the table's path, with that part and the rest of the name."""
    parts = sorted(_parts(table.path), key=len, reverse=True)
    for column in table.columns:
        for part in parts:
            rest = column.removeprefix(part)
            is_first = rest != column and rest[:1] in SIGNS
            is_last = not is_first and column.endswith(part) and column.removesuffix(part)[-1:] in SIGNS
            rest = (rest if is_first else column.removesuffix(part)).strip(SIGNS)
            if (is_first or is_last) and rest and rest not in table.columns:
                yield column, part, rest
                break


def _parts(path: str) -> set[str]:
    """The folders and the name of a path, and what is before and behind each underscore in them."""
    found = set[str]()
    for name in path.split("/"):
        words = name.split("_")
        found |= {"_".join(words[:end]) for end in range(1, len(words) + 1)}
        found |= {"_".join(words[start:]) for start in range(1, len(words))}
    return {part for part in found if len(part) >= FEWEST}
