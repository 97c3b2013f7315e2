"""The cosine of the angle between two vectors."""

import numpy as np
from numpy.typing import ArrayLike


def similarity(a: ArrayLike, b: ArrayLike) -> float:
    """Cosine in float64, clamped to [-1, 1], not rounded; 0.0 where a vector is zero.

    >>> similarity([1.0, 0.0], [-2.0, 0.0]), similarity([0.0], [3.0])
    (-1.0, 0.0)
    """
    first, second = _direction(a), _direction(b)
    length = np.sqrt((first @ first) * (second @ second))
    return float(np.clip(first @ second / length, -1.0, 1.0)) if length else 0.0


def _direction(vector: ArrayLike) -> np.ndarray:
    """The vector scaled to a largest component of one, so that no square overflows or underflows."""
    numbers = np.asarray(vector, np.float64)
    largest = np.abs(numbers).max(initial=0.0)
    return numbers / largest if largest else numbers
