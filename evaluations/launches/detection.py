"""The power of a launch: its chance of detecting a difference that matters, computed before anything is paid.

It uses the differences between variants in the launch's own answers, after a pilot for example, or else those between
two variants in earlier runs of the dataset. Without such pairs it assumes that pass or fail changes in a quarter of the
examples, and that other scores differ by a quarter of their range.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Launch
from evaluations.statistics import power, sequential
from evaluations.statistics.sequential import Rule
from evaluations.statistics.terms import ALPHA

from . import earlier_runs, following, stopping
from .following import Follower

FEWEST_PAIRS = 10
# standard deviation of differences as a share of the range: for pass or fail, and for other scores
ASSUMED = {True: 0.5, False: 0.25}


@dataclass(frozen=True)
class Detection:
    """`smallest` is detected with a chance of 80 % (None: no difference is), the `margin` with the given `chance`.

    `spread` is the standard deviation of the primary evaluator's differences, from this number of `pairs`; 0: assumed.
    `needed` examples detect the margin with 80 %. `is_earlier`: the pairs are of earlier runs of the dataset.
    `equivalence` says whether equal variants can be found equivalent within the margin; `is_share` whether every score
    is 0 or 1.
    """

    smallest: float | None
    spread: float
    pairs: int
    margin: float | None
    chance: float | None
    equivalence: bool | None
    needed: int | None = None
    is_earlier: bool = False
    is_share: bool = False


def of_plan(
    recipe: Recipe | None,
    size: int,
    variants: int,
    margin: float | None,
    stops: bool = False,
    dataset: Dataset | None = None,
) -> Detection | None:
    """The power by earlier runs of the dataset, or else by the assumption.

    None if there is nothing to compare, or the scores have no known range.
    """
    if recipe is None or variants < 2 or None in recipe.bounds:
        return None
    earlier = earlier_runs.differences(dataset, recipe) if dataset else np.empty(0)
    if earlier.size >= FEWEST_PAIRS:
        spread, pairs = _spread(earlier, recipe)
        return replace(_detection(recipe, size, variants, margin, stops, spread, pairs), is_earlier=True)
    spread = ASSUMED[recipe.kind.binary] * _span(recipe)
    return _detection(recipe, size, variants, margin, stops, spread, 0)


def of_launch(launch: Launch) -> Detection | None:
    """The power by the scored answers of a launch."""
    recipe, experiment = Follower(launch).recipe, launch.experiment
    names = list(dict.fromkeys(run.variant for run in following.runs_of(launch)))
    margin = launch.stop["margin"] if launch.stop else experiment.margins.get(str(experiment.primary_id))
    assumed = of_plan(recipe, launch.size, len(names), margin, bool(launch.stop), experiment.dataset)
    if assumed is None or recipe is None:
        return None
    spreads = [spread for spread in _spreads(launch, recipe) if spread[1] >= FEWEST_PAIRS]
    if len(spreads) < len(names) - 1:
        return assumed
    spread, pairs = max(spreads)
    return _detection(recipe, launch.size, len(names), margin, bool(launch.stop), spread, pairs)


def _spreads(launch: Launch, recipe: Recipe) -> Sequence[tuple[float, int]]:
    """For each variant, the standard deviation of its differences from the first one, and their number."""
    baseline, *variants = [stopping.filled(runs, recipe) for runs in stopping.by_variant(launch).values()]
    spreads = []
    for variant in variants:
        shared = min(len(variant), len(baseline))
        differences = variant[:shared] - baseline[:shared]
        spreads.append(_spread(differences[~np.isnan(differences)], recipe))
    return spreads


def _spread(differences: NDArray[np.float64], recipe: Recipe) -> tuple[float, int]:
    """The standard deviation of differences, and their number.

    One more example has the largest possible difference: a pilot without any difference proves nothing.
    """
    squares = float(differences @ differences) + _span(recipe) ** 2
    return (squares / (differences.size + 1)) ** 0.5, differences.size


def _detection(
    recipe: Recipe, size: int, variants: int, margin: float | None, stops: bool, spread: float, pairs: int
) -> Detection:
    span, critical = _span(recipe), -float(scipy.special.ndtri(ALPHA / (variants - 1) / 2))
    rule = Rule(size, variants - 1, (margin or 0) / span, recipe.direction)
    if stops:
        smallest = sequential.detectable(rule, spread / span)
        chance = partial(sequential.chance, rule, spread / span)
    else:
        smallest = power.detectable(size, spread / span, critical)
        chance = partial(power.chance, size, spread / span, critical=critical)
    return Detection(
        smallest=smallest * span if smallest < 1 else None,
        spread=spread,
        pairs=pairs,
        margin=margin or None,
        chance=chance(margin / span) if margin else None,
        needed=power.needed(spread, margin, critical) if margin else None,
        equivalence=sequential.reaches_equivalence(rule, spread / span) if margin and stops else None,
        is_share=recipe.is_share,
    )


def _span(recipe: Recipe) -> float:
    low, high = stopping.ends(recipe)
    return high - low
