"""The units of a family, turned and in canonical order, as every law takes them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics import canonical
from evaluations.statistics.terms import Mask, Values

ROUNDING = 1e-9
LEVEL_SUM = 1e-12  # of the sum of sizes; a smaller sum of differences is zero but for rounding


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
        size = largest_size(units)
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


def centred(differences: Values) -> Values:
    """Each column minus the mean of its non-zero differences; ties and missing pairs stay zero."""
    changed = differences != 0
    count = np.maximum(changed.sum(axis=0), 1)
    centre = np.where(changed, differences - differences.sum(axis=0) / count, 0.0)
    return without_rounding(centre, largest_size(differences))


def largest_size(differences: Values) -> Values:
    return np.asarray(np.abs(differences).max(axis=0, initial=0.0))


def without_rounding(centre: Values, size: Values) -> Values:
    """The centred values, with rounding errors relative to `size` set to zero."""
    return np.where(np.abs(centre) > ROUNDING * size, centre, 0.0)
