"""Draws of the statistics of all columns at once: flipped signs, and resamples of centred differences."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics import tails
from evaluations.statistics.tails import Steps
from evaluations.statistics.terms import Values

DRAWS = 9_999
MANY_DRAWS = 99_999  # where a small p must be known more exactly
TILTED = 1_999  # draws of tilted differences
PICKS = 1 << 16  # equally likely indices among tilted differences
ENUMERATED = 13  # units up to which every flip is enumerated
CHUNK = 500  # draws at once
RESAMPLED = 100  # resamples at once; their counts fit into the cache of a processor

Draws = NDArray[np.float32]


class Source:
    """The random numbers of a family, from its seed."""

    def __init__(self, seed: int, draws: int | None = None):
        self._seed, self._chance = seed, np.random.default_rng(seed)
        self._draws = draws or DRAWS

    def flips(self, m: int) -> Iterator[Draws]:
        """Signs of `m` units, units by draws, a part of the draws at a time; of few units every one except the data."""
        draws = 2**m - 1 if m <= ENUMERATED else self._draws
        for start in range(0, draws, CHUNK):
            stop = min(start + CHUNK, draws)
            yield _all_coins(start, stop, m) if m <= ENUMERATED else _coins(stop - start, m, self._chance)

    def counts(self, n: int, m: int) -> Iterator[Draws]:
        """How often each of the first `m` of `n` units is drawn, units by draws, a part of the draws at a time."""
        offsets = np.arange(RESAMPLED)[:, None] * n
        for start in range(0, self._draws, RESAMPLED):
            draws = min(RESAMPLED, self._draws - start)
            picks = self._chance.integers(0, n, (draws, n), dtype=np.int32) + offsets[:draws]
            numbers = np.bincount(picks.ravel(), minlength=draws * n).reshape(draws, n)
            yield numbers[:, :m].astype(np.float32).T

    def picks(self, n: int) -> Iterator[NDArray[np.uint16]]:
        """Indices into the `PICKS` tilted differences, `n` units by draws, a part of the draws at a time."""
        chance = np.random.default_rng([self._seed, 1])
        for start in range(0, TILTED, CHUNK):
            yield chance.integers(0, PICKS, (n, min(CHUNK, TILTED - start)), dtype=np.uint16)


def flipped(units: Values, source: Source) -> Steps:
    """|sum of flipped d| / sqrt(sum of d^2), columns by draws; 0 / 0 is 0, also without any unit."""
    if not len(units):
        return np.zeros((units.shape[1], 1), np.uint16)
    norms = np.sqrt(np.square(units).sum(axis=0))
    rows = np.divide(units, norms, out=np.zeros_like(units), where=norms > 0).T.astype(np.float32)
    return np.concatenate([tails.steps(np.abs(rows @ signs)) for signs in source.flips(len(units))], axis=1)


def resampled(
    centre: Values, n: int, source: Source, few: Values, pairs: Values
) -> tuple[Steps, Steps, Steps]:
    """sum of wc / sqrt(sum of wc^2) for multinomial counts w of `n` units, and its negative: columns by draws.

    The third are the negative statistics of the columns `few`, around the means of their `pairs`. 0 / 0 is 0. Units
    that are zero in all columns count in `n`, but are left out of `centre` and `few`.
    """
    m, columns = centre.shape
    if not columns or not m:
        nothing = np.zeros((columns, 1), np.uint16)
        return nothing, nothing, nothing[: few.shape[1]]
    plain, sparse = centre.T.astype(np.float32), few.T.astype(np.float32)
    squares, sparse_squares = np.square(plain), np.square(sparse)
    near, far, scattered = [], [], []
    for counts in source.counts(n, m):
        part = _studentised(plain @ counts, squares @ counts)
        near.append(tails.steps(part))
        far.append(tails.steps(-part))
        of_few = _scattered(sparse @ counts, sparse_squares @ counts, few.sum(axis=0), pairs)
        scattered.append(tails.steps(-of_few))
    return np.concatenate(near, axis=1), np.concatenate(far, axis=1), np.concatenate(scattered, axis=1)


def _scattered(total: Draws, squares: Draws, sums: Values, pairs: Values) -> Draws:
    """The statistics around the mean of all pairs, ties included: how many of them differ varies, too."""
    count = pairs[:, None].astype(np.float32)
    mean = (sums / pairs)[:, None].astype(np.float32)
    return _studentised(total - mean * count, squares - 2 * mean * total + mean**2 * count)


def _studentised(total: Draws, squares: Draws) -> Draws:
    norms = np.sqrt(np.maximum(squares, 0, out=squares), out=squares)
    if norms.all():  # where one is zero, which is rare, numpy divides at a third of the speed
        return np.divide(total, norms, out=total)
    return np.asarray(np.divide(total, norms, out=np.zeros_like(norms), where=norms > 0))


def _all_coins(start: int, stop: int, m: int) -> Draws:
    return _signs(np.arange(start + 1, stop + 1) >> np.arange(m)[:, None] & 1)


def _coins(draws: int, m: int, chance: np.random.Generator) -> Draws:
    coins = chance.integers(0, 256, (m, -(-draws // 8)), dtype=np.uint8)
    return _signs(np.unpackbits(coins, axis=1, count=draws))


def _signs(coins: NDArray[Any]) -> Draws:
    return 1 - 2 * coins.astype(np.float32)
