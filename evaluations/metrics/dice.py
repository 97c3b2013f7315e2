"""Sørensen–Dice coefficient over adjacent pairs of UTF-16 units, as in the package string-similarity."""

from collections.abc import Sequence
from operator import ne

import numpy as np
from numpy.typing import NDArray

from evaluations.metrics import ngrams
from evaluations.metrics.texts import utf16_length, verdicts

# all characters that \s matches in JavaScript
WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
STAYS = np.ones(0x10000, bool)
STAYS[[ord(character) for character in WHITESPACE]] = False
BLANKS = dict.fromkeys(map(ord, WHITESPACE), " ")
WITHOUT_WHITESPACE = dict.fromkeys(map(ord, WHITESPACE))


def similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    """Twice the shared pairs divided by all pairs, whitespace removed.

    Equal texts, also two empty ones: 1.0; otherwise a side under two units: 0.0.
    """
    values = np.ones(len(actual))
    different = np.flatnonzero(verdicts(map(ne, actual, expected)))
    rows = different.tolist()
    actual_texts, expected_texts = [actual[row] for row in rows], [expected[row] for row in rows]
    values[different] = ngrams.in_slices(actual_texts, expected_texts, _similarities)
    return values


def stripped(text: str) -> str:
    r"""The text without characters that \s matches in JavaScript."""
    return text.translate(WITHOUT_WHITESPACE)


def _similarities(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    units = _units(actual), _units(expected)
    of_actual, of_expected = units[0].lengths, units[1].lengths
    values: NDArray[np.float64] = (
        2 * ngrams.shared(*units, orders=[2])[0] / np.maximum(of_actual + of_expected - 2, 1)
    )
    for row in np.flatnonzero((of_actual < 2) | (of_expected < 2)).tolist():
        values[row] = stripped(actual[row]) == stripped(expected[row])
    return values


def _units(texts: Sequence[str]) -> ngrams.Units:
    """Texts as UTF-16 units, whitespace removed."""
    joined = "".join(texts)
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), "<u2")
    length = len if len(units) == len(joined) else utf16_length
    ends = np.cumsum([length(text) for text in texts], dtype=np.int64)
    stay = np.flatnonzero(STAYS.take(units))
    return ngrams.Units(units.take(stay), np.searchsorted(stay, ends))
