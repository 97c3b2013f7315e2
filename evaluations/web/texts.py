"""Values of examples and outputs as texts for pages."""

from dataclasses import dataclass

from evaluations.values import JSON, text_of

LONGEST, MOST_LINES = 600, 10
LONGEST_WORD = 10


@dataclass(frozen=True)
class Beginning:
    """The start of a text, and how many characters follow it."""

    text: str
    left: int = 0


def as_text(value: JSON) -> str:
    """A text unchanged, None as an empty text, other values as JSON."""
    return text_of(value) or ""


def beginning(text: str, whole: bool = False, most: int = LONGEST, lines: int = MOST_LINES) -> Beginning:
    """At most so many characters and lines of a text, cut at the end of a word where one is near.

    >>> beginning("one two three", most=9)
    Beginning(text='one two…', left=6)
    """
    if whole or (len(text) <= most and text.count("\n") < lines):
        return Beginning(text)
    start = "\n".join(text[:most].split("\n")[:lines])
    if len(start) == most and (blank := start.rfind(" ", most - 30)) > 0:
        start = start[:blank]
    return Beginning(f"{start}…", len(text) - len(start))


def short_words(name: str) -> str:
    """A name for the narrow head of a column; the full one belongs beside it.

    >>> short_words("Levenshtein similarity")
    'Levensh. similarity'
    """
    words = name.split()
    return " ".join(word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}." for word in words)
