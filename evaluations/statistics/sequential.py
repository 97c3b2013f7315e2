"""Early stopping: repeated looks at a variant against a baseline while answers arrive.

A look is taken every 50 examples, the last one after all of them. After the share τ of the examples, looks may have
spent the error α τ² (Kim and DeMets 1987), so that all looks together have an error of at most α. One imaginary example
at the bound of the scale is added against the leader, in case rare large losses have not occurred yet.

Differences are in units of the evaluator's range.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluations.process_cache import remembered
from evaluations.statistics.power import POWER
from evaluations.statistics.terms import ALPHA, Interval, Values
from evaluations.values import MAXIMIZE, Direction

EVERY = 50  # examples between two looks
MOST_LOOKS = 200
PATHS = 400_000
WALKS = 4_000
SEED = 20_261_123

Outcome = Literal["", "better", "worse", "equivalent", "cannot_tell"]


@dataclass(frozen=True)
class Rule:
    """The stopping rule: `variants` are compared with the baseline, over at most `total` examples.

    `margin` is the smallest difference that matters.
    """

    total: int
    variants: int
    margin: float
    direction: Direction = MAXIMIZE

    @property
    def alpha(self) -> float:
        """The error rate of one variant; variants stop independently."""
        return ALPHA / self.variants

    @property
    def looks(self) -> list[int]:
        """The numbers of examples after which to look; for large datasets at most about 200 looks.

        >>> Rule(130, 1, 0.02).looks
        [50, 100, 130]
        """
        step = EVERY * math.ceil(self.total / (EVERY * MOST_LOOKS))
        return [*range(step, self.total, step), self.total]

    @property
    def last_bound(self) -> float:
        return bounds(tuple(self.looks), self.alpha)[-1]


@dataclass(frozen=True)
class Interim:
    """The result of a look after `n` examples, of which `counted` have a score on both sides.

    The interval allows for repeated looks. `outcome` is "" until the variant is decided.
    """

    n: int
    counted: int
    difference: float
    interval: Interval
    outcome: Outcome


def look(differences: Values, n: int, rule: Rule) -> Interim:
    """Look at the differences of the first `n` examples (variant minus baseline, NaN if one has no score)."""
    scored = differences[:n][~np.isnan(differences[:n])]
    bound = bounds(tuple(rule.looks), rule.alpha)[rule.looks.index(n)]
    mean = float(scored.mean()) if scored.size else 0.0
    interval = _interval(float(scored.sum()), float(scored @ scored), scored.size, bound)
    return Interim(n, scored.size, mean, interval, _outcome(interval, n, rule))


def _interval(total: float, squares: float, n: int, bound: float) -> Interval:
    """The interval, which excludes zero where max(|Σd| − 1, 0) / √(Σd² + 1) exceeds the bound."""
    if not n or math.isinf(bound):
        return -1.0, 1.0
    half = (bound * math.sqrt(squares + 1) + 1) / n
    return max(total / n - half, -1.0), min(total / n + half, 1.0)


def _outcome(interval: Interval, n: int, rule: Rule) -> Outcome:
    low, high = interval
    if low > 0 or high < 0:
        return "better" if (low > 0) == (rule.direction == "maximize") else "worse"
    if -rule.margin < low and high < rule.margin:
        return "equivalent"
    return "cannot_tell" if n == rule.total else ""


@remembered("bounds of tests with several looks", 256)
def bounds(looks: tuple[int, ...], alpha: float) -> Sequence[float]:
    """The critical |z| of each look: up to the share τ, Brownian motion exceeds one with probability α τ².

    It is infinite for a look so early that less than one simulated path may exceed it. The paths are seeded, so that
    every process computes the same values.
    """
    draws = np.random.default_rng(SEED)
    paths, crossed, needed = np.zeros(PATHS), 0, []
    for before, n in zip((0, *looks), looks, strict=False):
        paths += draws.normal(0, math.sqrt(n - before), len(paths))
        height = np.abs(paths) / math.sqrt(n)
        crossing = int(alpha * (n / looks[-1]) ** 2 * PATHS) - crossed
        bound = _largest(height, crossing)
        needed.append(bound)
        paths = paths[height <= bound]
        crossed = PATHS - len(paths)
    return tuple(needed)


def _largest(heights: Values, count: int) -> float:
    """The value that `count` of the heights exceed."""
    if count <= 0:
        return math.inf
    return float(np.partition(heights, -count - 1)[-count - 1])


def reaches_equivalence(rule: Rule, spread: float) -> bool:
    """Whether equal variants with this standard deviation of differences are found equivalent at the last look."""
    low, high = _interval(0.0, rule.total * spread**2, rule.total, rule.last_bound)
    return -rule.margin < low and high < rule.margin


# ---- before a launch ---------------------------------------------------------------------------------------------


def chance(rule: Rule, spread: float, difference: float) -> float:
    """The power: the share of launches that detect this true difference at some look, given the standard deviation.

    >>> round(chance(Rule(1_319, 1, 0.0), 0.5, 0.05), 2)
    0.93
    """
    looks, bound = np.array(rule.looks), np.array(bounds(tuple(rule.looks), rule.alpha))
    means = (abs(difference) * looks + spread * _walks(tuple(rule.looks))) / looks
    half = (bound * np.sqrt(looks * (spread**2 + difference**2) + 1) + 1) / looks
    clear_at, equivalent_at = _first(np.abs(means) > half), _first(np.abs(means) + half < rule.margin)
    return float((clear_at < equivalent_at).mean())


def detectable(rule: Rule, spread: float) -> float:
    """The smallest difference that is detected with 80 % power; at most the whole range."""
    if chance(rule, spread, 1.0) < POWER:
        return 1.0
    return float(
        scipy.optimize.bisect(lambda effect: chance(rule, spread, effect) - POWER, 0.0, 1.0, xtol=1e-4)
    )


@remembered("simulations of tests with several looks", 16)
def _walks(looks: tuple[int, ...]) -> NDArray[np.float64]:
    """Simulated paths of Brownian motion, at the looks."""
    steps = np.sqrt(np.diff(looks, prepend=0))
    return np.cumsum(np.random.default_rng(SEED).normal(0, steps, (WALKS, len(looks))), axis=1)


def _first(crossed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first look at which each path crosses; one beyond the last if it never does."""
    first: NDArray[np.int64] = crossed.argmax(axis=1)
    first[~crossed.any(axis=1)] = crossed.shape[1]
    return first
