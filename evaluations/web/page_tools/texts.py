"""Values of examples and outputs as texts on pages."""

import json

from evaluations.conversations.messages import conversation, summary
from evaluations.reading.forms import form_of
from evaluations.reading.markup import words
from evaluations.values import JSON, text_of

LONGEST_WORD = 10


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


def cell(value: JSON, most: int) -> str:
    """A value in a cell of a table: at most so many characters of one line, markdown and lists without their marks."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(map(as_text, value))[:most]
    text = line(value)
    form = form_of(text[: 2 * most])
    return (words(form.text) if form.kind == "markdown" else text)[:most]


def short_words(name: str) -> str:
    """A shortened name for the head of a narrow column, which must show the full name elsewhere.

    >>> short_words("Levenshtein similarity")
    'Levensh. similarity'
    """
    words = name.split()
    return " ".join(word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}." for word in words)
