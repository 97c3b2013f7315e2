"""The law of few units: flipped signs and resamples."""

import math
from functools import cached_property

import numpy as np

from evaluations.statistics import tails
from evaluations.statistics.tails import Binomial, Least, Tail

from .draws import Source, flipped, resampled
from .table import Table
from .terms import Reach
from .tilt import Tilts


class Drawn:
    """Random sign flips of all columns at once; columns guarded against skew are resampled as well.

    Flips are fair if nothing at all changed. Each column has its own tail, and a family has the distribution of the
    least p, so a column of many ties does not widen the others.

    A mean of zero made of rare large gains and many small losses is not symmetric: resamples of the centred differences
    show how far its statistic varies on either side. On the near side, which decides, the largest of all columns
    counts, because few differences do not show their own skew. On the far side each column has its own tail, but at
    least the upper quartile of the family's critical values. Where few units differ, their number varies more than
    their sizes do, so the far side of the column by itself has resamples of all its units, ties included.

    Centring moves one gain among forty equal losses to an impossible score, and resamples without it vary without
    bound. On the near side the differences themselves are therefore drawn, too, with weights that make their mean
    zero (exponential tilting, Efron 1981). The smaller critical value counts, the tilted one at half the level, because
    it is the second of two chances.
    """

    method = "flips"

    def __init__(self, table: Table, source: Source | None = None):
        self.columns, self.seed = table.units.shape[1], table.seed
        self._table, self._source = table, source or Source(table.seed)
        used = np.flatnonzero((table.units != 0).any(axis=1) | (table.centre != 0).any(axis=1))
        self._units, self._guarded = table.units[used], table.guarded
        flips = flipped(self._units, self._source)
        self._flips: list[Tail] = [
            tails.Drawn(drawn) if is_guarded else Binomial(int(np.count_nonzero(column)))
            for drawn, is_guarded, column in zip(flips, self._guarded, self._units.T, strict=True)
        ]
        self._joint_flips = Least(list(flips), self._flips)
        self._index = np.cumsum(self._guarded) - 1
        few = np.flatnonzero(self._guarded & (table.sparse > 0))
        self._near_draws, self._far_draws, scattered = resampled(
            table.centre[used][:, self._guarded],
            len(table.units),
            self._source,
            self._units[:, few],
            table.sparse[few],
        )
        self._near, self._far = (
            [tails.Drawn(drawn) for drawn in side] for side in (self._near_draws, self._far_draws)
        )
        self._alone_far = dict(enumerate(self._far))
        self._alone_far |= zip(self._index[few].tolist(), map(tails.Drawn, scattered), strict=True)

    @cached_property
    def _pooled(self) -> tails.Drawn:
        """The largest resampled statistic on the near side over the guarded columns."""
        return tails.Drawn(self._near_draws.max(axis=0))

    @cached_property
    def _balanced(self) -> Least:
        """The least p of resamples on either side of any column."""
        return Least([*self._near_draws, *self._far_draws], [*self._near, *self._far])

    @cached_property
    def _tilts(self) -> Tilts:
        """Tilted statistics of the guarded columns; drawn only if a verdict depends on them."""
        return Tilts(self._units[:, self._guarded], self._source)

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        place = int(self._table.places[column])
        alone = alone and self.columns > 1
        flip = self._flip(place, level, alone)
        near = far = flip
        if self._guarded[place]:
            near = max(flip, self._near_end(place, level, alone))
            far = max(flip, self._far_end(place, level, alone))
        near, far = tails.critical(near), tails.critical(far)
        if self._table.level[column]:
            near = far = max(near, far)
        return (near, far) if self._table.rises[column] else (far, near)

    def p(self, column: int, r: float, alone: bool = False) -> float:
        place, value = int(self._table.places[column]), tails.step(r)
        alone = alone and self.columns > 1
        p = self._flip_p(place, value, alone)
        if not self._guarded[place]:
            return p
        index = self._index[place]
        skewed = 2 * (self._near[index] if alone else self._pooled).p(value)
        if skewed > 2 * p:
            skewed = 2 * max(p, 2 * self._tilted_p(index, value, skewed / 4, alone))
        return max(p, min(1.0, skewed))

    def _flip(self, place: int, level: float, alone: bool) -> float:
        tail = self._flips[place]
        if alone:
            return tail.at(level) if isinstance(tail, tails.Drawn) else tail.last(-math.log(level))
        return tail.last(self._joint_flips.limit(level))

    def _flip_p(self, place: int, value: int, alone: bool) -> float:
        improbable = self._flips[place].improbable(value)
        if not alone:
            return self._joint_flips.p(improbable)
        tail = self._flips[place]
        return tail.p(value) if isinstance(tail, tails.Drawn) else math.exp(-improbable)

    def _near_end(self, place: int, level: float, alone: bool) -> float:
        index = self._index[place]
        end = (self._near[index] if alone else self._pooled).at(level / 2)
        second = self._flip(place, level / 2, alone)
        if end <= second:
            return end
        return max(second, self._tilted_end(index, level / 4, end, alone))

    def _far_end(self, place: int, level: float, alone: bool) -> float:
        index = int(self._index[place])
        own = self._alone_far[index].at(level / 2)
        return own if alone else max(own, self._far_ends(level)[index])

    def _far_ends(self, level: float) -> list[float]:
        """The far critical values, each at least their upper quartile: few differences do not show their own skew."""
        if level not in self._ends:
            limit = self._balanced.limit(level)
            ends = [tail.last(limit) for tail in self._far]
            quartile = float(np.quantile(ends, 0.75, method="higher"))
            self._ends[level] = [max(end, quartile) for end in ends]
        return self._ends[level]

    @cached_property
    def _ends(self) -> dict[float, list[float]]:
        return {}

    def _tilted_end(self, index: int, level: float, most: float, alone: bool) -> float:
        return min(self._tilts.alone(index).at(level), most) if alone else self._tilts.pooled_at(level, most)

    def _tilted_p(self, index: int, value: int, most: float, alone: bool) -> float:
        return min(self._tilts.alone(index).p(value), most) if alone else self._tilts.pooled_p(value, most)
