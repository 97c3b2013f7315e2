"""Columns with three to nine values, which may be topics (strata) or a sample (talks, documents, customers).

The data cannot tell which. If they are a sample, the examples of one group move together, and a verdict may rest on
the few groups that happened to be drawn. So a clear verdict that would not survive is told, never taken back.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.statistics.terms import ALPHA, Interval, Values

FEWEST, MOST = 3, 9  # groups; two are a matter for subsets
PRETEST = 0.30  # p of the F test below which a column is told
SAMPLED = 6  # values from which a column looks like a sample; channels or languages are seldom so many
MOST_MISSING = 0.1  # share of the pairs without a value
AT_ONCE = 8_192  # labels that are looked at together; most columns have too many values among the first
UNEVEN = 0.5  # effective groups, as a share of all, below which the groups are called very uneven

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class FewGroups:
    """A column under which a verdict would not survive, if its values are a sample.

    `interval` is that of the cluster t, `p` that of the F test of groups within the differences.
    """

    column: str
    groups: int
    interval: Interval
    p: float
    is_uneven: bool

    @property
    def looks_sampled(self) -> bool:
        """Whether there are so many values that further ones are likely: talks or customers rather than channels."""
        return self.groups >= SAMPLED


def may_be_few(labels: Labels) -> bool:
    """Whether a column has three to nine values that repeat, beside rows without one."""
    values: set[int] = set()
    for first in range(0, len(labels), AT_ONCE):
        part = labels[first : first + AT_ONCE]
        values.update(np.unique(part[part >= 0]).tolist())
        if len(values) > MOST:
            return False
    return len(values) >= FEWEST and len(labels) > MOST


def told(differences: Values, columns: Mapping[str, Labels]) -> FewGroups | None:
    """The column to tell of a clear difference: of several, the one with the widest interval.

    `differences` are NaN where there is no pair; labels are negative without a value.
    """
    found = [few for name, labels in columns.items() if (few := _of_column(name, differences, labels))]
    return max(found, key=lambda few: few.interval[1] - few.interval[0], default=None)


def _of_column(name: str, differences: Values, labels: Labels) -> FewGroups | None:
    paired = ~np.isnan(differences)
    used = paired & (labels >= 0)
    if np.count_nonzero(used) < (1 - MOST_MISSING) * np.count_nonzero(paired):
        return None
    values, codes, sizes = np.unique(labels[used], return_inverse=True, return_counts=True)
    if not FEWEST <= len(values) <= MOST or len(codes) <= len(values):
        return None
    d = differences[used]
    p, interval, effective = _f_test(d, codes, sizes), *_cluster_t(d, codes, sizes)
    if p >= PRETEST or not interval[0] <= 0 <= interval[1]:
        return None
    return FewGroups(name, len(values), interval, p, effective < UNEVEN * len(values))


def _f_test(d: Values, codes: Labels, sizes: NDArray[np.int64]) -> float:
    means = np.bincount(codes, d) / sizes
    between, df_between = float(sizes @ np.square(means - d.mean())), len(sizes) - 1
    within, df_within = float(np.square(d - means[codes]).sum()), len(d) - len(sizes)
    if not within:
        return 0.0 if between else 1.0
    return float(scipy.special.fdtrc(df_between, df_within, between / df_between * df_within / within))


def _cluster_t(d: Values, codes: Labels, sizes: NDArray[np.int64]) -> tuple[Interval, float]:
    """Student's interval over groups (CR3), with the degrees of freedom of groups of equal size; and their number."""
    n, groups, mean = len(d), len(sizes), float(d.mean())
    sums = np.bincount(codes, d - mean) / (1 - sizes / n)
    error = math.sqrt((groups - 1) / groups * float(np.square(sums - sums.mean()).sum())) / n
    effective = n * n / float(sizes @ sizes)
    reach = float(scipy.special.stdtrit(max(effective - 1, 1.0), 1 - ALPHA / 2)) * error
    return (mean - reach, mean + reach), effective


def tested(variants: int, order: Sequence[int]) -> set[tuple[int, int]]:
    """The pairs of variants, ranked in this `order`, that are worth a test: all of three variants; of more, those with
    the first and those of neighbours, because the sentences name no other.

    >>> sorted(tested(4, [2, 0, 3, 1]))
    [(0, 1), (0, 2), (0, 3), (1, 3)]
    """
    if variants < 4:
        return {*combinations(range(variants), 2)}
    neighbours = ((min(pair), max(pair)) for pair in pairwise(order))
    return {*((0, k) for k in range(1, variants)), *neighbours}
