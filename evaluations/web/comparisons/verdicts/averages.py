"""The means of a single variant, which cannot be compared."""

import math
from dataclasses import dataclass

from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator
from evaluations.scoring import summaries
from evaluations.statistics.intervals import Interval

from ...page_tools.request import HttpRequest
from .heads import Head, head


@dataclass(frozen=True)
class Average:
    """An evaluator's mean over its `n` scores; `interval` is that of the run, if the mean is the run's, too."""

    head: Head
    mean: float | None
    n: int
    is_share: bool
    interval: Interval | None


def averages(request: HttpRequest, comparison: Comparison) -> list[Average]:
    return [_average(request, comparison, evaluator) for evaluator in comparison.evaluators]


def _average(request: HttpRequest, comparison: Comparison, evaluator: Evaluator) -> Average:
    scored = comparison.figures.scored(evaluator)
    tally = scored.tallies[0]
    n, is_share = tally.scored if tally else 0, comparison.evaluators.is_share(evaluator.pk)
    interval = _interval(comparison, evaluator, scored.means[0])
    return Average(head(request, comparison, evaluator), scored.means[0], n, is_share, interval)


def _interval(comparison: Comparison, evaluator: Evaluator, mean: float | None) -> Interval | None:
    scorings = comparison.sides.baseline.scorings.get(evaluator.pk, [])
    if mean is None or len(scorings) != 1 or not scorings[0].summary:
        return None
    recipe = Recipe.from_version(scorings[0].evaluator_version)
    value, interval = summaries.compared(scorings[0].summary, recipe)
    return interval if value is not None and math.isclose(value, mean) else None
