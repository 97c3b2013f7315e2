"""Conversations that end with the right answer, as files for fine-tuning have them, beside what a model answered."""

from collections.abc import Sequence
from typing import Any, cast

from evaluations.conversations.messages import ROLES

from .batch import Row
from .suggest import roles

COLUMN = "expected answer"
FEWEST = 2  # messages
TEXT_ONLY = {"role", "content", "refusal", "annotations", "name"}


def find(rows: Sequence[Row]) -> str:
    """The column whose conversations all end with an answer, beside outputs and without a reference; else "".

    >>> asked = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
    >>> find([{"messages": asked, "completion": "5"}]), find([{"messages": asked}])
    ('messages', '')
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    found = {*roles(columns).values()}
    ended = [name for name in columns if all(_ends_with_answer(row, name) for row in rows)]
    is_free = "output" in found and "reference" not in found and COLUMN not in columns
    return ended[0] if is_free and len(ended) == 1 else ""


def with_answer(row: Row, column: str) -> Row:
    """The row with what was asked in the column, and the last answer in one of its own; a lone message is its text.

    >>> with_answer({"chat": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}, "chat")
    {'chat': [{'role': 'user', 'content': 'Hi'}], 'expected answer': 'Hello'}
    """
    if not _ends_with_answer(row, column):
        return row
    *asked, answer = cast(list[Any], row[column])
    said = {name: _content(value) for name, value in row.items() if _is_answer(value)}
    return row | said | {column: asked, COLUMN: _content(answer)}


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
