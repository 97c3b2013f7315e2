"""Values of examples and outputs as texts on pages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.conversations.messages import Message, conversation, summary
from evaluations.values import JSON, text_of

LONGEST, MOST_LINES = 600, 10
LONGEST_WORD = 10


@dataclass(frozen=True)
class Beginning:
    """The beginning of a text, and the number of characters left; or the messages of a conversation."""

    text: str
    characters_left: int = 0
    messages: Sequence[Message] | None = None


def as_text(value: JSON) -> str:
    """A text unchanged, None as an empty text, other values as JSON."""
    return text_of(value) or ""


def pretty(value: JSON) -> str:
    """Indented JSON, for editing."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def line(value: JSON) -> str:
    """A value on one line: a conversation as its number of messages and its last message."""
    messages = conversation(value)
    return as_text(value) if messages is None else summary(messages)


def opened(value: JSON) -> Beginning:
    """A whole value, for an open row."""
    messages = conversation(value)
    return Beginning(as_text(value)) if messages is None else Beginning("", messages=messages)


def beginning(text: str, maximum: int = LONGEST, lines: int = MOST_LINES) -> Beginning:
    """About `maximum` characters and `lines` lines of a text, cut at the end of a word if possible.

    A text that is up to a fifth longer is not cut: that would save hardly any room.

    >>> beginning("one two three", maximum=9)
    Beginning(text='one two…', characters_left=6, messages=None)
    >>> beginning("one two three", maximum=11)
    Beginning(text='one two three', characters_left=0, messages=None)
    """
    if len(text) <= maximum + maximum // 5 and text.count("\n") < lines:
        return Beginning(text)
    start = "\n".join(text[:maximum].split("\n")[:lines])
    if len(start) == maximum and (blank := start.rfind(" ", maximum - 30)) > 0:
        start = start[:blank]
    return Beginning(f"{start}…", len(text) - len(start))


def short_words(name: str) -> str:
    """A shortened name for the head of a narrow column, which must show the full name elsewhere.

    >>> short_words("Levenshtein similarity")
    'Levensh. similarity'
    """
    words = name.split()
    return " ".join(word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}." for word in words)
