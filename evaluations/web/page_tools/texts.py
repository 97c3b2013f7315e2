"""Values of examples and outputs as texts on pages."""

import json
from collections.abc import Iterable

from evaluations.conversations.messages import conversation, summary
from evaluations.reading.forms import form_of
from evaluations.reading.markup import words
from evaluations.values import JSON, written

MOST_LINES = 3
LONGEST_WORD = 10
KEY_WIDTHS = {"tiny": 4, "short": 8}  # letters


def as_text(value: JSON) -> str:
    """A text unchanged, None as an empty text, other values as JSON."""
    return written(value)


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
    has_marks = form.kind == "markdown" or (form.kind == "code" and form.is_fenced)
    return (words(form.text) if has_marks else text)[:most]


def key_width(names: Iterable[str]) -> str:
    """How wide the column of these keys has to be: "tiny", "short" or "" for wider ones.

    >>> key_width(["t1", "t12"]), key_width(["clause-1"]), key_width(["ticket-2026-11"])
    ('tiny', 'short', '')
    """
    longest = max(map(len, names), default=0)
    return next((word for word, most in KEY_WIDTHS.items() if longest <= most), "")


def short_words(name: str, most: int = MOST_LINES) -> str:
    """A shortened name for the head of a narrow column, which must show the full name elsewhere.

    It ends with dots before a browser would have to cut them off, with the last of `most` lines.

    >>> short_words("Levenshtein similarity"), short_words("Is the answer right? (sample)")
    ('Levensh. similarity', 'Is the answer right?…')
    >>> short_words("Exactly the answer, an evaluator of ours")
    'Exactly the answer…'
    """
    words = [word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}." for word in name.split()]
    lines, room = 0, 0
    for number, word in enumerate(words):
        if len(word) >= room:
            if lines == most:
                kept = words[: number if room > 0 or number < 2 else number - 1]  # the dots need room, too
                return " ".join(kept).rstrip(",;:") + "…"
            lines, room = lines + 1, LONGEST_WORD + 1
        room -= len(word) + 1
    return " ".join(words)
