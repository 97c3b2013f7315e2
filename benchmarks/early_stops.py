"""Simulates thousands of launches that stop early: error rate, power, and saved calls.

`manage.py benchmark stops`. Differences are in units of the evaluator's range.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evaluations.statistics.sequential import Rule, look

Draw = Callable[[Generator, int], NDArray[np.float64]]
MARGIN = 0.02
EFFECTS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class Stops:
    """The results of simulated launches: shares of outcomes, and of saved calls."""

    name: str
    better: float
    worse: float
    equivalent: float
    saved: float


def pass_or_fail(effect: float, changed: float = 0.3) -> Draw:
    """Wins and losses on the share `changed` of examples; the mean difference is `effect` standard deviations."""
    mean = effect * np.sqrt(changed / (1 + effect**2))

    def draw(chance: Generator, n: int) -> NDArray[np.float64]:
        won, lost = (changed + mean) / 2, (changed - mean) / 2
        return chance.choice([1.0, -1.0, 0.0], n, p=[won, lost, 1 - won - lost])

    return draw


def graded(effect: float, spread: float = 0.2) -> Draw:
    """Bounded scores with normally distributed differences."""
    return lambda chance, n: np.clip(chance.normal(effect * spread, spread, n), -1, 1)


def rare_losses(chance: Generator, n: int) -> NDArray[np.float64]:
    """No difference in the mean: small gains, and a large loss in one of fifty examples."""
    losses = chance.random(n) < 1 / 50
    return np.where(losses, -0.98, 0.02) + chance.normal(0, 0.01, n)


def simulate(name: str, draw: Draw, rule: Rule, launches: int, seed: int) -> Stops:
    chance = np.random.default_rng(seed)
    ends = [_end(draw(chance, rule.total), rule) for _ in range(launches)]
    outcomes = [outcome for _, outcome in ends]
    better, worse, equivalent = (
        outcomes.count(outcome) / launches for outcome in ("better", "worse", "equivalent")
    )
    return Stops(name, better, worse, equivalent, 1 - float(np.mean([n for n, _ in ends])) / rule.total)


def _end(differences: NDArray[np.float64], rule: Rule) -> tuple[int, str]:
    """The number of examples after which a launch stops, and its outcome."""
    for n in rule.looks:
        interim = look(differences, n, rule)
        if interim.outcome:
            return n, interim.outcome
    raise AssertionError("the last look has a verdict")


def report(total: int, launches: int, seed: int) -> Iterator[Stops]:
    """The results: launches without a difference first, then by its size."""
    rule = Rule(total, 1, MARGIN)
    yield simulate("no difference, pass or fail", pass_or_fail(0), rule, launches, seed)
    yield simulate("no difference, graded", graded(0), rule, launches, seed)
    yield simulate("no difference, 1 loss in 50", rare_losses, rule, launches, seed)
    for effect in EFFECTS:
        yield simulate(f"d = {effect:g}, pass or fail", pass_or_fail(effect), rule, launches, seed)
        yield simulate(f"d = {effect:g}, graded", graded(effect), rule, launches, seed)
