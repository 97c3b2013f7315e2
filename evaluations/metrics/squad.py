"""The normalisation and the F1 of SQuAD's evaluation script (version 2.0)."""

import string
from collections import Counter
from itertools import groupby

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = {"a", "an", "the"}


def tokens(text: str, *, articles: bool = True) -> list[str]:
    """The words of a text in lower case, without ASCII punctuation and, with `articles`, without a, an and the.

    >>> tokens("The  Red, fox's den")
    ['red', 'foxs', 'den']
    """
    plain = text.lower().translate(PUNCTUATION)
    if articles and any(article in plain for article in ARTICLES):
        runs = ("".join(run) for _, run in groupby(plain, key=str.isalnum))
        plain = "".join(" " if run in ARTICLES else run for run in runs)
    return plain.split()


def f1(actual: list[str], expected: list[str]) -> float:
    """Twice the shared words by all words; two sides without words are equal."""
    if not actual or not expected:
        return float(actual == expected)
    shared = (Counter(actual) & Counter(expected)).total()
    return 2 * shared / (len(actual) + len(expected))
