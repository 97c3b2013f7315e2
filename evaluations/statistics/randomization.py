"""Approximate randomization: how often a difference of two corpus scores is exceeded if rows change sides by chance."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .numbering import Labels
from .terms import ALPHA, Interval, Values

DRAWS = 10_000
SEED = 12345  # both as in sacrebleu, so that p is equal
AT_ONCE = 320  # a multiple of 32, so that drawing in parts gives the same numbers

MOST_UNITS = 10_000  # merging rows into units keeps p exact

Counts = NDArray[np.int64]
Units = NDArray[np.int64]  # the index of the unit of each row
Scores = Callable[[Counts], Values]


@dataclass(frozen=True)
class Chance:
    """A difference with its two-sided `p`, which is at most 0.05 if the interval excludes zero.

    The interval is None if swaps change nothing.
    """

    difference: float
    interval: Interval | None
    p: float

    @classmethod
    def from_draws(cls, difference: float, drawn: Values) -> "Chance":
        """`drawn` are sizes of differences by chance; the interval extends as far as 95 % of them."""
        few = int(ALPHA * (len(drawn) + 1))
        reach = float(np.partition(drawn, -few)[-few])
        p = (1 + int(np.count_nonzero(drawn >= abs(difference)))) / (1 + len(drawn))
        return cls(difference, (difference - reach, difference + reach) if reach else None, p)


def units(size: int, labels: Labels | None = None) -> Units | None:
    """The unit of each row, which changes sides as a whole: its cluster, or with many rows or clusters a random group.

    None: every row is a unit.
    """
    if labels is not None:
        labels = np.unique(labels, return_inverse=True)[1]
    alone = size if labels is None else int(labels.max()) + 1
    if alone <= MOST_UNITS:
        return labels
    joined = np.random.default_rng(SEED).permutation(alone) % MOST_UNITS
    return joined if labels is None else joined[labels]


def summed(rows: Counts, of_units: Units | None) -> Counts:
    """The summed counts of each unit."""
    if of_units is None:
        return rows
    count = int(of_units.max()) + 1
    return np.stack([np.bincount(of_units, column, count) for column in rows.T], axis=1).astype(np.int64)


def against(baseline: Counts, variants: Sequence[Counts], scores: Scores) -> list[Chance]:
    """Each variant minus the baseline, from the counts of their units; `scores` turns rows of sums into scores."""
    sums = [baseline.sum(axis=0), *(counts.sum(axis=0) for counts in variants)]
    gains = np.hstack([baseline - counts for counts in variants]).astype(np.float64)
    width, drawn = baseline.shape[1], [list[Values]() for _ in variants]
    for swapped in _swaps(len(gains)):
        moved = (swapped.astype(np.float64) @ gains).astype(np.int64)
        for index, total in enumerate(sums[1:]):
            first = moved[:, index * width : (index + 1) * width] + total
            drawn[index].append(np.abs(scores(first) - scores(sums[0] + total - first)))
    baseline_score, *variant_scores = scores(np.array(sums)).tolist()
    return [
        Chance.from_draws(score - baseline_score, np.concatenate(sizes))
        for score, sizes in zip(variant_scores, drawn, strict=True)
    ]


def _swaps(size: int) -> Iterator[NDArray[np.bool_]]:
    chance = np.random.default_rng(SEED)
    for first in range(0, DRAWS, AT_ONCE):
        yield chance.integers(2, size=(min(AT_ONCE, DRAWS - first), size), dtype=np.bool_)
