"""Draws of differences tilted until their mean is zero (exponential tilting, Efron 1981)."""

import math
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.statistics import tails
from evaluations.statistics.tails import Steps
from evaluations.statistics.terms import Values

from .draws import PICKS, Draws, Source
from .table import ROUNDING, largest_size, without_rounding

TOGETHER = 8  # columns that are drawn before it is asked again whether more are needed


class Tilts:
    """sum of d / sqrt(sum of d^2) for as many tilted differences as a column has, for each column when it is asked for.

    The statistic is 0 if all differences have one sign, because no weights make their mean zero. All columns share the
    indices that are drawn. Of the largest statistic of all columns, no more columns are drawn than an answer needs: a
    further column can only raise its critical values and its p.
    """

    def __init__(self, units: Values, source: Source):
        self._units, self._source = without_rounding(units, largest_size(units)), source
        self._steps: dict[int, Steps] = {}
        self._drawn: dict[int, tails.Drawn] = {}
        self._largest = 0  # columns that the largest statistic covers by now

    def pooled_at(self, level: float, most: float) -> float:
        """The critical value of the largest statistic of all columns, at most `most`."""
        while (critical := self._pooled.at(level)) < most and self._has_pooled_more():
            pass
        return min(critical, most)

    def pooled_p(self, value: int, most: float) -> float:
        """The probability that the largest statistic of all columns reaches a value, at most `most`."""
        while (p := self._pooled.p(value)) < most and self._has_pooled_more():
            pass
        return min(p, most)

    @cached_property
    def _maxima(self) -> Steps:
        return np.zeros(self._number, np.uint16)

    @cached_property
    def _pooled(self) -> tails.Drawn:
        return tails.Drawn(self._maxima)

    def _has_pooled_more(self) -> bool:
        """Add some further columns to the largest statistic; False if there are none."""
        added = self._by_loss[self._largest : self._largest + TOGETHER]
        if added:
            for index in added:
                np.maximum(self._maxima, self._of(index), out=self._maxima)
            self._largest, self._pooled = self._largest + len(added), tails.Drawn(self._maxima)
        return bool(added)

    @cached_property
    def _by_loss(self) -> list[int]:
        """The columns, first those whose largest loss weighs most: their statistics vary most, so few are needed."""
        norms = np.sqrt(np.square(self._units).sum(axis=0))
        losses = np.maximum(-self._units, 0.0).max(axis=0, initial=0.0)
        weights = np.divide(losses, norms, out=np.zeros_like(losses), where=norms > 0)
        order: list[int] = np.argsort(-weights, kind="stable").tolist()
        return order

    def alone(self, index: int) -> tails.Drawn:
        """The statistic of one column."""
        if index not in self._drawn:
            self._drawn[index] = tails.Drawn(self._of(index))
        return self._drawn[index]

    @cached_property
    def _picks(self) -> list[NDArray[np.intp]]:
        """Indices in the type that numpy takes by, which otherwise every column would convert them to."""
        return [picks.astype(np.intp) for picks in self._source.picks(len(self._units))]

    @property
    def _number(self) -> int:
        """Draws of each column."""
        return sum(picks.shape[1] for picks in self._picks)

    def _of(self, index: int) -> Steps:
        if index not in self._steps:
            self._steps[index] = self._tilted(self._units[:, index])
        return self._steps[index]

    def _tilted(self, column: Values) -> Steps:
        table, count = _tilted_values(column[column != 0]), np.count_nonzero(column)
        if table is None:
            return np.zeros(self._number, np.uint16)
        return np.concatenate([_statistics(table, picks[:count]) for picks in self._picks])


def _statistics(table: Draws, picks: NDArray[np.intp]) -> Steps:
    values = table.take(picks)
    squares = np.einsum("ij,ij->j", values, values)  # in one pass, unlike the norm of numpy
    norms = np.maximum(np.sqrt(squares), np.finfo(np.float32).tiny)
    return tails.steps(np.ones(len(values), np.float32) @ values / norms)


def _tilted_values(d: Values) -> Draws | None:
    """Differences repeated by weights exp(k d) that make their mean zero; None if all have one sign."""
    if not d.size or d.min() > 0 or d.max() < 0:
        return None
    scaled = d / np.abs(d).max()
    powers = tilt(scaled) * scaled
    ends = np.cumsum(np.exp(powers - powers.max()))
    indices = np.rint(ends / ends[-1] * PICKS).astype(np.int64)
    return np.repeat(scaled.astype(np.float32), np.diff(indices, prepend=0))


def tilt(d: Values) -> float:
    """The k for which weights exp(k d) make the mean of `d` zero; `d` has gains and losses, of at most 1.

    log(sum of gains exp(k gain)) - log(sum of losses exp(-k loss)) rises with k by at least the smallest gain plus the
    smallest loss, so its root lies between 0 and its value at 0 divided by that slope.

    >>> round(tilt(np.array([1.0, -0.5, -0.5, -0.5])), 3)
    0.27
    """
    gains, losses = d[d > 0], d[d < 0]
    logarithms = np.log(gains), np.log(-losses)

    def excess(k: float) -> float:
        return _log_sum(logarithms[0], k * gains) - _log_sum(logarithms[1], k * losses)

    at_zero, slope = excess(0.0), float(gains.min() - losses.max())
    if at_zero == 0:
        return 0.0
    beyond = -at_zero / slope * (1 + ROUNDING)
    if excess(beyond) * at_zero >= 0:  # but for rounding, this is the root
        return beyond
    return float(scipy.optimize.brentq(excess, min(beyond, 0.0), max(beyond, 0.0)))


def _log_sum(logarithms: Values, powers: Values) -> float:
    """The logarithm of the sum of exp(logarithms + powers), without overflow; `powers` is overwritten."""
    powers += logarithms
    largest = np.maximum.reduce(powers)
    powers -= largest
    return float(largest) + math.log(np.add.reduce(np.exp(powers, out=powers)))
