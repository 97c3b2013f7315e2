"""Approximate randomization: is a difference of two scores of sums larger than when rows change sides by chance?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .clusters import Labels
from .terms import ALPHA, Interval, Values

DRAWS = 10_000
SEED = 12345  # Both are sacrebleu's, so that p is the same as there.
AT_ONCE = 320  # A multiple of 32: the generator then gives the same in parts as at once.

Counts = NDArray[np.int64]
Scores = Callable[[Counts], Values]


@dataclass(frozen=True)
class Chance:
    """A difference beside those by chance: `p` is two-sided, and at most 0.05 where the interval excludes zero.

    There is no interval where nothing changes by chance.
    """

    difference: float
    interval: Interval | None
    p: float

    @classmethod
    def among(cls, difference: float, drawn: Values) -> "Chance":
        """`drawn` are the sizes of differences by chance; the interval reaches as far as 95 % of them."""
        few = int(ALPHA * (len(drawn) + 1))
        reach = float(np.partition(drawn, -few)[-few])
        p = (1 + int(np.count_nonzero(drawn >= abs(difference)))) / (1 + len(drawn))
        return cls(difference, (difference - reach, difference + reach) if reach else None, p)


def against(
    baseline: Counts, others: Sequence[Counts], scores: Scores, labels: Labels | None = None
) -> list[Chance]:
    """Each of `others` minus the baseline. Rows with one label change sides together.

    `scores` gives the score of every line of sums.
    """
    sums = [baseline.sum(axis=0), *(rows.sum(axis=0) for rows in others)]
    gains = np.hstack([_grouped(baseline - rows, labels) for rows in others])
    width, drawn = baseline.shape[1], [list[Values]() for _ in others]
    for swapped in _swaps(len(gains)):
        moved = (swapped.astype(np.float64) @ gains).astype(np.int64)
        for place, total in enumerate(sums[1:]):
            first = moved[:, place * width : (place + 1) * width] + total
            drawn[place].append(np.abs(scores(first) - scores(sums[0] + total - first)))
    first, *rest = scores(np.array(sums)).tolist()
    return [
        Chance.among(score - first, np.concatenate(sizes)) for score, sizes in zip(rest, drawn, strict=True)
    ]


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
