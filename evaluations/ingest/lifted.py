"""Fields inside objects that say which variant a row is of, or what is right, where no column of the file does.

Logs of tools have them in their metadata or in the body of a request: {"output": "5", "metadata": {"model": "small"}}.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from . import wrapped
from .batch import Row
from .known_names import OTHER_KEYS, REPETITIONS, TELL_APART, VARIANTS
from .parted import MOST_VARIANTS
from .suggest import plain, roles, sure_roles
from .whole_answers import value_of

MOST_FIELDS = 100
OFTEN = 2  # rows for each variant, at least
Lifted = tuple[tuple[str, str], ...]  # columns, each with a field inside


def find(rows: Sequence[Row]) -> Lifted:
    """The fields to lift: one that names a few variants, a repetition, and what is asked, what is right, and the key.

    >>> find([{"q": f"{n // 2}?", "output": "5", "metadata": {"model": ["a", "b"][n % 2], "expected": "5"}}
    ...       for n in range(8)])
    (('metadata', 'model'), ('metadata', 'expected'))
    >>> find([{"q": f"{n}?", "output": "5", "metadata": {"model": "a", "expected": "5"}} for n in range(8)])
    ()
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    if any(plain(name) in TELL_APART for name in columns):
        return ()
    inside = [*_fields(columns, rows)]
    named = next((one for one in inside if plain(one[1]) in VARIANTS and _are_variants(one, rows)), None)
    if named is None:
        return ()
    by_name = roles(columns)
    taken = {role for name, role in by_name.items() if name != named[0]}
    found = [named]
    found += [one for one in inside if plain(one[1]) in REPETITIONS][:1]
    for one in inside:
        role = sure_roles([one[1]])[one[1]] or ("key" if plain(one[1]) in OTHER_KEYS else None)
        role = "inputs" if plain(one[1]) == "messages" else role
        if role in ("inputs", "reference", "key") and (role == "key" or role not in taken):
            found.append(one)
            taken.add(role)
    return tuple(found)


def with_fields(row: Row, lifted: Lifted) -> Row:
    """The row with these fields as columns; one whose name is taken is named after its column, too.

    >>> with_fields({"id": 1, "metadata": {"id": 2, "model": "a"}}, (("metadata", "model"), ("metadata", "id")))
    {'id': 1, 'metadata': {'id': 2, 'model': 'a'}, 'model': 'a', 'metadata.id': 2}
    """
    added = Row(row)
    for column, field in lifted:
        value = value_of(row.get(column))
        if isinstance(value, dict) and field in value:
            added[f"{column}.{field}" if field in row else field] = value[field]
    return added


def _fields(columns: Sequence[str], rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """The fields of columns of objects, but not of the one with the answer of a known tool."""
    answer = wrapped.find(rows)
    for column in columns:
        cells = [value_of(value) for row in rows if (value := row.get(column)) not in (None, "")]
        is_answer = answer is not None and answer.steps[0] == column
        if is_answer or not cells or not all(isinstance(cell, dict) for cell in cells):
            continue
        names = [*dict.fromkeys(name for cell in cells for name in cell)]
        yield from ((column, name) for name in names[:MOST_FIELDS])


def _are_variants(field: tuple[str, str], rows: Sequence[Row]) -> bool:
    """Whether nearly all rows have one of a few texts there, each several times."""
    column, name = field
    cells = [value_of(row.get(column)) for row in rows]
    values: list[Any] = [cell.get(name) for cell in cells if isinstance(cell, dict)]
    texts = {value for value in values if isinstance(value, str) and value.strip()}
    is_often = len(values) * 20 >= len(rows) * 19 and len(values) >= OFTEN * len(texts)
    return 1 < len(texts) <= MOST_VARIANTS and is_often and all(isinstance(value, str) for value in values)
