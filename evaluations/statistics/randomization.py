"""Approximate randomization: is a difference of two scores of sums larger than when rows change sides by chance?"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .clusters import Labels

DRAWS = 10_000
SEED = 12345  # Both are sacrebleu's, so that p is the same as there.
AT_ONCE = 320  # A multiple of 32: the generator then gives the same in parts as at once.

Counts = NDArray[np.int64]


def p_values(
    baseline: Counts, others: Sequence[Counts], score: Callable[[Counts], float], labels: Labels | None = None
) -> list[float]:
    """One for each of `others` against the baseline, two-sided. Rows with one label change sides together."""
    sums = [baseline.sum(axis=0), *(rows.sum(axis=0) for rows in others)]
    observed = [abs(score(total) - score(sums[0])) for total in sums[1:]]
    gains = np.hstack([_grouped(baseline - rows, labels) for rows in others])
    width, reached = baseline.shape[1], [0] * len(others)
    for swapped in _swaps(len(gains)):
        moved = (swapped.astype(np.float64) @ gains).astype(np.int64)
        for place, total in enumerate(sums[1:]):
            first = moved[:, place * width : (place + 1) * width] + total
            pairs = zip(first, sums[0] + total - first, strict=True)
            reached[place] += sum(abs(score(one) - score(other)) >= observed[place] for one, other in pairs)
    return [(count + 1) / (DRAWS + 1) for count in reached]


def _grouped(rows: Counts, labels: Labels | None) -> NDArray[np.float64]:
    """The sums of rows with one label."""
    if labels is None:
        return rows.astype(np.float64)
    known, groups = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(known), rows.shape[1]))
    np.add.at(sums, groups, rows)
    return sums


def _swaps(size: int) -> Iterator[NDArray[np.bool_]]:
    chance = np.random.default_rng(SEED)
    for first in range(0, DRAWS, AT_ONCE):
        yield chance.integers(2, size=(min(AT_ONCE, DRAWS - first), size), dtype=np.bool_)
