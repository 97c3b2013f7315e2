"""Cells as texts, and the words of a text as answers are compared: "Yes" is true, and 45,000 is 45000."""

from typing import Any

import orjson

from evaluations.linear import Pattern
from evaluations.mapping.labels_in_texts import YES_AND_NO
from evaluations.metrics.whole_words import WITHOUT_BLANKS

CHARACTERS = 2_000  # of each cell, half of them from its end
_WORD = Pattern(r"[\p{L}\p{N}]+")
_THOUSANDS = Pattern(r"\b\d{1,3}(?:,\d{3})+\b")


def words_of_text(text: str) -> set[str]:
    return {match[0].lower() for match in _WORD.finditer(text)}


def said_in(text: str) -> set[str]:
    words: set[str] = set()
    for word in words_of_text(_THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)):
        if WITHOUT_BLANKS.search(word):
            words |= {word[start : start + 2] for start in range(len(word) - 1)} or {word}
        else:
            words.add(YES_AND_NO.get(word, word))
    return words


def text_of_cell(value: Any) -> str:
    """A cell as text, at most its first and its last 1 000 characters."""
    if value is None:
        return ""
    text = (value if isinstance(value, str) else orjson.dumps(value, default=str).decode()).strip()
    half = CHARACTERS // 2
    return text if len(text) <= CHARACTERS else f"{text[:half]} {text[-half:]}"
