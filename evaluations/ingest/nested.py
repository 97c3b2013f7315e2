"""Rows inside lists of other rows, as in SQuAD: {"title": …, "paragraphs": [{"context": …, "qas": [{…}, {…}]}]}.

Each innermost object is a row, with the fields of the objects around it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluations.conversations.messages import conversation

from .batch import Row
from .suggest import sure_roles

DEEPEST = 5
OUTERMOST = "row"


def find(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The fields, from outside to inside, whose lists hold the rows: only where no outer object has an input, and the
    innermost ones do; else empty.

    >>> find([{"title": "t", "parts": [{"text": "c", "qas": [{"question": "q?"}]}]}])
    ('parts', 'qas')
    >>> find([{"question": "q?", "choices": [{"prompt": "a"}]}]), find([{"title": "t", "tags": [{"name": "a"}]}])
    ((), ())
    """
    steps: list[str] = []
    while rows and len(steps) <= DEEPEST:
        names = [*dict.fromkeys(name for row in rows for name in row)]
        if {"inputs", "output"} & {*sure_roles(names).values()}:
            return tuple(steps) if "inputs" in sure_roles(names).values() else ()
        lists = [name for name in names if _are_lists([row.get(name) for row in rows])]
        if len(lists) != 1:
            return ()
        steps.append(lists[0])
        rows = [member for row in rows for member in row.get(lists[0]) or ()]
    return ()


def _are_lists(values: Sequence[Any]) -> bool:
    """Whether all present values are lists of objects, some of them not empty, and no conversations."""
    lists = [value for value in values if value is not None]
    objects = all(
        isinstance(value, list) and all(isinstance(item, dict) for item in value) for value in lists
    )
    return objects and any(lists) and not any(conversation(value) for value in lists if value)


def described(rows: str, steps: Sequence[str]) -> str:
    """The path of rows inside nested lists, as a choice names it.

    >>> described("data", ["paragraphs", "qas"])
    'data[].paragraphs[].qas[]'
    """
    return ".".join(f"{name}[]" for name in (rows, *steps))


def parts_of(described_path: str) -> tuple[str, tuple[str, ...]]:
    """The path of the outer list, and the fields of the lists inside it.

    >>> parts_of("data[].paragraphs[].qas[]"), parts_of("data.items"), parts_of("[].qas")
    (('data', ('paragraphs', 'qas')), ('data.items', ()), ('', ('qas',)))
    """
    outer, *inner = described_path.split("[].")
    return outer.removesuffix("[]"), tuple(name.removesuffix("[]") for name in inner)


def rows_in(row: Row, steps: Sequence[str], name: str = OUTERMOST) -> Iterator[Row]:
    """The rows inside a row. A name that both have is that of the inner one; the outer is prefixed with its list's.

    >>> list(rows_in({"id": 1, "qas": [{"id": 2}, {"q": "a"}]}, ["qas"]))
    [{'row.id': 1, 'id': 2}, {'id': 1, 'q': 'a'}]
    """
    if not steps:
        yield row
        return
    step, *inner_steps = steps
    around = {field: value for field, value in row.items() if field != step}
    members = row.get(step)
    for member in members if isinstance(members, list) else ():
        if isinstance(member, dict):
            outer = {
                (f"{name}.{field}" if field in member else field): value for field, value in around.items()
            }
            yield from rows_in(outer | member, inner_steps, step)
