"""The joint null distribution of a family's statistics: critical values and p.

The statistic of a column is R = |sum d| / sqrt(sum d^2) over its units (examples or clusters); for pass and
fail it is McNemar's z. `student` turns it into the t of a mean. Three laws: `Drawn` flips signs and resamples,
`Normal` draws from the correlation of the columns, `Coins` is exact for one pass/fail column.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from evaluations.statistics import canonical, tails
from evaluations.statistics.tails import Binomial, Least, Steps, Tail
from evaluations.statistics.terms import Mask, Values

DRAWS = 9_999
TILTED = 1_999  # draws of tilted differences
PICKS = 1 << 16  # equally likely indices among tilted differences
ENUMERATED = 13  # units up to which every flip is enumerated
SLACK = 1 + 1e-5  # tolerance for rounding in sums of 32-bit floats
COIN_SLACK = 1 + 1e-9
ROUNDING = 1e-9
LEVEL_SUM = 1e-12  # of the sum of sizes; a smaller sum of differences is zero but for rounding
CHUNK = 500  # draws at once
RESAMPLED = 100  # resamples at once; their counts fit into the cache of a processor
CORRELATION_STEPS = 1 << 30  # correlations are rounded, so that the order of rows does not change them

Draws = NDArray[np.float32]
Reach = tuple[float, float]  # critical values below and above the mean


class Law(Protocol):
    """`reach` gives the critical values for a column's interval, `p` the probability of a statistic of at least `r`.

    `alone` is about the column by itself instead of its family.
    """

    columns: int
    method: str
    seed: int

    def reach(self, column: int, level: float, alone: bool = False) -> Reach: ...

    def p(self, column: int, r: float, alone: bool = False) -> float: ...


def student(r: float, units: float) -> float:
    """The t statistic for R; infinite if R is the largest possible value for this number of units."""
    return math.inf if r * r >= units else r * math.sqrt((units - 1) / (units - r * r))


def centred(differences: Values) -> Values:
    """Each column minus the mean of its non-zero differences; ties and missing pairs stay zero."""
    changed = differences != 0
    count = np.maximum(changed.sum(axis=0), 1)
    centre = np.where(changed, differences - differences.sum(axis=0) / count, 0.0)
    return without_rounding(centre, _largest_size(differences))


def _largest_size(differences: Values) -> Values:
    return np.asarray(np.abs(differences).max(axis=0, initial=0.0))


def without_rounding(centre: Values, size: Values) -> Values:
    """The centred values, with rounding errors relative to `size` set to zero."""
    return np.where(np.abs(centre) > ROUNDING * size, centre, 0.0)


@dataclass(frozen=True)
class Coins:
    """McNemar's exact test: a fair coin for each of `changed` pairs."""

    changed: int

    def critical(self, level: float) -> float:
        """The largest value of the statistic that is not significant."""
        m = self.changed
        k = int(special.bdtrik(level / 2, m, 0.5)) if m else -1
        k = max((c for c in range(max(k - 2, 0), k + 3) if self._tail(c) <= level), default=-1)
        return max(m - 2 * (k + 1), 0) / math.sqrt(m) * COIN_SLACK if m else 0.0

    def p(self, r: float) -> float:
        fewer = math.floor((self.changed - r * math.sqrt(self.changed) / COIN_SLACK) / 2 + 1e-6)
        return self._tail(fewer)

    def _tail(self, fewer: int) -> float:
        return min(1.0, 2 * float(special.bdtr(fewer, self.changed, 0.5)))


