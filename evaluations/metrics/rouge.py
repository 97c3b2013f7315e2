"""ROUGE for words of any script: common words, pairs of words (ROUGE-1, ROUGE-2), or their longest common sequence."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from evaluations.linear import Pattern

WORDS = re.compile(r"[^\W_]+")
MARKED_WORDS = Pattern(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
ASCII_WORDS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def tokens(text: str) -> list[str]:
    """Runs of letters and digits.

    >>> tokens("l’été, 2x_y")
    ['l', 'été', '2x', 'y']
    """
    return text.translate(ASCII_WORDS).split() if text.isascii() else WORDS.findall(text)


def marked_words(text: str) -> list[str]:
    """Runs of letters, digits and the marks that belong to them (UAX 29, WB4).

    >>> marked_words("दिन की"), marked_words("l’été")
    (['दिन', 'की'], ['l', 'été'])
    """
    if text.isascii():
        return tokens(text)
    return [match[0] for match in MARKED_WORDS.finditer(text)]


def characters(text: str) -> list[str]:
    """All characters but blanks, each with the marks behind it."""
    letters: list[str] = []
    for character in text:
        if letters and unicodedata.category(character).startswith("M"):
            letters[-1] += character
        elif not character.isspace():
            letters.append(character)
    return letters


def f_scores(
    actual: Sequence[str], expected: Sequence[str], tokens: Callable[[str], list[str]] = tokens
) -> NDArray[np.float64]:
    """F1 of the longest common subsequence: 2 x LCS / words of both. A side without words: 0.0."""
    if not len(actual):
        return np.empty(0)
    sides = [[tokens(text) for text in side] for side in (actual, expected)]
    common = process.cpdist(*sides, scorer=LCSseq.similarity, dtype=np.int64, workers=1).ravel()
    return _f1(common, sides)


def ngrams(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """The runs of `size` words.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(*(words[start:] for start in range(size)), strict=False))


def shared(actual: Sequence[Hashable], expected: Sequence[Hashable]) -> int:
    """How many members both have, each as often as it is in both."""
    return (Counter(actual) & Counter(expected)).total()


def ngram_f_scores(
    actual: Sequence[str], expected: Sequence[str], tokens: Callable[[str], list[str]], size: int
) -> NDArray[np.float64]:
    """F1 of the runs of `size` words: 2 x common / those of both. A side without any: 0.0."""
    sides: list[list[list[Any]]] = [
        [tokens(text) if size == 1 else ngrams(tokens(text), size) for text in side]
        for side in (actual, expected)
    ]
    return _f1(np.array([shared(a, e) for a, e in zip(*sides, strict=True)], np.int64), sides)


def _f1(common: NDArray[np.int64], sides: Sequence[Sequence[Sequence[Any]]]) -> NDArray[np.float64]:
    totals = np.array([len(a) + len(e) for a, e in zip(*sides, strict=True)], np.int64)
    values: NDArray[np.float64] = 2 * common / np.maximum(totals, 1)
    return values
