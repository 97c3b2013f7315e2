"""Finds subsets that deviate only because they share examples with a subset that deviates more, or all of them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .subsets import Differences, Subset, SubsetColumn


def explained(
    subsets: Iterable[Subset], compared: Mapping[int, Differences], columns: Sequence[SubsetColumn]
) -> set[Subset]:
    """The subsets whose difference changes direction, or ends, without the examples of more extreme ones.

    Where a variant got worse on legal matters alone, and questions on these are short, "legal" explains "short".
    """
    codes = {(column.name, name): column.codes for column in columns for name in column.names}
    covered: dict[tuple[int, bool], NDArray[np.bool_]] = {}
    explained_subsets = set()
    for subset in sorted(subsets, key=lambda subset: -abs(subset.shrunken)):
        values, group = compared[subset.key].values, (subset.key, subset.difference > 0)
        inside = np.isfinite(values) & (codes[subset.column, subset.name][: len(values)] == subset.code)
        before = covered.get(group, np.zeros_like(inside))
        if values[inside & ~before].sum() * subset.difference > 0:
            covered[group] = inside | before
        else:
            explained_subsets.add(subset)
    return explained_subsets


def twins(
    subsets: Iterable[Subset], compared: Mapping[int, Differences], columns: Sequence[SubsetColumn]
) -> set[Subset]:
    """The subsets with just the examples of an earlier one: where all German questions are short, two names for one."""
    codes = {(column.name, name): column.codes for column in columns for name in column.names}
    alike: dict[tuple[int, int, float], list[NDArray[np.bool_]]] = {}
    found = set()
    for subset in subsets:
        others = alike.setdefault((subset.key, subset.n, round(subset.difference, 9)), [])
        paired = np.isfinite(compared[subset.key].values)
        inside = paired & (codes[subset.column, subset.name][: len(paired)] == subset.code)
        if any(np.array_equal(inside, other) for other in others):
            found.add(subset)
        others.append(inside)
    return found
