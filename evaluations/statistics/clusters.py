"""Examples that belong together (one document, one conversation), and several outputs for one example."""

import math
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


def average_repeats(values: NDArray[np.float64], examples: ArrayLike) -> tuple[NDArray, NDArray[np.float64]]:
    """The examples in ascending order and each one's mean over its repeats, NaN where no repeat has a value.

    Repeats tell about one example more exactly; they are not more examples.
    """
    labels, example = np.unique(np.asarray(examples), return_inverse=True)
    scored = np.isfinite(values)
    n = np.bincount(example[scored], minlength=len(labels))
    sums = np.bincount(example[scored], values[scored], minlength=len(labels))
    return labels, np.divide(sums, n, out=np.full(len(labels), np.nan), where=n > 0)


def _effective(sizes: NDArray[np.intp]) -> float:
    return float(sizes.sum() ** 2 / np.square(sizes).sum()) if sizes.size else 0.0
