"""ROUGE-L: the longest common subsequence of words, for words of any script."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

WORDS = re.compile(r"[^\W_]+")
ASCII_WORDS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def tokens(text: str) -> list[str]:
    """Runs of letters and digits.

    >>> tokens("l’été, 2x_y")
    ['l', 'été', '2x', 'y']
    """
    return text.translate(ASCII_WORDS).split() if text.isascii() else WORDS.findall(text)


def f_scores(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """F1 of the longest common subsequence: 2 x LCS / words of both. A side without words: 0.0."""
    if not len(actual):
        return np.empty(0)
    sides = [[tokens(text) for text in side] for side in (actual, expected)]
    common = process.cpdist(*sides, scorer=LCSseq.similarity, dtype=np.int64, workers=1).ravel()
    totals = np.array([len(a) + len(e) for a, e in zip(*sides, strict=True)])
    values: NDArray[np.float64] = 2 * common / np.maximum(totals, 1)
    return values
