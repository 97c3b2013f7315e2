"""Counts pairs of scores in a grid of squares, for drawings in which each square is a filter."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics.histogram import ends, grid

MOST_POINTS = 1_500  # pairs; more are drawn as squares, on a finer grid
COARSE, FINE = 10, 20
PART = 1 << 17  # slots that are placed at once


@dataclass(frozen=True)
class Squares:
    """A grid with the same `edges` on both axes; `across` and `up` are the indices of each slot's square, -1 without a
    pair.

    A square includes its lower edges; the last one in each direction also its upper edge.
    """

    edges: NDArray[np.float64]
    across: NDArray[np.int8]
    up: NDArray[np.int8]

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.across >= 0))

    @property
    def parts(self) -> int:
        return len(self.edges) - 1

    def counts(self) -> NDArray[np.intp]:
        """The number of pairs in each square, by its two indices."""
        counts = np.zeros(self.parts**2, np.intp)
        for part in long_arrays.parts(len(self.across)):  # whole columns of indices take much memory
            both = self.across[part] >= 0
            flat = self.across[part][both].astype(np.intp) * self.parts + self.up[part][both]
            counts += np.bincount(flat, minlength=self.parts**2)
        return counts.reshape(self.parts, self.parts)

    def where(self, across: int, up: int) -> NDArray[np.bool_]:
        """The slots in one square."""
        return np.asarray((self.across == across) & (self.up == up))


def squares(
    first: NDArray[np.float64], second: NDArray[np.float64], bounds: tuple[float | None, float | None]
) -> Squares:
    """The grid for pairs of scores; the axes extend over `bounds`, or further if scores do.

    Where all scores are in the upper half, they begin at the tenth below the smallest one, so that squares tell them
    apart.
    """
    both = long_arrays.finite([first, second])
    found = extremes(first, second, where=both)
    lowest, highest = ends(bounds, found)
    low, high = float(found.min(initial=lowest)), float(found.max(initial=highest))
    parts = FINE if np.count_nonzero(both) > MOST_POINTS else COARSE
    edges = grid(beginning(low, high, found), high, parts)
    return Squares(edges, _squares(first, both, edges), _squares(second, both, edges))


def beginning(low: float, high: float, scores: NDArray[np.float64]) -> float:
    """Where the axis of a drawing begins: at the tenth below the smallest score if that is in the upper half.

    >>> beginning(0.0, 1.0, np.array([0.66, 0.9])), beginning(0.0, 1.0, np.array([0.2, 0.9]))
    (0.6, 0.0)
    """
    smallest = float(scores.min()) if scores.size else low
    if smallest <= (low + high) / 2:
        return low
    tenths = grid(low, high, COARSE)[:-1]
    return float(tenths[tenths <= smallest][-1])


def _squares(
    values: NDArray[np.float64], both: NDArray[np.bool_], edges: NDArray[np.float64]
) -> NDArray[np.int8]:
    numbers = long_arrays.filled(len(values), -1, np.int8)
    for start in range(0, len(values), PART):
        part = slice(start, start + PART)
        indices = np.searchsorted(edges, values[part][both[part]], side="right") - 1
        numbers[part][both[part]] = np.minimum(indices, len(edges) - 2)
    return numbers


def extremes(*columns: NDArray[np.float64], where: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """The smallest and the largest score of columns, of these slots; empty if there is none."""
    found = []
    for values in columns:
        chosen = np.isfinite(values) if where is None else where
        if chosen.any():
            found += [
                values.min(where=chosen, initial=np.inf),
                values.max(where=chosen, initial=-np.inf),
            ]
    return np.array(found)
