"""chrF and chrF++ of one sentence, with sacrebleu's numbers (effective order, whitespace removed)."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from string import punctuation

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.helpers import extract_word_ngrams

from evaluations.metrics import ngrams
from evaluations.metrics.bleu import Texts

CHARACTERS = range(1, 7)
PUNCTUATION = frozenset(punctuation)


def scores(
    actual: Sequence[str], expected: Sequence[Texts], *, word_order: int = 0, beta: int = 2
) -> NDArray[np.float64]:
    """F-score over character n-grams up to 6 and word n-grams up to `word_order`, from 0 to 1; empty texts
    give 0. Of several references the one with the highest score counts.
    """
    return counted(actual, expected, word_order=word_order, beta=beta)[0]


def counted(
    actual: Sequence[str], expected: Sequence[Texts], *, word_order: int = 0, beta: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """`scores`, and sacrebleu's statistics of each pair: n-grams of the actual text, of the expected one, and shared.

    If the expected text has no n-gram of a length, the actual text's n-grams of that length do not count.
    """
    alternatives = [(text,) if isinstance(text, str) else text for text in expected]
    rows = np.repeat(np.arange(len(actual)), [len(texts) for texts in alternatives])
    values, counts = _counted(
        [actual[row] for row in rows.tolist()], list(chain(*alternatives)), word_order, beta
    )
    best = np.lexsort((np.arange(len(rows)), -values, rows))[np.searchsorted(rows, np.arange(len(actual)))]
    return values[best], counts[best]


def best(actual: str, expected: Texts, *, word_order: int = 0, beta: int = 2) -> str:
    """The reference with the highest score, which counts."""
    if isinstance(expected, str):
        return expected
    values, _ = _counted([actual] * len(expected), expected, word_order, beta)
    return expected[int(values.argmax())]


def _counted(
    actual: Sequence[str], expected: Sequence[str], word_order: int, beta: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    counts = ngrams.in_slices(
        [_solid(text) for text in actual], [_solid(text) for text in expected], _characters
    )
    if word_order:
        counts = np.concatenate([counts, _words(actual, expected, word_order)], axis=1)
    both, text_counts, reference_counts = counts
    statistics = np.stack([np.where(reference_counts > 0, text_counts, 0), reference_counts, both], axis=1)
    by_row = statistics.reshape(3 * len(statistics), -1).T
    return _f_scores(both, text_counts, reference_counts, beta), by_row.astype(np.int32)


def _solid(text: str) -> str:
    return "".join(text.split())


def _characters(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.int64]:
    """N-grams of both, of the actual and of the expected text, with shape (count, order, row)."""
    units = ngrams.code_points(actual), ngrams.code_points(expected)
    try:
        both = ngrams.shared(*units, CHARACTERS)
    except ngrams.TooManyUnits:
        return _fewer_rows(actual, expected)
    totals = [np.array([np.maximum(side.lengths - order + 1, 0) for order in CHARACTERS]) for side in units]
    return np.stack([both, *totals])


def _fewer_rows(actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.int64]:
    """The counts of `_characters`, in two halves; for a single pair with over a thousand characters, by ranks."""
    if len(actual) == 1:
        return _ranked(actual[0], expected[0])[:, :, None]
    half = len(actual) // 2
    halves = _characters(actual[:half], expected[:half]), _characters(actual[half:], expected[half:])
    return np.concatenate(halves, axis=2)


def _ranked(actual: str, expected: str) -> NDArray[np.int64]:
    """The counts of one pair. An n-gram's number is its rank in its order, so that the next order fits in 64 bits."""
    points = ngrams.code_points([actual, expected])
    distinct_units, codes = np.unique(points.units, return_inverse=True)
    sides = np.split(codes, points.ends[:1])
    grams, counts = sides, []
    for order in CHARACTERS:
        if order > 1:
            grams = [
                gram[:-1] * len(distinct_units) + side[order - 1 :]
                for gram, side in zip(grams, sides, strict=True)
            ]
        distinct, ranks = np.unique(np.concatenate(grams), return_inverse=True)
        grams = np.split(ranks, [len(grams[0])])
        times = [np.bincount(gram, minlength=len(distinct)) for gram in grams]
        counts.append([np.minimum(*times).sum(), len(grams[0]), len(grams[1])])
    return np.array(counts, np.int64).T


def _words(actual: Sequence[str], expected: Sequence[str], word_order: int) -> NDArray[np.int64]:
    rows = []
    for texts in zip(actual, expected, strict=True):
        sides = [words(text) for text in texts]
        rows.append(
            _counts(*[[extract_word_ngrams(side, n + 1) for n in range(word_order)] for side in sides])
        )
    return np.stack(rows, axis=2) if rows else np.zeros((3, word_order, 0), np.int64)


def words(text: str) -> list[str]:
    """The words that chrF++ counts: one punctuation mark at the end, or else at the beginning, stands alone.

    >>> words("Yes, (she said).")
    ['Yes', ',', '(', 'she', 'said)', '.']
    """
    parts: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            parts += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            parts += word[0], word[1:]
        else:
            parts.append(word)
    return parts


def _counts(actual: Sequence[Counter[str]], expected: Sequence[Counter[str]]) -> NDArray[np.int64]:
    both = [
        sum(min(n, e[gram]) for gram, n in a.items() if gram in e)
        for a, e in zip(actual, expected, strict=True)
    ]
    return np.array([both, [a.total() for a in actual], [e.total() for e in expected]])


def _f_scores(
    both: NDArray[np.int64], of_actual: NDArray[np.int64], of_expected: NDArray[np.int64], beta: int
) -> NDArray[np.float64]:
    """F-beta of the precision and recall averaged over the orders that both texts have."""
    counted = (of_actual > 0) & (of_expected > 0)
    orders = np.maximum(counted.sum(axis=0), 1)
    precision = np.where(counted, both / np.maximum(of_actual, 1), 0).sum(axis=0) / orders
    recall = np.where(counted, both / np.maximum(of_expected, 1), 0).sum(axis=0) / orders
    divisor = beta**2 * precision + recall
    values: NDArray[np.float64] = np.minimum(
        (1 + beta**2) * precision * recall / np.where(divisor > 0, divisor, 1), 1.0
    )
    return values
