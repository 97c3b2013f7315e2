"""Whether a phrase stands in a text by itself, and is no part of a longer word or number."""

import unicodedata

from evaluations import linear

# scripts whose words no blanks divide
WITHOUT_BLANKS = linear.Pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
BETWEEN_DIGITS = (".", ",")


def has(text: str, phrase: str) -> bool:
    """Whether a phrase, which is not empty, occurs in a text as whole words: O(length of both) for few occurrences.

    >>> has("It was 17, not 7.", "7"), has("It was 17 or 1.7 or 7,5", "7"), has("Iranian oil", "Iran")
    (True, False, False)
    """
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        before, after = text[max(start - 2, 0) : start], text[end : end + 2]
        if not (_goes_on(before[::-1], phrase[0]) or _goes_on(after, phrase[-1])):
            return True
        start = text.find(phrase, start + 1)
    return False


def _goes_on(outside: str, edge: str) -> bool:
    """Whether a word or number goes on in the two characters beyond its edge, the nearest first."""
    if not outside:
        return False
    if is_in_word(outside[0], edge):
        return True
    return edge.isdigit() and outside[0] in BETWEEN_DIGITS and outside[1:].isdigit()


def is_in_word(neighbour: str, edge: str) -> bool:
    """Whether a word goes on in its neighbour: not where blanks do not divide words."""
    if not neighbour or WITHOUT_BLANKS.match(neighbour) or WITHOUT_BLANKS.match(edge):
        return False
    return _is_of_word(neighbour) and _is_of_word(edge)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")
