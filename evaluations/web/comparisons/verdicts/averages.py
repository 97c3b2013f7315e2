"""The means of a single variant, which cannot be compared."""

from dataclasses import dataclass

from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator

from ...page_tools.request import HttpRequest
from .heads import Head, head


@dataclass(frozen=True)
class Average:
    """An evaluator's mean over its `n` scores."""

    head: Head
    mean: float | None
    n: int
    is_share: bool


def averages(request: HttpRequest, comparison: Comparison) -> list[Average]:
    return [_average(request, comparison, evaluator) for evaluator in comparison.evaluators]


def _average(request: HttpRequest, comparison: Comparison, evaluator: Evaluator) -> Average:
    scored = comparison.figures.scored(evaluator)
    tally = scored.tallies[0]
    n, is_share = tally.scored if tally else 0, comparison.evaluators.is_share(evaluator.pk)
    return Average(head(request, comparison, evaluator), scored.means[0], n, is_share)
