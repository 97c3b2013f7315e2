"""The natural bound of unanswered examples: what an answer that says nothing would score, from their references."""

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.kind import Kind
from evaluations.models import Run
from evaluations.scoring.causes import Mask
from evaluations.scoring.rows import Rows

AT_ONCE = 500  # examples read at once


def natural(run: Run, recipe: Recipe, positions: Positions, slots: Mask) -> NDArray[np.float64]:
    """The natural bound in each of `slots`, one per position of the run's version; NaN elsewhere and without one."""
    bounds = np.full(len(positions), np.nan)
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
