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
    blocks = [_bits(np.stack(part)) for part in _parts(columns)]
    rows = [np.zeros(block.shape[1], np.uint64) for block in blocks]
    for _ in range(2 if len(columns[0]) < REFINED else 1):
        keys = _keys(blocks, rows)
        rows = [_mixed(_mixed(block + keys).sum(axis=0, dtype=np.uint64)) for block in blocks]
    by_key = np.argsort(_keys(blocks, rows)[:, 0], kind="stable").tolist()
    places = [np.zeros(block.shape[1], np.uint64) for block in blocks]
    for index in by_key:
        places = [_mixed(place * ODD + block[index]) for place, block in zip(places, blocks, strict=True)]
    return np.argsort(np.concatenate(places), kind="stable"), by_key


def _parts(columns: Sequence[Values]) -> Iterator[list[Values]]:
    """The columns cut into blocks of rows that fit into the cache of a processor; one block if there are no rows."""
    for first in range(0, max(len(columns[0]), 1), BLOCK):
        yield [column[first : first + BLOCK] for column in columns]


def _keys(blocks: Sequence[Keys], rows: Sequence[Keys]) -> Keys:
    """The key of each column, columns by one."""
    sums = [
        _mixed(block + row).sum(axis=1, keepdims=True, dtype=np.uint64)
        for block, row in zip(blocks, rows, strict=True)
    ]
    return _mixed(_summed(sums))


def content(column: Values) -> int:
    """A key of the column's values, whatever their order."""
    return int(_total(_mixed(_bits(column)))[0])


def seed(columns: Sequence[Values]) -> int:
    """A seed of 48 bits from the sizes of the values; copies of a column do not change it."""
    keys = np.array(sorted({content(np.abs(column)) for column in columns}), np.uint64)
    places = np.zeros(1, np.uint64)
    for key in keys:
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
