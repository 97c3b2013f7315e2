"""Which of the first rows of a sheet name its columns: no titles above them, and two where names are grouped."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

Cells = Sequence[Any]

LOOKED = 10  # rows in which the header is looked for
TABLE = 3  # cells of a row that belongs to a table, from which rows with few are titles
FEW = 3  # a title has one cell, or at most one for so many of the table
LONGEST = 60  # characters of a name below the name of its group


class Header(NamedTuple):
    """How many of the first rows are titles, and the cells that name the columns, of one row or of `rows`."""

    titles: int
    cells: list[Any]
    rows: int = 1


def find(first: Sequence[Cells]) -> Header:
    """The header among the first rows, none of which is empty.

    >>> find([["Review, week 46", None, None], ["id", "question", "answer"], [1, "a", "b"]]).titles
    1
    >>> find([["id", "Outputs", None], [None, "old", "new"], [1, "a", "b"]]).cells
    ['id', 'Outputs old', 'Outputs new']
    >>> find([["Outputs", None], ["old", "new"], ["a", "b"]]).cells
    ['Outputs', None]
    >>> names = ["text", "ok", "tone", "text", "ok", "tone", "note"]
    >>> find([["Old", None, None, "New", None, None, None], names, ["a", "y", 1, "b", "y", 2, None]]).cells[3:]
    ['New text', 'New ok', 'New tone', 'note']
    """
    above = titles(first)
    # a row of few groups looks like a title above their members
    for top in (above, above - 1) if above and _filled(first[above - 1]) > 1 else (above,):
        below = first[top + 1] if len(first) > top + 2 else ()
        if grouped := _grouped(first[top], below):
            return Header(top, grouped, 2)
    return Header(above, [*first[above]])


def titles(first: Sequence[Cells]) -> int:
    """How many of the first rows stand above the header: those with one cell, or few, before a wide row of texts."""
    widest = max(map(_filled, first))
    found = (
        next((at for at, row in enumerate(first) if not _is_title(row, widest)), 0) if widest >= TABLE else 0
    )
    # numbers name no columns, so the rows above them are no titles
    return found if all(cell is None or isinstance(cell, str) for cell in first[found]) else 0


def named_apart(names: Sequence[str], longest: int) -> list[str]:
    """The names of a header, where columns that repeat in blocks are called after the one before each block.

    So are those of promptfoo's tables, in which each output has a Status and a Score behind it.

    >>> named_apart(["q", "old", "Status", "new", "Status"], 50)
    ['q', 'old', 'old Status', 'new', 'new Status']
    >>> named_apart(["a", "a"], 50), named_apart(["Status", "old", "Status", "new"], 50)
    (['a', 'a'], ['Status', 'old', 'Status', 'new'])
    """
    counts = Counter(names)
    blocks: dict[int, list[str]] = {}
    owner = -1
    for at, name in enumerate(names):
        owner = at if counts[name] == 1 else owner
        if counts[name] > 1:
            blocks.setdefault(owner, []).append(name)
    block = next(iter(blocks.values()), [])
    if owner < 0 or -1 in blocks or len(blocks) < 2 or any(one != block for one in blocks.values()):
        return [*names]
    named, owner_name = [], ""
    for name in names:
        owner_name = name if counts[name] == 1 else owner_name
        named.append(name if counts[name] == 1 else f"{owner_name[: longest - len(name) - 1]} {name}")
    return named


def called(names: Sequence[str], apart: Sequence[str]) -> str:
    """That names which repeat are called after the columns before them, with the first."""
    name, new = next((pair for pair in zip(names, apart, strict=True) if pair[0] != pair[1]), ("", ""))
    return f"“{name[:40]}” repeats behind several columns and is called after each, such as “{new[:80]}”."


def told(above: Sequence[Cells]) -> str:
    """That rows above the header are left out, by their first cell."""
    title = next((str(cell)[:80] for row in above for cell in row if cell is not None), "")
    return f"Rows above the table are left out: “{title}”."


def none(first: Cells) -> Header:
    """For a sheet without a header, whose first row is data."""
    return Header(0, [None] * len(first), 0)


def _filled(row: Cells) -> int:
    return sum(cell is not None for cell in row)


def _is_title(row: Cells, widest: int) -> bool:
    return _filled(row) == 1 or _filled(row) * FEW <= widest


def _grouped(header: Cells, below: Cells) -> list[Any]:
    """The names where a row of groups stands above one of their members; [] where the second row is data.

    The cell of a group is followed by empty ones, below each of which stands a member. Other columns, of which there is
    one at least, have their name in one of the two rows; in both only where groups have the same members, which no row
    of data has. There, a member of one group alone is called as it is.
    """
    if len(below) != len(header) or not all(map(_is_name, (*header, *below))):
        return []
    blocks = _blocks(header, below)
    is_in_blocks = len({*blocks}) < len(blocks)
    repeated = {member for member, count in Counter(below).items() if count > 1}
    beyond = _beyond(below, blocks)
    names, group, members = [], None, 0
    for column, (above, member) in enumerate(zip(header, below, strict=True)):
        spans = above is not None and column + 1 < len(header) and header[column + 1] is None
        group = above if spans else group if above is None and column < beyond else None
        if group:
            name = member if is_in_blocks and member not in repeated else _member(group, member)
        elif above is None or member is None:
            name = above or member
        else:
            name = _member(above, member) if is_in_blocks else None
        if name is None:
            return []
        members += group is not None
        names.append(name)
    return names if 1 < members < len(names) + is_in_blocks else []


def _blocks(header: Cells, below: Cells) -> list[tuple[Any, ...]]:
    """The members below each group of several; of the last only those that another has, where it begins like that."""
    starts = [column for column, cell in enumerate(header) if cell is not None]
    blocks = [tuple(below[start:end]) for start, end in zip(starts, [*starts[1:], len(header)], strict=True)]
    wide = [block for block in blocks if len(block) > 1]
    if wide:
        alike = (block for block in wide[:-1] if wide[-1][: len(block)] == block)
        wide[-1] = next(alike, wide[-1])
    return wide


def _beyond(below: Cells, blocks: Sequence[tuple[Any, ...]]) -> int:
    """The column behind the last group, where that group is known by its members."""
    last = blocks[-1] if blocks and blocks[-1] in blocks[:-1] else ()
    ends = (end for end in range(len(below), 0, -1) if last and tuple(below[end - len(last) : end]) == last)
    return next(ends, len(below))


def _member(group: str, member: str | None) -> str | None:
    return member and f"{group} {member}"


def _is_name(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and len(cell) <= LONGEST)
