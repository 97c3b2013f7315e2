"""Which examples a run was asked: all of its dataset version, or those of a split or a sample, a bit for each position.

An example that was not asked has no slot in any score column, so that it counts nowhere.
"""

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import bitmaps
from evaluations.datasets.bitmaps import Mask
from evaluations.models import Run


def mask(run: Run, length: int) -> Mask | None:
    """The slots that the run was asked; None for all of its version."""
    if run.asked_rows is None:
        return None
    return bitmaps.unpacked(run.asked_rows, length)


def count(run: Run) -> int | None:
    """How many examples the run was asked; None for all of its version."""
    if run.asked_rows is None:
        return None
    return len(bitmaps.positions(run.asked_rows))


def among(run: Run, positions: NDArray[np.int64]) -> Mask:
    """Which of these positions the run was asked."""
    slots = mask(run, int(positions.max(initial=0)))
    return np.ones(len(positions), np.bool_) if slots is None else slots[positions - 1]
