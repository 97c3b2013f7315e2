"""Advice where references are telephone numbers, which are no quantities: +49 30 901820."""

from collections.abc import Sequence
from typing import Any

from evaluations import linear
from evaluations.values import JSON, text_of

NEARLY_ALL, MANY = 0.9, 0.5  # shares of the references: that look so; with a sign that no quantity has
FEWEST, MOST = 7, 15  # digits
NUMBER = r"\+?\(?\d[\d ()/.\x{a0}-]{5,22}\d"
ALONE = linear.Pattern(rf"\s*{NUMBER}\s*")
DATE = linear.Pattern(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}[/.-]\d{1,2}[/.-]\d{1,2}")
STEPS: list[Any] = [
    {"step": "pattern", "pattern": NUMBER, "group": 0},
    {"step": "normalize", "punctuation": "remove", "whitespace": "remove"},
]


def are_phones(references: Sequence[JSON]) -> bool:
    """Whether nearly all references are telephone numbers, and half of them begin with +, 0 or a bracket.

    >>> are_phones(["+49 30 901820", "+4989233"]), are_phones(["0049 30 901820", "(030) 901820"])
    (True, True)
    >>> are_phones(["1234567.50", "2500000"]), are_phones(["+1.5", "0.5"]), are_phones(["04/16/2000", "05.11.1999"])
    (False, False, False)
    """
    texts = [(text_of(reference) or "").strip() for reference in references]
    alike = sum(
        FEWEST <= sum(map(str.isdigit, text)) <= MOST and bool(ALONE.fullmatch(text)) for text in texts
    )
    signs = sum(text.startswith(("+", "0", "(")) and not DATE.fullmatch(text) for text in texts)
    return alike >= NEARLY_ALL * len(texts) and signs >= MANY * len(texts)