@dataclass(frozen=True)
class Table:
    """The units of a family, turned so that every column's sum is positive, in canonical order.

    So near tails, on the side of zero, meet near tails. `centre` is zero in columns that are not `guarded` against
    skew. Of equal columns one is kept: `places` gives for each column of the family its position among them, `rises`
    whether it keeps its sign, and `level` whether its sum is zero.
    """

    units: Values
    centre: Values
    guarded: Mask
    rises: Mask
    level: Mask
    places: NDArray[np.intp]
    seed: int

    @classmethod
    def of(cls, units: Values, centre: Values, guarded: Mask) -> "Table":
        size = _largest_size(units)
        scaled, centred_units = (
            np.divide(part, size, out=np.zeros_like(part, np.float64), where=size > 0)
            for part in (units, centre)
        )
        total = scaled.sum(axis=0)
        level = np.abs(total) <= LEVEL_SUM * np.abs(scaled).sum(axis=0)
        rises = np.where(level, canonical.rises(list(scaled.T), level), total > 0)
        sign = np.where(rises, 1.0, -1.0)
        turned = scaled * sign + 0.0
        distinct, copies = _distinct(turned, guarded)
        rows, order = canonical.order([turned[:, index] for index in distinct])
        kept = np.array(distinct, np.intp)[order]
        table = np.ix_(rows, kept)
        seed = canonical.seed([turned[:, index] for index in kept])
        places = np.argsort(order)[copies]
        return cls(turned[table], (centred_units * sign)[table], guarded[kept], rises, level, places, seed)


def _distinct(columns: Values, guarded: Mask) -> tuple[list[int], list[int]]:
    """The first of equal columns, and for each column its place among these."""
    kept: dict[tuple[bytes, bool], int] = {}
    first: list[int] = []
    copies = []
    for index, column in enumerate(columns.T):
        key = column.tobytes(), bool(guarded[index])
        if key not in kept:
            kept[key] = len(kept)
            first.append(index)
        copies.append(kept[key])
    return first, copies


class Source:
    """The random numbers of a family, from its seed."""

    def __init__(self, seed: int):
        self._seed, self._chance = seed, np.random.default_rng(seed)

    def flips(self, m: int) -> Iterator[Draws]:
        """Signs of `m` units, units by draws, a part of the draws at a time; of few units every one except the data."""
        draws = 2**m - 1 if m <= ENUMERATED else DRAWS
        for start in range(0, draws, CHUNK):
            stop = min(start + CHUNK, draws)
            yield _all_coins(start, stop, m) if m <= ENUMERATED else _coins(stop - start, m, self._chance)

    def counts(self, n: int, m: int) -> Iterator[Draws]:
        """How often each of the first `m` of `n` units is drawn, units by draws, a part of the draws at a time."""
        offsets = np.arange(RESAMPLED)[:, None] * n
        for start in range(0, DRAWS, RESAMPLED):
            draws = min(RESAMPLED, DRAWS - start)
            picks = self._chance.integers(0, n, (draws, n), dtype=np.int32) + offsets[:draws]
            numbers = np.bincount(picks.ravel(), minlength=draws * n).reshape(draws, n)
            yield numbers[:, :m].astype(np.float32).T

    def picks(self, n: int) -> Iterator[NDArray[np.uint16]]:
        """Indices into the `PICKS` tilted differences, draws by `n` units, a part of the draws at a time."""
        chance = np.random.default_rng([self._seed, 1])
        for start in range(0, TILTED, CHUNK):
            yield chance.integers(0, PICKS, (min(CHUNK, TILTED - start), n), dtype=np.uint16)


