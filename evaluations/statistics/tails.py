"""The tail of a column's draws: how improbable a value is, and which value has a given improbability.

Statistics and draws are whole multiples of 1 / STEPS, so ties are exact. A critical value is the largest value that is
not significant plus half a step: p, interval and verdict compare the same whole numbers and cannot disagree.

Improbabilities are -ln p, which rises with the value. Of two columns, the one with the larger improbability shows more,
whatever their shapes: this is how the minimum of p over a family balances them (Westfall and Young 1993).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.process_cache import remembered

STEPS = 1_024
SHARE = 0.01  # of the draws, beyond which the tail is extended by an exponential one
LEAST_SCALE = 0.1  # of the exponential tail, in units of the statistic
TOLERANCE = 1e-11  # equal improbabilities differ by less

Steps = NDArray[np.uint16]
Improbable = NDArray[np.float64]


def steps(values: NDArray[Any]) -> Steps:
    """Statistics as whole numbers of steps; negative ones as 0, because only upper tails are asked for."""
    rounded = np.maximum(values, 0.0)
    rounded *= STEPS
    rounded -= 0.5
    return np.asarray(np.ceil(rounded, out=rounded), np.uint16)


def step(value: float) -> int:
    return math.ceil(max(value, 0.0) * STEPS - 0.5)


def critical(last: float) -> float:
    """The critical value after the largest number of steps that is not significant."""
    return (last + 0.5) / STEPS


class Tail(Protocol):
    def improbable(self, value: int) -> float: ...

    def table(self, size: int) -> Improbable:
        """The improbabilities of 0, 1, … steps."""

    def last(self, limit: float) -> float:
        """The largest number of steps whose improbability is at most `limit`; infinite if all are."""


class Drawn:
    """The tail of draws. Beyond the largest hundredth of them it is exponential, with their mean excess."""

    def __init__(self, draws: Steps):
        self.draws = len(draws)
        # at each number of steps, from the largest on, how many draws are at least as large
        self._rising = np.bincount(draws)[::-1].cumsum()
        self.counts = self._rising[::-1]
        self._beyond = math.floor(SHARE * (self.draws + 1) + 1e-9)
        if self._beyond:
            self._edge = self._largest(self._beyond)
            above = self._rising[: len(self._rising) - self._edge - 1]
            # The sum of excesses over the edge is the sum of the counts above it.
            self._scale = max(float(above.sum()) / self._beyond, LEAST_SCALE * STEPS)

    def p(self, value: int) -> float:
        """The share of draws that reach `value`; the data count as one more draw (Phipson and Smyth 2010)."""
        return (1 + self.count(value)) / (self.draws + 1)

    def count(self, value: int) -> int:
        return int(self.counts[value]) if value < len(self.counts) else 0

    def at(self, level: float) -> float:
        """The critical value of this column by itself; infinite if there are too few draws for the level."""
        reached = math.floor(level * (self.draws + 1) + 1e-9)
        return self._largest(reached) if reached >= 1 else math.inf

    def improbable(self, value: int) -> float:
        if self._beyond and value > self._edge:
            return math.log((self.draws + 1) / self._beyond) + (value - self._edge) / self._scale
        return -math.log(self.p(value))

    def table(self, size: int) -> Improbable:
        end = self._edge + 1 if self._beyond else size
        inner = _logarithms(self.draws).take(self.counts[: min(end, size)])
        np.subtract(math.log(self.draws + 1), inner, out=inner)
        if len(inner) == size:
            return inner
        if not self._beyond:
            return np.concatenate([inner, np.full(size - len(inner), math.log(self.draws + 1))])
        further = np.arange(1, size - self._edge) / self._scale
        return np.concatenate([inner, math.log((self.draws + 1) / self._beyond) + further])

    def last(self, limit: float) -> float:
        limit += TOLERANCE
        if self._beyond:
            beyond = limit - math.log((self.draws + 1) / self._beyond)
            if beyond >= 0:
                return self._edge + math.floor(self._scale * beyond)
        elif limit >= math.log(self.draws + 1):
            return math.inf
        return self._largest(math.ceil((self.draws + 1) * math.exp(-limit) - 1))

    def _largest(self, reached: int) -> int:
        """The largest number of steps that at least so many draws reach."""
        return len(self._rising) - 1 - int(self._rising.searchsorted(reached))


@remembered("numbers for exact tests", 8)
def _logarithms(most: int) -> Improbable:
    """log(1 + count) of 0, 1, … `most` draws, which all columns of a family share."""
    return np.log1p(np.arange(most + 1))


@dataclass(frozen=True)
class Binomial:
    """The exact tail of pass and fail: twice the probability of so few losses (or gains) among fair coins."""

    changed: int

    @cached_property
    def _all(self) -> Improbable:
        return _of_coins(self.changed)

    def improbable(self, value: int) -> float:
        return float(self._all[min(value, len(self._all) - 1)])

    def table(self, size: int) -> Improbable:
        return np.concatenate([self._all, np.full(max(size - len(self._all), 0), math.inf)])[:size]

    def last(self, limit: float) -> float:
        return int(np.searchsorted(self._all, limit + TOLERANCE, side="right")) - 1


@remembered("p values of sign tests", 500, lambda improbable: improbable.nbytes)
def _of_coins(m: int) -> Improbable:
    """The improbability of 0, 1, … steps, up to one beyond the largest possible value. It is not changed by readers."""
    root = math.sqrt(m)
    values = np.arange(step(root) + 2)
    fewer = np.floor((m - np.maximum(values - 0.5, 0.0) / STEPS * root) / 2 + 1e-9)
    losses = np.arange(m // 2 + 1)  # far fewer than values
    p = np.minimum(2 * scipy.special.bdtr(losses, m, 0.5), 1.0)
    improbable = -np.log(p)[np.maximum(fewer, 0).astype(np.intp)]
    improbable[-1] = math.inf
    improbable.flags.writeable = False
    return np.asarray(improbable)


class Least:
    """The least p of a family in each draw: the largest improbability over its columns."""

    def __init__(self, columns: Sequence[Steps], tails: Sequence[Tail]):
        largest, improbable = np.zeros(len(columns[0])), np.empty(len(columns[0]))
        for drawn, tail in zip(columns, tails, strict=True):
            table = tail.table(int(drawn.max()) + 1)
            table.take(drawn, out=improbable, mode="clip")  # no index is clipped; checking them costs more
            np.maximum(largest, improbable, out=largest)
        self._sorted = np.sort(largest)

    def p(self, improbable: float) -> float:
        """The corrected p of a column with this improbability."""
        reached = len(self._sorted) - int(np.searchsorted(self._sorted, improbable - TOLERANCE))
        return (1 + reached) / (len(self._sorted) + 1)

    def limit(self, level: float) -> float:
        """The largest improbability that is not significant at a level of the whole family."""
        reached = math.floor(level * (len(self._sorted) + 1) + 1e-9)
        return float(self._sorted[-reached]) if reached >= 1 else math.inf
