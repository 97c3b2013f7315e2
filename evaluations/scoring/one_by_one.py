"""Scores the rows of a chunk one by one, after it took too long or ended a worker: the rows at fault get an error."""

import logging
import time
from collections.abc import Iterator

from evaluations.engine import queue
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Chunk, Run
from evaluations.values import Status

from . import time_limits
from .rows import Rows

log = logging.getLogger(__name__)
SECONDS = 10.0  # of processor time for one evaluator and one row
TOO_SLOW = f"too_slow: scoring this example took more than {SECONDS:.0f} seconds of processor time"


def score(chunk: Chunk, run: Run, rows: Rows, recipes: dict[int, Recipe], until: float) -> dict[int, Scores]:
    """The scores by scoring, one slot per position of the chunk.

    At `until`, by the monotonic clock, the rest is cut off: it waits behind others. Before each row, the chunk notes
    it, so that the next sweep knows which row ended the worker.
    """
    parts = list(_parts(chunk, run, rows, recipes, until))  # This may shorten the chunk.
    results = {scoring: Scores.empty(chunk.last - chunk.first + 1) for scoring in recipes}
    for position, part in parts:
        for scoring, scores in part.items():
            results[scoring].put([position - chunk.first], scores)
    return results


def _parts(
    chunk: Chunk, run: Run, rows: Rows, recipes: dict[int, Recipe], until: float
) -> Iterator[tuple[int, dict[int, Scores]]]:
    needs = frozenset().union(*(recipe.needs for recipe in recipes.values()))
    positions = rows.positions.tolist()
    for index, position in enumerate(positions):
        if index and time.monotonic() >= until:
            rest = (position, chunk.last, len(positions) - index)
            queue.cut(chunk, [(chunk.first, position - 1, index), rest], attempt=1)
            return
        if not queue.extend(chunk, row=position):
            return  # Another worker has the chunk; `close` drops these scores.
        alone = Rows.read(run, position, position, needs)
        with time_limits.never_stuck():
            yield position, {scoring: _alone(recipe, alone, position) for scoring, recipe in recipes.items()}


def _alone(recipe: Recipe, row: Rows, position: int) -> Scores:
    try:
        with time_limits.at_most(SECONDS):
            return recipe.scores(row.contexts)
    except time_limits.TooSlow:
        log.warning("example %s took too long for %s", position, recipe.kind.key)
        scores = Scores.empty(1, Status.ERROR)
        scores.messages[0] = TOO_SLOW
        return scores
