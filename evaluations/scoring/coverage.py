"""Which examples a run was asked: all of its dataset version, or those of a launch's sample, a bit for each position.

An example that was not asked has no slot in any score column, so that it counts nowhere.
"""

import numpy as np
from numpy.typing import NDArray

from evaluations.models import Run

Mask = NDArray[np.bool_]  # A place for each slot: position - 1.


def packed(positions: NDArray[np.int64]) -> bytes:
    """The bits of these positions, as `Run.asked_rows` keeps them."""
    slots = np.zeros(int(positions.max(initial=0)), np.bool_)
    slots[positions - 1] = True
    return np.packbits(slots).tobytes()


def mask(run: Run, length: int) -> Mask | None:
    """The slots that the run was asked; None for all of its version."""
    if run.asked_rows is None:
        return None
    bits = np.unpackbits(np.frombuffer(bytes(run.asked_rows), np.uint8))[:length]
    return np.pad(bits, (0, length - len(bits))).astype(np.bool_)


def count(run: Run) -> int | None:
    """How many examples the run was asked; None for all of its version."""
    if run.asked_rows is None:
        return None
    return int(np.unpackbits(np.frombuffer(bytes(run.asked_rows), np.uint8)).sum())


def among(run: Run, positions: NDArray[np.int64]) -> Mask:
    """Which of these positions the run was asked."""
    slots = mask(run, int(positions.max(initial=0)))
    return np.ones(len(positions), np.bool_) if slots is None else slots[positions - 1]
