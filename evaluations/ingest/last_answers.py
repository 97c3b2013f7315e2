"""Conversations that end with an answer: the right one, as in files for fine-tuning beside what a model answered, or
that of the model which a row names."""

from collections.abc import Sequence
from typing import Any, cast

from evaluations.conversations.messages import ROLES

from .batch import Row
from .known_names import TELL_APART
from .suggest import plain, roles

RIGHT, SAID = "expected answer", "output"  # names of columns
FEWEST = 2  # messages
TEXT_ONLY = {"role", "content", "refusal", "annotations", "name"}


def find(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The column whose conversations all end with an answer, and the name of a column for these.

    Beside outputs and without a reference they are right; where a column names the variant of each row and nothing is
    an output, they are what it answered.

    >>> asked = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
    >>> find([{"messages": asked, "completion": "5"}]), find([{"messages": asked}])
    (('messages', 'expected answer'), None)
    >>> find([{"model": "a", "messages": asked}, {"model": "b", "messages": asked}])
    ('messages', 'output')
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    found = {*roles(columns).values()}
    ended = [name for name in columns if all(_ends_with_answer(row, name) for row in rows)]
    if len(ended) != 1 or "reference" in found or {RIGHT, SAID} & {*columns}:
        return None
    if "output" in found:
        return ended[0], RIGHT
    variants = [{row.get(name) for row in rows} for name in columns if plain(name) in TELL_APART]
    return (ended[0], SAID) if any(len(names) > 1 for names in variants) else None


def with_answer(row: Row, column: str, name: str = RIGHT) -> Row:
    """The row with what was asked in the column, and the last answer in one of its own; a lone message is its text.

    >>> with_answer({"chat": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}, "chat")
    {'chat': [{'role': 'user', 'content': 'Hi'}], 'expected answer': 'Hello'}
    """
    if not _ends_with_answer(row, column):
        return row
    *asked, answer = cast(list[Any], row[column])
    said = {other: _content(value) for other, value in row.items() if _is_answer(value)}
    return row | said | {column: asked, name: _content(answer)}


def _ends_with_answer(row: Row, column: str) -> bool:
    messages: Any = row.get(column)
    if not isinstance(messages, list) or len(messages) < FEWEST:
        return False
    return all(isinstance(one, dict) and one.get("role") in ROLES for one in messages) and _is_answer(
        messages[-1]
    )


def _is_answer(value: Any) -> bool:
    """Whether a value is a message of a model that has nothing but text."""
    is_of_model = isinstance(value, dict) and value.get("role") == "assistant" and value.keys() <= TEXT_ONLY
    return is_of_model and isinstance(value.get("content"), str)


def _content(message: Any) -> str:
    text: str = message["content"]
    return text
