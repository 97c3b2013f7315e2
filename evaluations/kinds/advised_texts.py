"""What advice sees of a text: its words, as they are written and without their signs."""

from evaluations.metrics.whole_words import WITHOUT_BLANKS
from evaluations.values import JSON

LONGEST = 500  # characters from which the shape of a text is told
COMPARED = 5_000  # characters of which words are compared; what follows counts as it is written
FEW_LETTERS = 3
PUNCTUATION = ".,;:!?()[]{}*\"'`“”‘’"


def bare(value: JSON) -> str:
    """The words of a text between blanks, without the punctuation around each, in lower case."""
    text = as_text(value)
    words = " ".join(word.strip(PUNCTUATION) for word in text[:COMPARED].casefold().split())
    return f" {words} {text[COMPARED:]}"


def count_words(text: str) -> int:
    """The number of words; without blanks between them, about one for two letters. A code of digits is one."""
    if not any(map(str.isalpha, text[:LONGEST])):
        return 1
    return len(WITHOUT_BLANKS.sub("", text).split()) + _letters_without_blanks(text) // 2


def is_short(text: str) -> bool:
    """Whether a text is a number or a few letters, which longer words and numbers may have in them by chance.

    >>> is_short("17"), is_short("(B)"), is_short("no"), is_short("Oslo")
    (True, True, True, False)
    """
    signs = [sign for sign in text if sign.isalnum()]
    return 0 < len(signs) <= FEW_LETTERS or (bool(signs) and all(map(str.isdigit, signs)))


def is_without_blanks(text: str) -> bool:
    return _letters_without_blanks(text) * 2 > len(text)


def _letters_without_blanks(text: str) -> int:
    return len(text) - len(WITHOUT_BLANKS.sub("", text))


def as_text(value: JSON) -> str:
    return value if isinstance(value, str) else str(value)
