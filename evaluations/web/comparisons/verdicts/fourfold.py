"""The two-by-two table of two variants by an evaluator that scores only 0 and 1: what got worse, and what better."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import corners
from evaluations.comparisons.examples.corners import Corners
from evaluations.models import Evaluator
from evaluations.numerals import grouped, plural

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest


@dataclass(frozen=True)
class Field:
    """Examples with one score of each variant; `address` shows them."""

    count: int
    address: str


@dataclass(frozen=True)
class Fourfold:
    """Examples by the scores of baseline and variant, but for `sealed` ones.

    `baseline` and `variant` are their names. An answer passes or fails, as in the list of examples, and an example is
    worse or better, as in its filter: the same sets have the same words everywhere.
    """

    baseline: str
    variant: str
    both: Field
    worse: Field
    better: Field
    neither: Field
    sealed: int

    @property
    def is_changed(self) -> bool:
        return bool(self.worse.count or self.better.count)

    @property
    def total(self) -> int:
        return sum(field.count for field in (self.both, self.worse, self.better, self.neither))

    @property
    def caption(self) -> str:
        """The table in a line: "209 worse, 152 better: 57 fewer pass"."""
        change = self.better.count - self.worse.count
        size = f"{grouped(abs(change))} {'more' if change > 0 else 'fewer'} pass"
        begin = f"{grouped(self.worse.count)} worse, {grouped(self.better.count)} better"
        end = f"; {plural(self.sealed, 'sealed example')} left out" if self.sealed else ""
        return f"{begin}: {size if change else 'as many pass'}{end}"


def fourfold(request: HttpRequest, comparison: Comparison) -> Fourfold | None:
    """The table by the primary evaluator; None if its scores are not 0 and 1, or if a variant is a mean of runs."""
    primary, side = comparison.figures.primary, comparison.sides.others[0]
    return table(request, comparison, primary, side, lambda: corners.remembered(comparison, primary, 1))


def table(
    request: HttpRequest,
    comparison: Comparison,
    evaluator: Evaluator,
    side: Side,
    count: Callable[[], Corners],
) -> Fourfold | None:
    """The table of a side against the baseline; `count` gives its fields."""
    sides = comparison.sides
    if not comparison.evaluators.share(evaluator.pk) or side.is_averaged or sides.baseline.is_averaged:
        return None
    counted = count()
    counts = counted.counts
    if counts is None:
        return None  # raters differ about an answer

    def field(baseline: int, variant: int) -> Field:
        is_tie = baseline == variant
        chosen = {
            "evaluator": evaluator.pk,
            "variant": side.run.pk,
            "square": f"{counted.last * baseline}-{counted.last * variant}" if is_tie else None,
            "show": None if is_tie else "better" if variant else "worse",
        }
        page = f"{address(request, **(RESET | chosen))}#examples"
        return Field(counts[baseline][variant], page)

    return Fourfold(
        baseline=sides.label(sides.baseline.run),
        variant=sides.label(side.run),
        both=field(1, 1),
        worse=field(1, 0),
        better=field(0, 1),
        neither=field(0, 0),
        sealed=counted.sealed,
    )
