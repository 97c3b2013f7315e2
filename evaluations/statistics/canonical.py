"""An order of rows and columns that depends on their content alone, never on names, ids or the order of an upload.

Rows and columns get keys of 64 bits from sums that do not depend on an order. Only rows that are equal in every column
can tie at the end, so sums, seeds and draws over sorted tables are equal to the last bit.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Keys = NDArray[np.uint64]

BLOCK = 8_192  # rows that are mixed at once
REFINED = 2_000  # rows below which keys are refined twice; longer tables rarely need it
ODD = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SEED_BITS = 48  # JSON numbers can represent them


def order(columns: Sequence[Values]) -> tuple[NDArray[np.intp], list[int]]:
    """The canonical order of the rows, and of the columns, of a table given by its columns.

    >>> order([np.array([3.0, 1.0]), np.array([0.5, 0.2])])[0].tolist() in ([0, 1], [1, 0])
    True
    """
    if not columns:
        return np.empty(0, np.intp), []
    by_key = order_of_columns(columns)
    places = np.empty(len(columns[0]), np.uint64)
    for first, block in _blocks(columns):
        place = np.zeros(block.shape[1], np.uint64)
        for index in by_key:
            place = _mixed(place * ODD + block[index])
        places[first : first + BLOCK] = place
    return np.argsort(places, kind="stable"), by_key


def order_of_columns(columns: Sequence[Values]) -> list[int]:
    """The canonical order of the columns of a table."""
    if not columns:
        return []
    keys = _keys(columns, None)
    for _ in range(2 if len(columns[0]) < REFINED else 1):
        keys = _keys(columns, keys)
    by_key: list[int] = np.argsort(keys[:, 0], kind="stable").tolist()
    return by_key


def _blocks(columns: Sequence[Values]) -> Iterator[tuple[int, Keys]]:
    """The first row and the bits of blocks of rows that fit into the cache of a processor; one block if there are none.

    They are computed whenever they are needed, because those of long columns take as much memory as the columns.
    """
    for first in range(0, max(len(columns[0]), 1), BLOCK):
        yield first, _bits(np.stack([column[first : first + BLOCK] for column in columns]))


def _keys(columns: Sequence[Values], earlier: Keys | None) -> Keys:
    """The key of each column, columns by one; by `earlier` keys of the columns rows get keys, too."""
    total = np.zeros((len(columns), 1), np.uint64)
    for _, block in _blocks(columns):
        if earlier is not None:
            block += _mixed(_mixed(block + earlier).sum(axis=0, dtype=np.uint64))
        total += _mixed(block).sum(axis=1, keepdims=True, dtype=np.uint64)
    return _mixed(total)


def seed(columns: Sequence[Values]) -> int:
    """A seed of 48 bits from the sizes of the values; copies of a column do not change it."""
    places = np.zeros(1, np.uint64)
    for key in np.unique(_keys([np.abs(column) for column in columns], None)) if columns else ():
        places = _mixed(places * ODD + key)
    return int(places[0]) >> (64 - SEED_BITS)


def rises(columns: Sequence[Values], level: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each `level` column, whose sum is zero, counts as turned upwards: the same for both of its directions."""
    upwards = np.ones(len(columns), np.bool_)
    if level.any():
        rows = _summed([_mixed(_bits(np.abs(column))) for column in columns])
        for index in np.flatnonzero(level).tolist():
            keys = [int(_total(_mixed(_bits(sign * columns[index]) + rows))[0]) for sign in (1.0, -1.0)]
            upwards[index] = keys[0] <= keys[1]
    return upwards


def _bits(values: Values) -> Keys:
    plain = values + 0.0  # turns -0.0 into 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def _mixed(keys: Keys) -> Keys:
    """Each key scrambled (splitmix64)."""
    keys = keys + ODD
    keys ^= keys >> np.uint64(30)
    keys *= FIRST
    keys ^= keys >> np.uint64(27)
    keys *= SECOND
    keys ^= keys >> np.uint64(31)
    return keys


def _summed(keys: Sequence[Keys]) -> Keys:
    total = np.zeros_like(keys[0])
    for key in keys:
        total += key
    return total


def _total(keys: Keys) -> Keys:
    """The scrambled sum, as an array of one element."""
    return _mixed(keys.sum(keepdims=True, dtype=np.uint64))
