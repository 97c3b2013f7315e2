"""Histograms with exact edges, so that the bars of two runs align and a bar can be used as a filter."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 20
AT_ONCE = 1 << 16  # values that are counted at a time, because copies of long columns take much memory
LARGEST_WHOLE = 2.0**53  # beyond this, floats skip whole numbers


@dataclass(frozen=True)
class Histogram:
    """`counts[i]` values lie in [edges[i], edges[i + 1]); the last bin includes its upper edge."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


def ends(bounds: tuple[float | None, float | None], values: NDArray[np.float64]) -> tuple[float, float]:
    """The bounds of the scores; where there is no bound, the lowest or highest of `values`.

    >>> ends((0.0, None), np.array([2.0, 5.0])), ends((None, None), np.empty(0))
    ((0.0, 5.0), (0.0, 1.0))
    """
    low = bounds[0] if bounds[0] is not None else float(values.min()) if values.size else 0.0
    high = bounds[1] if bounds[1] is not None else float(values.max(initial=low))
    return low, high if high > low else low + 1


def grid(low: float, high: float, parts: int) -> NDArray[np.float64]:
    """The `parts + 1` evenly spaced points from `low` to `high`, each the nearest float to its exact value.

    A score of 0.7 must land on the point 0.7. `np.linspace` has 0.7000000000000001 there, because it
    multiplies a rounded step. The power of two keeps the products finite for the largest floats and changes
    no other digit.

    >>> grid(0, 1, 20)[14], np.linspace(0, 1, 21)[14]
    (np.float64(0.7), np.float64(0.7000000000000001))
    """
    steps = np.arange(parts + 1)
    scale = 2.0 ** parts.bit_length()
    points = (low / scale * (parts - steps) + high / scale * steps) / parts * scale
    # Neighbouring floats have no points between them; rounding must not step back.
    return np.maximum.accumulate(points)


def histogram(
    values: NDArray[np.float64], low: float | None, high: float | None, bins: int = BINS
) -> Histogram:
    """Count finite `values` in equal bins from `low` to `high`; values outside go to the end bins.

    Without `high` the bins reach as far as the data do, from `low` (without it, from the smallest value).
    Where the data are whole numbers then, so are the edges, and every bin holds equally many whole numbers.
    """
    finite = np.isfinite(values)
    values = values if finite.all() else values[finite]
    edges = grid(low, high, bins) if low is not None and high is not None else _edges(values, low, high, bins)
    counts = np.zeros(bins, np.int64)
    for part in _parts(values):
        slots = np.clip(np.searchsorted(edges, part, side="right") - 1, 0, bins - 1)
        counts += np.bincount(slots, minlength=bins)
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))


def _edges(
    values: NDArray[np.float64], low: float | None, high: float | None, bins: int
) -> NDArray[np.float64]:
    smallest, largest = (values.min(), values.max()) if values.size else (low or 0.0, low or 0.0)
    bottom = float(smallest if low is None else low)
    top = float(max(largest, bottom) if high is None else high)
    if high is None and _whole(values, bottom, top):
        return np.asarray(bottom + np.ceil((top - bottom + 1) / bins) * np.arange(bins + 1))
    return grid(bottom, top if top > bottom else bottom + 1, bins)


def _whole(values: NDArray[np.float64], bottom: float, top: float) -> bool:
    if max(-bottom, top) > LARGEST_WHOLE or not bottom.is_integer():
        return False
    return all(bool((part == np.floor(part)).all()) for part in _parts(values))


def _parts(values: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    return (values[first : first + AT_ONCE] for first in range(0, len(values), AT_ONCE))
