"""The joint null distribution of a family's statistics: critical values and p.

The statistic of a column is R = |sum d| / sqrt(sum d^2) over its units (examples or clusters); for pass and
fail it is McNemar's z. `student` turns it into the t of a mean. Three laws: `Drawn` flips signs and resamples,
`Normal` draws from the correlation of the columns, `Coins` is exact for one pass/fail column.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from evaluations.statistics.terms import Values

DRAWS = 9_999
TILTED = 1_999  # draws of tilted differences
PICKS = 1 << 16  # equally likely indices among tilted differences
ENUMERATED = 13  # units up to which every flip is enumerated
SLACK = 1 + 1e-5  # tolerance for rounding in sums of 32-bit floats
COIN_SLACK = 1 + 1e-9
ROUNDING = 1e-9
CHUNK = 500  # draws at once
RESAMPLED = 100  # resamples at once; their counts fit into the cache of a processor

Draws = NDArray[np.float32]
Reach = tuple[float, float]  # critical values below and above the mean


class Law(Protocol):
    """`reach` gives the critical values for a column's interval, `p` the probability of a statistic of at least `r`.

    `rises` is the sign of the difference. `alone` is about the column by itself instead of its family.
    """

    columns: int
    method: str
    seed: int

    def reach(self, column: int, level: float, alone: bool = False) -> Reach: ...

    def p(self, column: int, r: float, rises: bool, alone: bool = False) -> float: ...


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


class Drawn:
    """Random sign flips of all columns at once; columns `guarded` against skew are resampled as well.

    Flips are fair if nothing at all changed. A mean of zero made of rare large gains and many small losses is not
    symmetric: resamples of the centred differences show how far its statistic varies on either side. A side's critical
    value is the largest of all columns, because few differences do not show their own skew.

    Centring moves one gain among forty equal losses to an impossible score, and resamples without it vary without
    bound. On the side of zero the differences themselves are therefore drawn, too, with weights that make their mean
    zero (exponential tilting, Efron 1981). The smaller critical value counts, the tilted one at half the level, because
    it is the second of two chances.
    """

    method = "flips"

    def __init__(self, units: Values, centre: Values, guarded: NDArray[np.bool_], seed: int):
        chance, self.columns, self.seed = np.random.default_rng(seed), units.shape[1], seed
        used = np.flatnonzero((units != 0).any(axis=1) | (centre != 0).any(axis=1))
        self._units, self._flipped = units[used], _flips(units[used], chance)
        self._guarded_index = np.cumsum(guarded) - 1
        self._guarded = guarded
        self._resampled = _resamples(centre[used][:, guarded], len(units), chance)

    @cached_property
    def _joint(self) -> Draws:
        return np.asarray(self._flipped.max(axis=0))

    @cached_property
    def _tilted(self) -> Draws:
        """Drawn only if a verdict depends on them."""
        return _tilted(self._units[:, self._guarded], np.random.default_rng([self.seed, 1]))

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        q = self._flip_critical(column, level, alone)
        if not self._guarded[column]:
            return q, q
        tails = [_largest(self._tail(self._resampled, column, up, alone), level / 2) for up in (True, False)]
        rises = bool(self._units[:, column].sum() > 0)
        near = 0 if rises else 1
        second = self._flip_critical(column, level / 2, alone)
        if tails[near] > second:
            tilted = _largest(self._tail(self._tilted, column, rises, alone), level / 4)
            tails[near] = min(tails[near], max(second, tilted))
        return max(q, tails[0]), max(q, tails[1])

    def p(self, column: int, r: float, rises: bool, alone: bool = False) -> float:
        p = _share(self._flipped[column] if alone else self._joint, r)
        if not self._guarded[column]:
            return p
        skewed = 2 * _share(self._tail(self._resampled, column, rises, alone), r)
        if skewed > 2 * p:
            tilted = 2 * _share(self._tail(self._tilted, column, rises, alone), r)
            skewed = min(skewed, 2 * max(p, tilted))
        return max(p, min(1.0, skewed))

    def _flip_critical(self, column: int, level: float, alone: bool) -> float:
        return _largest(self._flipped[column] if alone else self._joint, level)

    def _tail(self, draws: Draws, column: int, rises: bool, alone: bool) -> Draws:
        """The statistic of a column, or the largest over all guarded columns, in the direction of `rises`."""
        shown = draws[[self._guarded_index[column]]] if alone else draws
        return np.asarray(shown.max(axis=0) if rises else -shown.min(axis=0))


class Normal:
    """Many units: normal statistics with the correlation of the columns, corrected for skew.

    `skewness` is that of each column's mean: the skewness of its units divided by the square root of their number; 0
    for pass and fail.
    """

    method = "normal"

    def __init__(self, units: Values, skewness: Values, seed: int):
        self._skew, self.columns, self.seed = skewness / 6, units.shape[1], seed
        self._alone = self.columns == 1
        self._draws = (
            np.empty(0, np.float32) if self._alone else _normal_maxima(units, np.random.default_rng(seed))
        )

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        q = -float(special.ndtri(level / 2))
        if not (alone or self._alone):
            q = max(q, _largest(self._draws, level))
        skew = float(self._skew[column])
        return q + max(0.0, -skew) * (2 * q * q + 1), q + max(0.0, skew) * (2 * q * q + 1)

    def p(self, column: int, r: float, rises: bool, alone: bool = False) -> float:
        skew = float(self._skew[column])
        plain = uncorrected(r, max(0.0, -skew if rises else skew))
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


def _flips(units: Values, chance: np.random.Generator) -> Draws:
    """|sum of flipped d| / sqrt(sum of d^2), columns by draws; for few units every flip except the data."""
    m = len(units)
    norms = np.sqrt(np.square(units).sum(axis=0))
    scaled = np.divide(units, norms, out=np.zeros_like(units), where=norms > 0)
    rows, draws = scaled.T.astype(np.float32), 2**m - 1 if m <= ENUMERATED else DRAWS
    flipped = np.empty((units.shape[1], draws), np.float32)
    for start in range(0, draws, CHUNK):
        stop = min(start + CHUNK, draws)
        coins = _all_coins(start, stop, m) if m <= ENUMERATED else _coins(stop - start, m, chance)
        np.matmul(rows, coins, out=flipped[:, start:stop])
    return np.abs(flipped, out=flipped)


def _all_coins(start: int, stop: int, m: int) -> Draws:
    return _signs(np.arange(start + 1, stop + 1) >> np.arange(m)[:, None] & 1)


def _coins(draws: int, m: int, chance: np.random.Generator) -> Draws:
    coins = chance.integers(0, 256, (m, -(-draws // 8)), dtype=np.uint8)
    return _signs(np.unpackbits(coins, axis=1, count=draws))


def _signs(coins: NDArray[Any]) -> Draws:
    return 1 - 2 * coins.astype(np.float32)


def _resamples(centre: Values, n: int, chance: np.random.Generator) -> Draws:
    """sum of wc / sqrt(sum of wc^2) for multinomial counts w of `n` units, columns by draws; 0 / 0 is 0.

    Units that are zero in all columns count in `n`, but are left out of `centre`.
    """
    m, columns = centre.shape
    resampled = np.zeros((columns, DRAWS), np.float32)
    if not columns or not m:
        return resampled
    plain = centre.T.astype(np.float32)
    squares = np.square(plain)
    offsets = np.arange(RESAMPLED)[:, None] * n
    for start in range(0, DRAWS, RESAMPLED):
        draws = min(RESAMPLED, DRAWS - start)
        picks = chance.integers(0, n, (draws, n), dtype=np.int32) + offsets[:draws]
        numbers = np.bincount(picks.ravel(), minlength=draws * n).reshape(draws, n)
        counts = numbers[:, :m].astype(np.float32).T
        norms = np.sqrt(squares @ counts)
        np.divide(plain @ counts, norms, out=resampled[:, start : start + draws], where=norms > 0)
    return resampled


def _tilted(units: Values, chance: np.random.Generator) -> Draws:
    """sum of d / sqrt(sum of d^2) for as many tilted differences as a column has, columns by draws.

    The statistic is 0 if all differences have one sign, because no weights make their mean zero.
    """
    drawn = np.zeros((units.shape[1], TILTED), np.float32)
    changed = without_rounding(units, _largest_size(units))
    tables = [_tilted_values(column[column != 0]) for column in changed.T]
    for start in range(0, TILTED, CHUNK):
        draws = min(CHUNK, TILTED - start)
        picks = chance.integers(0, PICKS, (draws, len(units)), dtype=np.uint16)
        for line, table, count in zip(drawn, tables, np.count_nonzero(changed, axis=0), strict=True):
            if table is not None:
                values = table[picks[:, :count]]
                line[start : start + draws] = values.sum(axis=1) / np.linalg.norm(values, axis=1)
    return drawn


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

    def excess(k: float) -> float:
        return float(special.logsumexp(k * gains, b=gains) - special.logsumexp(-k * losses, b=losses))

    at_zero, slope = excess(0.0), gains.min() + losses.min()
    return (
        float(optimize.brentq(excess, *sorted((0.0, -at_zero / slope * (1 + ROUNDING))))) if at_zero else 0.0
    )


def _normal_maxima(units: Values, chance: np.random.Generator) -> Draws:
    """The largest absolute value in each draw of normal statistics with the columns' correlation."""
    products = (units.T @ units).astype(np.float64)
    norms = np.sqrt(np.diag(products))
    independent = norms == 0  # no sampled unit differs, so such a column is treated as independent
    products[independent, independent] = norms[independent] = 1
    values, vectors = np.linalg.eigh(products / np.outer(norms, norms))
    root = vectors * np.sqrt(np.maximum(values, 0))
    draws = chance.standard_normal((DRAWS, len(root)), np.float32) @ root.T.astype(np.float32)
    return np.asarray(np.abs(draws, out=draws).max(axis=1))
