"""Similarities computed by rapidfuzz: Indel and Jaro–Winkler."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Indel, JaroWinkler


def indel(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Twice the longest common subsequence divided by both lengths; two empty texts: 1.0."""
    return _similarities(actual, expected, Indel)


def jaro_winkler(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Jaro similarity, increased for a common prefix of up to four characters (weight 0.1); two empty texts: 1.0."""
    return _similarities(actual, expected, JaroWinkler)


def _similarities(actual: Sequence[str], expected: Sequence[str], measure: Any) -> NDArray[np.float64]:
    if not len(actual):
        return np.empty(0)
    scorer = measure.normalized_similarity
    return process.cpdist(actual, expected, scorer=scorer, dtype=np.float64, workers=1).ravel()
