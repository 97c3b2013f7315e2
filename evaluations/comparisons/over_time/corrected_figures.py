"""The figures of a scoring as comparisons count them: missing outputs as worst, missing references not at all."""

from evaluations.evaluators.recipe import Recipe
from evaluations.scoring.in_mean import changed
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
