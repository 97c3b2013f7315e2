"""Run statistics: functions of sums of counts per example, for what is no mean of scores (F1, MCC, corpus BLEU)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.values import MAXIMIZE, Direction

Values = NDArray[np.float64]
Counts = NDArray[np.int32]
MEAN = "mean"  # the headline of an evaluator without a statistic of its own
FEWEST_REFERENCES = 10  # of a label; with fewer, its F1 and recall give no verdict


@dataclass(frozen=True)
class Tallies:
    """The counts of examples as numbers to sum: example i has `vectors[index[i]]`; equal examples share a vector."""

    vectors: Values
    index: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.index)

    @property
    def total(self) -> Values:
        """The sums over all examples, as one row."""
        times = np.bincount(self.index, minlength=len(self.vectors)).astype(np.float64)
        return np.asarray(times @ self.vectors)[None, :]


@dataclass(frozen=True)
class Statistic:
    """`of` maps rows of sums to values between `low` and `high` (None: without a bound).

    `rare` maps the sums to the least number of references of any label whose own share decides; None if there is none.
    `summary` says in a few words what it is.
    """

    name: str
    title: str
    summary: str
    of: Callable[[Values], Values]
    low: float | None = 0.0
    high: float | None = 1.0
    direction: Direction = MAXIMIZE
    rare: Callable[[Values], float] | None = None


@dataclass(frozen=True)
class Counting:
    """How a kind's stored counts become sums. A row of counts below 0 has none.

    `tallies` reads rows of counts. `silent` turns the counts of an answer into those of an empty one. `labels` are the
    labels of a label table, `signature` describes the formula as its source does, from the numbers of references of an
    example that occur.
    """

    statistics: tuple[Statistic, ...]
    tallies: Callable[[Counts], Tallies]
    silent: Callable[[Counts], Counts]
    labels: tuple[str, ...] = ()
    signature: Callable[[Collection[int]], str] | None = None

    def statistic(self, name: str) -> Statistic:
        return next(statistic for statistic in self.statistics if statistic.name == name)


def each(counts: Counts) -> Tallies:
    """Tallies in which every example has a vector of its own."""
    return Tallies(counts.astype(np.float64), np.arange(len(counts)))
