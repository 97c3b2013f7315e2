"""How many of the answers that were looked at become right by a reading step, before anybody takes it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluations.evaluators.recipe import Recipe
from evaluations.models import EvaluatorVersion, Run
from evaluations.process_cache import ProcessCache
from evaluations.scoring.rows import Rows

MOST_RUNS = 6


class Effect(NamedTuple):
    """By one evaluator, how many of the `seen` answers are right now, and how many would be."""

    evaluator: str
    before: int
    after: int
    seen: int

    @property
    def is_none(self) -> bool:
        """Whether as many answers are right either way, so that the evaluator reads past it already."""
        return 0 < self.before == self.after


effects: ProcessCache[str, tuple[int, int, int]] = ProcessCache("effects of reading steps", 500)


def of(
    version: EvaluatorVersion, changed: Mapping[str, Any], runs: Sequence[Run], last: int
) -> Effect | None:
    """Of the answers up to position `last`; None unless the evaluator says right or wrong and calls no server."""
    now = Recipe.from_version(version)
    if not now.is_share or now.is_paid or now.kind.is_derived:
        return None
    looked = runs[:MOST_RUNS]
    key = repr([(run.pk, run.revision) for run in looked] + [(version.pk, changed)])
    counts = effects.get(key)
    if counts is None:
        then = Recipe.compile(version.kind, version.config, dict(changed), version.kind_version)
        counts = (0, 0, 0)
        for run in looked:
            rows = Rows.read(run, 1, last, now.needs | {"output"})
            scores = [_right(recipe, rows) for recipe in (now, then)]
            counts = (counts[0] + scores[0], counts[1] + scores[1], counts[2] + len(rows.positions))
        effects.put(key, counts)
    return Effect(version.evaluator.name, *counts)


def _right(recipe: Recipe, rows: Rows) -> int:
    return int(np.sum(recipe.scores(rows.contexts).values == 1)) if len(rows.positions) else 0
