"""The order in which a launch asks its examples. Ranks count from 1; chunks of launches are ranges of ranks."""

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import bitmaps
from evaluations.engine.queue import Span
from evaluations.models import Experiment, Launch, Output, Run
from evaluations.scoring import coverage

CHUNK = 200  # ranks of a chunk: some seconds of work
IN_STEP = 50  # ranks of a chunk of a launch that may stop early, and at most of one with a limit
SHORTEST_STEP = 5  # ranks of a chunk of a small launch with a limit


def positions(launch: Launch) -> NDArray[np.int64]:
    """Positions by rank: a random order that depends only on the seed and the examples."""
    every = _every(launch.experiment) if launch.rows is None else bitmaps.positions(launch.rows)
    return np.random.default_rng(launch.seed).permutation(every)[: launch.size]


def is_in_step(launch: Launch) -> bool:
    """Whether all variants are asked the same ranks in turn: what a stop or a spent budget leaves can be compared."""
    budget = launch.budget
    is_limited = budget.limit is not None or budget.max_calls is not None
    return bool(launch.stop) or is_limited or launch.project.monthly_limit is not None


def step(launch: Launch) -> int:
    """The ranks of a chunk; variants of a launch with a limit are at most a fiftieth of it apart."""
    if launch.stop:
        return IN_STEP
    return min(IN_STEP, max(SHORTEST_STEP, launch.size // 50)) if is_in_step(launch) else CHUNK


def _every(experiment: Experiment) -> NDArray[np.int64]:
    rows = bulk.select(experiment.examples.order_by("position").values_list("position"))
    return np.fromiter((position for (position,) in rows), np.int64, len(rows))


def unanswered(run: Run, by_rank: NDArray[np.int64], size: int = CHUNK) -> list[Span]:
    """The chunks in which a run lacks outputs, each with the number it lacks."""
    lacks = is_left(run, by_rank)
    counts = [(first, int(lacks[first : first + size].sum())) for first in range(0, len(by_rank), size)]
    return [(first + 1, min(first + size, len(by_rank)), count) for first, count in counts if count]


def is_left(run: Run, ranked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each position, whether the run is still to be asked it: it belongs to the run, and has no output."""
    is_here = coverage.positions(run).find(ranked)[1] & coverage.is_asked(run, ranked)
    return np.asarray(is_here & ~np.isin(ranked, answered(run)))


def answered(run: Run) -> NDArray[np.int64]:
    """The positions with an output, failed ones included."""
    rows = bulk.select(Output.objects.filter(run=run).values_list("position"))
    return np.fromiter((position for (position,) in rows), np.int64, len(rows))


def answered_of(launch: Launch) -> dict[int, int]:
    """The number of outputs of each run of a launch, failed ones included."""
    outputs = Output.objects.filter(run__generation__launch=launch)
    return dict(outputs.order_by().values_list("run_id").annotate(Count("position")))
