"""The order in which a launch asks its examples. Ranks count from 1; chunks of a launch are ranges of ranks."""

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import bitmaps
from evaluations.engine.queue import Span
from evaluations.models import Experiment, Launch, Output, Run

CHUNK = 200  # ranks: some seconds of work
IN_STEP = 50  # where a launch may stop early


def positions(launch: Launch) -> NDArray[np.int64]:
    """The positions of the examples, by rank: a random order that depends on the seed and the examples alone."""
    every = _every(launch.experiment) if launch.rows is None else bitmaps.positions(launch.rows)
    return np.random.default_rng(launch.seed).permutation(every)[: launch.size]


def _every(experiment: Experiment) -> NDArray[np.int64]:
    rows = bulk.select(experiment.examples.order_by("position").values_list("position"))
    return np.fromiter((position for (position,) in rows), np.int64, len(rows))


def unanswered(run: Run, by_rank: NDArray[np.int64], size: int = CHUNK) -> list[Span]:
    """The chunks in which the run lacks an output, each with how many it lacks."""
    lacks = ~np.isin(by_rank, answered(run))
    counts = [(first, int(lacks[first : first + size].sum())) for first in range(0, len(by_rank), size)]
    return [(first + 1, min(first + size, len(by_rank)), count) for first, count in counts if count]


def answered(run: Run) -> NDArray[np.int64]:
    """The positions that have an output, failed ones too."""
    rows = bulk.select(Output.objects.filter(run=run).values_list("position"))
    return np.fromiter((position for (position,) in rows), np.int64, len(rows))


def answered_of(launch: Launch) -> dict[int, int]:
    """How many outputs each run of a launch has, failed ones too."""
    outputs = Output.objects.filter(run__generation__launch=launch)
    return dict(outputs.order_by().values_list("run_id").annotate(Count("position")))
