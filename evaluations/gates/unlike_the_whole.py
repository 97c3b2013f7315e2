"""What a gate lets through without looking: subsets of the examples on which the run is worse."""

from evaluations.comparisons import subsets
from evaluations.comparisons.alignment.sides import BASELINE
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Run
from evaluations.numerals import grouped
from evaluations.statistics.subsets import Subset
from evaluations.statistics.wording import number, points

MOST_NAMED = 3
RUN = BASELINE + 1
UNSEEN = "no criterion looks at"  # is in sentences of checks that name such subsets, and in no others


def told(comparison: Comparison, run: Run) -> str:
    """A sentence with a blank before it, by the primary evaluator; "" if the run is worse on no subset.

    These are the subsets that the sentence of the comparison names.
    """
    figures = comparison.figures
    search, worse = subsets.lost(figures, RUN)
    if not worse:
        return ""
    evaluator = figures.primary
    is_share = Recipe.from_version(figures.evaluators.scoring(evaluator.pk).evaluator_version).is_per_cent
    named = [_named(search, subset, is_share=is_share) for subset in worse[:MOST_NAMED]]
    more = f" and {len(worse) - MOST_NAMED} more" if len(worse) > MOST_NAMED else ""
    those = "this subset" if len(worse) == 1 else "these subsets"
    return (
        f" But {comparison.sides.label(run)} is worse on {', '.join(named)}{more} by {evaluator.name}; "
        f"{UNSEEN} {those}."
    )


def _named(search: subsets.Search, subset: Subset, *, is_share: bool) -> str:
    size = f"{points(subset.difference)} points" if is_share else number(subset.difference, signed=True)
    return f"{search.label(subset)} ({size}, n = {grouped(subset.n)})"
