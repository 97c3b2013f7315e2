"""The joint distribution of a family's statistics if nothing differs: critical values and p.

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
from scipy import special

from evaluations.statistics.terms import Values

DRAWS = 9_999
ENUMERATED = 13  # units; up to this number every flip is tried
SLACK = 1 + 1e-5  # for rounding in sums of 32-bit floats
COIN_SLACK = 1 + 1e-9
ROUNDING = 1e-9
CHUNK = 500  # draws at once

Draws = NDArray[np.float32]
Reach = tuple[float, float]  # critical values below and above the mean


class Law(Protocol):
    """`reach` gives the critical values of a column's interval, `p` the chance of a statistic as large as `r`.

    `rises` is the sign of the difference. `alone` asks for the column alone instead of its family.
    """

    columns: int
    method: str
    seed: int

    def reach(self, column: int, level: float, alone: bool = False) -> Reach: ...

    def p(self, column: int, r: float, rises: bool, alone: bool = False) -> float: ...


def student(r: float, units: float) -> float:
    """The t statistic that belongs to R; infinite if R is the largest possible with this number of units."""
    return math.inf if r * r >= units else r * math.sqrt((units - 1) / (units - r * r))


def centred(differences: Values) -> Values:
    """Each column minus the mean of its non-zero differences; ties and missing pairs stay zero."""
    changed = differences != 0
    count = np.maximum(changed.sum(axis=0), 1)
    centre = np.where(changed, differences - differences.sum(axis=0) / count, 0.0)
    return without_rounding(centre, np.abs(differences).max(axis=0, initial=0.0))


def without_rounding(centre: Values, size: Values) -> Values:
    """The centred values, with zero for rounding errors relative to `size`."""
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
    """Flips of all columns at once; columns that are `guarded` against skew are resampled as well.

    Flips are fair where nothing at all changed. A mean of zero made of rare large gains and many small losses
    is not symmetric: resamples of the centred differences show how far its statistic strays on either side.
    A side's critical value is the largest of all columns, because few differences do not show their own skew.
    """

    method = "flips"

    def __init__(self, units: Values, centre: Values, guarded: NDArray[np.bool_], seed: int):
        chance, self.columns, self.seed = np.random.default_rng(seed), units.shape[1], seed
        used = np.flatnonzero((units != 0).any(axis=1) | (centre != 0).any(axis=1))
        self._flipped = _flips(units[used], chance)
        self._place = np.cumsum(guarded) - 1
        self._guarded = guarded
        self._resampled = _resamples(centre[used][:, guarded], len(units), chance)

    @cached_property
    def _joint(self) -> Draws:
        return np.asarray(self._flipped.max(axis=0))

    @cached_property
    def _tails(self) -> tuple[Draws, Draws]:
        """The largest of all guarded columns, above and below."""
        return self._resampled.max(axis=0), -self._resampled.min(axis=0)

    def reach(self, column: int, level: float, alone: bool = False) -> Reach:
        q = _largest(self._flipped[column] if alone else self._joint, level)
        if not self._guarded[column]:
            return q, q
        rising, falling = (_largest(tail, level / 2) for tail in self._sides(column, alone))
        return max(q, rising), max(q, falling)

    def p(self, column: int, r: float, rises: bool, alone: bool = False) -> float:
        p = _share(self._flipped[column] if alone else self._joint, r)
        if not self._guarded[column]:
            return p
        rising, falling = self._sides(column, alone)
        return max(p, min(1.0, 2 * _share(rising if rises else falling, r)))

    def _sides(self, column: int, alone: bool) -> tuple[Draws, Draws]:
        """Draws of a column's statistic, and of its negative."""
        if not alone:
            return self._tails
        own = self._resampled[self._place[column]]
        return own, -own


class Normal:
    """Many units: normal statistics with the correlation of the columns, and a correction for skew.

    `skewness` is that of each column's mean: the skewness of its units over the square root of their number; 0
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
    """The q for which q + skew (2 q^2 + 1) is r; below zero it is no evidence at all."""
    if skew == 0:
        return r
    root = math.sqrt(max(1 - 8 * skew * (skew - r), 0.0))
    return max((root - 1) / (4 * skew), 0.0)


def _largest(values: Draws, level: float) -> float:
    """The critical value of draws: the h-th largest, h = level of them; infinite where they are too few."""
    h = math.floor(level * (len(values) + 1) + 1e-9)
    if h < 1:
        return math.inf
    return float(np.partition(values, len(values) - h)[len(values) - h]) * SLACK


def _share(values: Draws, r: float) -> float:
    """The probability of `r` or more; the data count as one more draw (Phipson and Smyth 2010)."""
    return (1 + int(np.count_nonzero(values * np.float32(SLACK) >= r))) / (len(values) + 1)


def _flips(units: Values, chance: np.random.Generator) -> Draws:
    """|sum of flipped d| / sqrt(sum of d^2), columns by draws; every flip but the data, where those are few."""
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
    for start in range(0, DRAWS, CHUNK):
        draws = min(CHUNK, DRAWS - start)
        picks = chance.integers(0, n, (draws, n), dtype=np.int32)
        flat = (picks + np.arange(draws, dtype=np.int32)[:, None] * n).ravel()
        counts = np.bincount(flat, minlength=draws * n).reshape(draws, n)[:, :m].T.astype(np.float32)
        norms = np.sqrt(squares @ counts)
        np.divide(plain @ counts, norms, out=resampled[:, start : start + draws], where=norms > 0)
    return resampled


def _normal_maxima(units: Values, chance: np.random.Generator) -> Draws:
    """The largest absolute value in each draw of normal statistics, correlated as the columns are."""
    products = (units.T @ units).astype(np.float64)
    norms = np.sqrt(np.diag(products))
    apart = norms == 0  # no sampled unit differs: treat such a column as independent
    products[apart, apart] = norms[apart] = 1
    values, vectors = np.linalg.eigh(products / np.outer(norms, norms))
    root = vectors * np.sqrt(np.maximum(values, 0))
    draws = chance.standard_normal((DRAWS, len(root)), np.float32) @ root.T.astype(np.float32)
    return np.asarray(np.abs(draws, out=draws).max(axis=1))
