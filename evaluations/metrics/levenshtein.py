"""Edit distances of many pairs of texts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from evaluations.metrics.texts import lengths

LONG = 512
PROBE = 256


def distances(
    actual: Sequence[str],
    expected: Sequence[str],
    hints: NDArray[np.int64] | None = None,
    *,
    bound: int = LONG + 1,
) -> NDArray[np.int64]:
    """Levenshtein distances, code point by code point; insert, delete and replace cost one each.

    `hints` are guesses by row (negative: none). They change the time, never the result: rapidfuzz first searches a band
    as wide as the hint. Without one, the distance is guessed from the ends of the texts. `bound`, about the length of
    the longest text, saves time too.
    """
    if bound <= LONG:
        return _batch(actual, expected)
    long = np.minimum(lengths(actual), lengths(expected)) > LONG
    distances = np.empty(len(long), np.int64)
    short = np.flatnonzero(~long).tolist()
    distances[short] = _batch([actual[row] for row in short], [expected[row] for row in short])
    for row in np.flatnonzero(long).tolist():
        distance_hint = None if hints is None or hints[row] < 0 else int(hints[row])
        distances[row] = _long(actual[row], expected[row], distance_hint)
    return distances


def _batch(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.int64]:
    if not len(actual):
        return np.empty(0, np.int64)
    return process.cpdist(actual, expected, scorer=Levenshtein.distance, dtype=np.int64, workers=1).ravel()


def _long(actual: str, expected: str, distance_hint: int | None) -> int:
    guess = _guess(actual, expected)
    # If the texts look too different (in upper case, for example), their known distance does not help.
    # A slightly wider band is cheaper than a second attempt.
    hint = guess if distance_hint is None or guess is None else distance_hint + distance_hint // 8
    return Levenshtein.distance(actual, expected, score_hint=hint)


def _guess(actual: str, expected: str) -> int | None:
    """A guess of the distance from both ends; None if the texts differ too much for a band to be faster."""
    edits = Levenshtein.distance(actual[:PROBE], expected[:PROBE])
    edits += Levenshtein.distance(actual[-PROBE:], expected[-PROBE:])
    if edits > PROBE:
        return None
    return max(edits * max(len(actual), len(expected)) // (2 * PROBE), abs(len(actual) - len(expected)))


def rounded_similarities(distances: NDArray[np.int64], longest: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 - distance / longest in hundredths, rounded half up in integers; 1.0 where both texts are empty.

    >>> rounded_similarities(np.array([1, 51, 0]), np.array([200, 70, 0])).tolist()
    [1.0, 0.27, 1.0]
    """
    divisor = np.maximum(longest, 1)
    values: NDArray[np.float64] = (200 * (divisor - distances) + divisor) // (2 * divisor) / 100
    return values
