"""The figures of a scoring as comparisons count them: missing outputs as worst, missing references not at all."""

import math
from collections.abc import Sequence

from evaluations.evaluators.recipe import Recipe
from evaluations.scoring.summaries import Figures
from evaluations.values import Status


def corrected(figures: Figures, recipe: Recipe) -> tuple[Figures, int]:
    """The figures as comparisons count them: missing outputs as worst, missing references not at all.

    Also returns the number of missing outputs. Without a worst score they are only counted: what each of them scores
    depends on the compared variants.
    """
    counts, config = figures["counts"], recipe.parsed
    low, high = recipe.bounds
    worst = low if recipe.direction == "maximize" else high
    without, absent = counts.get("missing_expected", 0), counts.get("missing_actual", 0)
    if recipe.needs.isdisjoint(("output", "scores")):
        absent = 0
    counted = absent if worst is not None else 0
    changes: list[tuple[int, float]] = [(counted, worst or 0.0)]
    for times, status in ((without, Status.MISSING_EXPECTED), (counted, Status.MISSING_ACTUAL)):
        if times and (stored := recipe.kind.missing(config, status)):  # Some kinds store a score of 0.
            changes.append((-times, stored[0]))
    return (changed(figures, changes) if without or counted else figures), absent


def changed(figures: Figures, changes: Sequence[tuple[int, float]]) -> Figures:
    """The figures after adding or removing scores of one value; added scores do not pass."""
    n, mean, sd = figures["n"], figures["mean"] or 0.0, figures.get("sd") or 0.0
    more = sum(times for times, _ in changes)
    if not more and all(value == changes[0][1] for _, value in changes):
        return figures
    total = n + more
    if total <= 0:
        return Figures(**figures | {"n": 0, "mean": None})
    new = (n * mean + sum(times * value for times, value in changes)) / total
    squares = (n - 1) * sd**2 + n * (mean - new) ** 2 + sum(t * (v - new) ** 2 for t, v in changes)
    is_rate = figures["mean"] == figures["pass_rate"] and n == figures["n_judged"]
    rate = figures["n_passed"] / total if is_rate else figures["pass_rate"]
    return Figures(
        n=total,
        counts=figures["counts"],
        mean=rate if is_rate else new,
        pass_rate=rate,
        n_passed=figures["n_passed"],
        n_judged=total if is_rate else figures["n_judged"],
        sd=math.sqrt(max(squares, 0.0) / (total - 1)) if total > 1 else None,
    )