class Drawn:
    """Random sign flips of all columns at once; columns guarded against skew are resampled as well.

    Flips are fair if nothing at all changed. Each column has its own tail, and a family has the distribution of the
    least p, so a column of many ties does not widen the others.

    A mean of zero made of rare large gains and many small losses is not symmetric: resamples of the centred differences
    show how far its statistic varies on either side. On the near side, which decides, the largest of all columns
    counts, because few differences do not show their own skew. On the far side each column has its own tail, but at
    least the upper quartile of the family's critical values.

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
        flipped = _flipped(self._units, self._source)
        self._flips: list[Tail] = [
            tails.Drawn(drawn) if is_guarded else Binomial(int(np.count_nonzero(column)))
            for drawn, is_guarded, column in zip(flipped, self._guarded, self._units.T, strict=True)
        ]
        self._joint_flips = Least(list(flipped), self._flips)
        resampled = _resampled(table.centre[used][:, self._guarded], len(table.units), self._source)
        self._index = np.cumsum(self._guarded) - 1
        self._near, self._far = ([tails.Drawn(drawn) for drawn in side] for side in resampled)
        self._resampled = resampled

    @cached_property
    def _pooled(self) -> tails.Drawn:
        """The largest resampled statistic on the near side over the guarded columns."""
        return tails.Drawn(self._resampled[0].max(axis=0))

    @cached_property
    def _balanced(self) -> Least:
        """The least p of resamples on either side of any column."""
        columns = [drawn for side in self._resampled for drawn in side]
        return Least(columns, [*self._near, *self._far])

    @cached_property
    def _tilts(self) -> Steps:
        """Tilted statistics of the guarded columns; drawn only if a verdict depends on them."""
        return _tilted(self._units[:, self._guarded], self._source)

    @cached_property
    def _pooled_tilts(self) -> tails.Drawn:
        return tails.Drawn(self._tilts.max(axis=0))

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
            skewed = min(skewed, 2 * max(p, 2 * self._tilt(index, alone).p(value)))
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
        resampled = (self._near[index] if alone else self._pooled).at(level / 2)
        second = self._flip(place, level / 2, alone)
        if resampled <= second:
            return resampled
        return min(resampled, max(second, self._tilt(index, alone).at(level / 4)))

    def _far_end(self, place: int, level: float, alone: bool) -> float:
        index = int(self._index[place])
        own = self._far[index].at(level / 2)
        return own if alone else max(own, self._far_ends(level)[index], self._quartile(level))

    def _far_ends(self, level: float) -> list[float]:
        if level not in self._ends:
            limit = self._balanced.limit(level)
            self._ends[level] = [tail.last(limit) for tail in self._far]
        return self._ends[level]

    @cached_property
    def _ends(self) -> dict[float, list[float]]:
        return {}

    def _quartile(self, level: float) -> float:
        """The upper quartile of the far critical values: few differences do not show their own skew."""
        return float(np.quantile(self._far_ends(level), 0.75, method="higher"))

    def _tilt(self, index: int, alone: bool) -> tails.Drawn:
        return tails.Drawn(self._tilts[index]) if alone else self._pooled_tilts


class Normal:
    """Many units: normal statistics with the correlation of the columns, corrected for skew.

    `skewness` is that of each column's mean: the skewness of its units divided by the square root of their number; 0
    for pass and fail.
    """

    method = "normal"

    def __init__(self, table: Table, skewness: Values):
        self.columns, self.seed = table.units.shape[1], table.seed
        self._skew, self._rises = np.where(table.rises, 1, -1) * skewness / 6, table.rises
        self._alone = self.columns == 1
        chance = np.random.default_rng(self.seed)
        self._draws = np.empty(0, np.float32) if self._alone else _normal_maxima(table.units, chance)

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        q = -float(special.ndtri(level / 2))
        if not (alone or self._alone):
            q = max(q, _largest(self._draws, level))
        skew = float(self._skew[column])
        near, far = (q + max(0.0, side * skew) * (2 * q * q + 1) for side in (-1, 1))
        return (near, far) if self._rises[column] else (far, near)

    def p(self, column: int, r: float, alone: bool = False) -> float:
        plain = uncorrected(r, max(0.0, -float(self._skew[column])))
        p = 2 * float(special.ndtr(-plain))
        return p if alone or self._alone else max(p, _share(self._draws, plain))


def uncorrected(r: float, skew: float) -> float:
    """The q for which q + skew (2 q^2 + 1) equals r; a negative q is no evidence."""
    if skew == 0:
        return r
    root = math.sqrt(max(1 - 8 * skew * (skew - r), 0.0))
    return max((root - 1) / (4 * skew), 0.0)


def _largest(values: Draws, level: float) -> float:
    """The critical value from draws: the h-th largest, with h = level times their number; infinite if h is below 1."""
    h = math.floor(level * (len(values) + 1) + 1e-9)
    if h < 1:
        return math.inf
    return float(np.partition(values, len(values) - h)[len(values) - h]) * SLACK


def _share(values: Draws, r: float) -> float:
    """The probability of at least `r`; the data count as one more draw (Phipson and Smyth 2010)."""
    return (1 + int(np.count_nonzero(values * np.float32(SLACK) >= r))) / (len(values) + 1)


def _flipped(units: Values, source: Source) -> Steps:
    """|sum of flipped d| / sqrt(sum of d^2), columns by draws."""
    norms = np.sqrt(np.square(units).sum(axis=0))
    rows = np.divide(units, norms, out=np.zeros_like(units), where=norms > 0).T.astype(np.float32)
    return np.concatenate([tails.steps(np.abs(rows @ signs)) for signs in source.flips(len(units))], axis=1)


def _all_coins(start: int, stop: int, m: int) -> Draws:
    return _signs(np.arange(start + 1, stop + 1) >> np.arange(m)[:, None] & 1)


def _coins(draws: int, m: int, chance: np.random.Generator) -> Draws:
    coins = chance.integers(0, 256, (m, -(-draws // 8)), dtype=np.uint8)
    return _signs(np.unpackbits(coins, axis=1, count=draws))


def _signs(coins: NDArray[Any]) -> Draws:
    return 1 - 2 * coins.astype(np.float32)


def _resampled(centre: Values, n: int, source: Source) -> tuple[Steps, Steps]:
    """sum of wc / sqrt(sum of wc^2) for multinomial counts w of `n` units, and its negative: columns by draws.

    0 / 0 is 0. Units that are zero in all columns count in `n`, but are left out of `centre`.
    """
    m, columns = centre.shape
    if not columns or not m:
        nothing = np.zeros((columns, 1), np.uint16)
        return nothing, nothing
    plain = centre.T.astype(np.float32)
    squares = np.square(plain)
    parts = [_studentised(plain, squares, counts) for counts in source.counts(n, m)]
    return (
        np.concatenate([tails.steps(part) for part in parts], axis=1),
        np.concatenate([tails.steps(-part) for part in parts], axis=1),
    )


def _studentised(plain: Draws, squares: Draws, counts: Draws) -> Draws:
    norms = np.sqrt(squares @ counts)
    return np.asarray(np.divide(plain @ counts, norms, out=np.zeros_like(norms), where=norms > 0))


def _tilted(units: Values, source: Source) -> Steps:
    """sum of d / sqrt(sum of d^2) for as many tilted differences as a column has, columns by draws.

    The statistic is 0 if all differences have one sign, because no weights make their mean zero.
    """
    drawn: list[list[Steps]] = [[] for _ in range(units.shape[1])]
    changed = without_rounding(units, _largest_size(units))
    tables = [_tilted_values(column[column != 0]) for column in changed.T]
    for picks in source.picks(len(units)):
        for line, table, count in zip(drawn, tables, np.count_nonzero(changed, axis=0), strict=True):
            values = np.zeros((len(picks), 1), np.float32) if table is None else table[picks[:, :count]]
            norms = np.maximum(np.linalg.norm(values, axis=1), np.finfo(np.float32).tiny)
            line.append(tails.steps(values.sum(axis=1) / norms))
    return np.array([np.concatenate(line) for line in drawn])


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
    gains, losses = d[d > 0], -d[d < 0]
    logarithms = np.log(gains), np.log(losses)

    def excess(k: float) -> float:
        return _log_sum(logarithms[0] + k * gains) - _log_sum(logarithms[1] - k * losses)

    at_zero, slope = excess(0.0), float(gains.min() + losses.min())
    if at_zero == 0:
        return 0.0
    beyond = -at_zero / slope * (1 + ROUNDING)
    if excess(beyond) * at_zero >= 0:  # but for rounding, this is the root
        return beyond
    return float(optimize.brentq(excess, min(beyond, 0.0), max(beyond, 0.0)))


def _log_sum(powers: Values) -> float:
    """The logarithm of the sum of exp(powers), without overflow."""
    largest = float(powers.max())
    return largest + math.log(float(np.exp(powers - largest).sum()))


def _normal_maxima(units: Values, chance: np.random.Generator) -> Draws:
    """The largest absolute value in each draw of normal statistics with the columns' correlation."""
    products = (units.T @ units).astype(np.float64)
    norms = np.sqrt(np.diag(products))
    independent = norms == 0  # no sampled unit differs, so such a column is treated as independent
    products[independent, independent] = norms[independent] = 1
    correlation = np.rint(products / np.outer(norms, norms) * CORRELATION_STEPS) / CORRELATION_STEPS
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0))
    draws = chance.standard_normal((DRAWS, len(root)), np.float32) @ root.T.astype(np.float32)
    return np.asarray(np.abs(draws, out=draws).max(axis=1))
