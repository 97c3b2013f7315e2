"""Values of examples and outputs as texts on pages."""

import json

from evaluations.conversations.messages import conversation, summary
from evaluations.linear import Pattern
from evaluations.reading.forms import form_of
from evaluations.values import JSON, text_of

LONGEST_WORD = 10
LONGEST_GLANCE = 1_000  # characters
# of markdown: heads, quotes, fences, the lines of tables, and what is bold or code
MARKS = Pattern(r"(?m)^ {0,3}(?:#{1,6} |>+ ?|(?:```|~~~).*$|\|?[ :]*-{2,}[ :|-]*$)|\*\*|`")


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


def glance(value: JSON) -> str:
    """A value on one line as people read it: a list as its members, markdown without its marks.

    >>> glance("## Answer\\n**30** days"), glance(["urgent", 2])
    ('Answer 30 days', 'urgent, 2')
    """
    if isinstance(value, list) and all(isinstance(member, str | int | float) for member in value):
        return ", ".join(map(as_text, value))
    text = line(value)
    if not isinstance(value, str) or form_of(text[:LONGEST_GLANCE]).kind != "markdown":
        return text
    return " ".join(MARKS.sub("", text[:LONGEST_GLANCE]).split())


def short_words(name: str) -> str:
    """A shortened name for the head of a narrow column, which must show the full name elsewhere.

    >>> short_words("Levenshtein similarity")
    'Levensh. similarity'
    """
    words = name.split()
    return " ".join(word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}." for word in words)
