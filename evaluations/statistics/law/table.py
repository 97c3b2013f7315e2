"""The units of a family, turned and in canonical order, as every law takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics import canonical
from evaluations.statistics.terms import Mask, Values

ROUNDING = 1e-9
LEVEL_SUM = 1e-12  # of the sum of sizes; a smaller sum of differences is zero but for rounding
FEW = 0.25  # share of differing pairs below which their number varies more than their sizes


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
    sparse: Values
    rises: Mask
    level: Mask
    places: NDArray[np.intp]
    seed: int

    @classmethod
    def of(cls, units: Values, centre: Values, guarded: Mask, sparse: Values | None = None) -> "Table":
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
        sparse = np.zeros(len(guarded)) if sparse is None else sparse
        distinct, copies = _distinct(turned, guarded, sparse)
        rows, order = canonical.order([turned[:, index] for index in distinct])
        kept = np.array(distinct, np.intp)[order]
        table = np.ix_(rows, kept)
        seed = canonical.seed([turned[:, index] for index in kept])
        places = np.argsort(order)[copies]
        centred_table = (centred_units * sign)[table]
        return cls(turned[table], centred_table, guarded[kept], sparse[kept], rises, level, places, seed)


def _distinct(columns: Values, guarded: Mask, sparse: Values) -> tuple[list[int], list[int]]:
    """The first of equal columns, and for each column its place among these."""
    kept: dict[tuple[bytes, bool, float], int] = {}
    first: list[int] = []
    copies = []
    for index, column in enumerate(columns.T):
        key = column.tobytes(), bool(guarded[index]), float(sparse[index])
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


def sparse(changed: Sequence[int], pairs: Sequence[int]) -> Values:
    """The number of pairs of each column of which few differ; 0 for others."""
    return np.array([n if few < FEW * n else 0.0 for few, n in zip(changed, pairs, strict=True)])


def largest_size(differences: Values) -> Values:
    return np.asarray(np.abs(differences).max(axis=0, initial=0.0))


def without_rounding(centre: Values, size: Values) -> Values:
    """The centred values, with rounding errors relative to `size` set to zero."""
    return np.where(np.abs(centre) > ROUNDING * size, centre, 0.0)
