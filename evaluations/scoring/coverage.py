"""Which examples a run was asked: all of its dataset version, or those of a split or a sample, stored as a bitmap.

An example that was not asked has no slot in any score column, so it counts nowhere.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import bitmaps, live_positions
from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.models import Experiment, Run


def positions(run: Run) -> Positions:
    """The positions of the experiment's dataset version: every column of the run has a slot for each."""
    return positions_of(run.experiment)


def positions_of(experiment: Experiment) -> Positions:
    return live_positions.of_version(experiment.dataset, experiment.dataset_version)


def asked_positions(runs: Sequence[Run]) -> Positions:
    """The positions that at least one of these runs of an experiment was asked."""
    every = positions(runs[0])
    masks = [mask for run in runs if (mask := slots(run)) is not None]
    if len(masks) < len(runs):
        return every
    return Positions.from_array(every.every[np.logical_or.reduce(masks)])


def slots(run: Run) -> Mask | None:
    """The slots that the run was asked; None for all."""
    return None if run.asked_rows is None else is_asked(run, positions(run).every)


def mask(run: Run, length: int) -> Mask | None:
    """The mask of positions 1 to `length` that the run was asked (position p at index p − 1); None for all."""
    if run.asked_rows is None:
        return None
    return bitmaps.unpacked(run.asked_rows, length)


def count(run: Run) -> int | None:
    """The number of examples that the run was asked; None for all of its version."""
    if run.asked_rows is None:
        return None
    return len(bitmaps.positions(run.asked_rows))


def is_asked(run: Run, candidates: NDArray[np.integer]) -> Mask:
    """For each candidate position, whether the run was asked it."""
    return (
        np.ones(len(candidates), np.bool_)
        if run.asked_rows is None
        else bitmaps.holds(run.asked_rows, candidates)
    )


def asks(run: Run, position: int) -> bool:
    return bool(is_asked(run, np.array([position]))[0])
