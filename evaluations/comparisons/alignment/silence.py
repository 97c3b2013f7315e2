"""The natural bound of unanswered examples: what an answer that says nothing would score.

It follows from the references, or is what a file with scores gave to empty outputs.
"""

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.kind import Family, Kind
from evaluations.mapping import Contexts
from evaluations.models import Run
from evaluations.scoring.causes import Mask
from evaluations.scoring.rows import Rows, outside_scores
from evaluations.values import Status

AT_ONCE = 500  # examples read at once


def natural(run: Run, recipe: Recipe, positions: Positions, slots: Mask) -> NDArray[np.float64]:
    """The natural bound in each of `slots`, one per position of the run's version; NaN elsewhere and without one."""
    bounds = np.full(len(positions), np.nan)
    if is_sent(recipe):
        return _of_file(run, recipe, positions, slots, bounds)
    if "expected" not in recipe.mapping.sources or not has_natural_bound(recipe.kind):
        return bounds
    wanted = np.flatnonzero(slots)
    for start in range(0, len(wanted), AT_ONCE):
        read = Rows.at(
            run, positions.at(wanted[start : start + AT_ONCE]).tolist(), recipe.needs - {"output", "scores"}
        )
        found, is_known = positions.find(read.positions)
        bounds[found[is_known]] = _bounds(recipe, read)[is_known]
    return bounds


def is_sent(recipe: Recipe) -> bool:
    """Whether a file brings the scores along, perhaps also those of empty outputs."""
    return recipe.kind.family == Family.OUTSIDE and "scores" in recipe.needs


def _of_file(
    run: Run, recipe: Recipe, positions: Positions, slots: Mask, bounds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What the file of a run gave to its empty outputs."""
    wanted = np.flatnonzero(slots)
    for start in range(0, len(wanted), AT_ONCE):
        at = positions.at(wanted[start : start + AT_ONCE]).tolist()
        given = outside_scores(run, at, of_silence=True, position__in=at)
        found = recipe.scores(Contexts(scores=given))
        bounds[wanted[start : start + AT_ONCE]] = np.where(
            found.status == Status.SCORED, found.values, np.nan
        )
    return bounds


def has_natural_bound(kind: Kind) -> bool:
    return kind.natural is not Kind.natural


def _bounds(recipe: Recipe, rows: Rows) -> NDArray[np.float64]:
    columns = recipe.mapping.resolve(rows.contexts)
    groups, problems = recipe.mapping.group_by_config(recipe.config, columns)
    expected = columns["expected"]
    bounds = np.full(len(rows.positions), np.nan)
    for config, members in groups:
        parsed = recipe.kind.parse(config)
        for row in members:
            if row not in problems and row not in expected.problems and expected.values[row] is not None:
                bound = recipe.kind.worst(parsed, expected.values[row])
                bounds[row] = np.nan if bound is None else bound
    return bounds
