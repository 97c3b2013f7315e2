"""Examples that belong together (one document, one conversation), and several outputs for one example."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Spread:
    """The standard error of a mean over clustered examples, and the degrees of freedom of its Student's t."""

    standard_error: float
    df: float
    clusters: int


def spread(differences: NDArray[np.float64], labels: ArrayLike) -> Spread | None:
    """The delete-one-cluster jackknife of a mean (MacKinnon, Nielsen and Webb 2023); None for one cluster.

    The degrees of freedom are the effective number of clusters (Carter, Schnepel and Steigerwald 2017) less
    one: all of them where they are equally large, fewer where a few hold most examples. Clusters in which
    nothing differs say nothing about the spread between clusters, and are not counted there.
    """
    _, cluster = np.unique(np.asarray(labels), return_inverse=True)
    sizes = np.bincount(cluster)
    if len(sizes) < 2:
        return None
    sums = np.bincount(cluster, differences)
    n, total = len(differences), sums.sum()
    without = (total - sums) / (n - sizes)
    squares = np.square(without - total / n).sum()
    return Spread(
        standard_error=math.sqrt(squares * (len(sizes) - 1) / len(sizes)),
        df=max(_effective(sizes[sums != 0]) - 1, 1.0),
        clusters=len(sizes),
    )


def average_repeats(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean of each slot over the columns that have a value there, NaN where none has.

    Repeats tell about one example more exactly; they are not more examples.
    """
    n, sums = np.zeros(len(columns[0])), np.zeros(len(columns[0]))
    for values in columns:
        scored = np.isfinite(values)
        n += scored
        sums += np.where(scored, values, 0)
    return np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0)


def _effective(sizes: NDArray[np.intp]) -> float:
    return float(sizes.sum() ** 2 / np.square(sizes).sum()) if sizes.size else 0.0
