"""The two-by-two table of two variants by an evaluator that scores only 0 and 1: what was lost, and what was won."""

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

    `right` is the word for a score of 1; `baseline` and `variant` are their names.
    """

    right: str
    baseline: str
    variant: str
    both: Field
    lost: Field
    won: Field
    neither: Field
    sealed: int

    @property
    def is_changed(self) -> bool:
        return bool(self.lost.count or self.won.count)

    @property
    def total(self) -> int:
        return sum(field.count for field in (self.both, self.lost, self.won, self.neither))

    @property
    def caption(self) -> str:
        """The table in a line: "209 lost, 152 won: 57 fewer right answers"."""
        change = self.won.count - self.lost.count
        size = plural(abs(change), f"{'more' if change > 0 else 'fewer'} {self.right} answer")
        begin = f"{grouped(self.lost.count)} lost, {grouped(self.won.count)} won"
        end = f"; {plural(self.sealed, 'sealed example')} left out" if self.sealed else ""
        return f"{begin}: {size if change else f'as many {self.right} answers'}{end}"


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
    right, sides = comparison.evaluators.share(evaluator.pk), comparison.sides
    if not right or side.is_averaged or sides.baseline.is_averaged:
        return None
    counted = count()
    counts = counted.counts
    if counts is None:
        return None  # raters differ about an answer

    def field(baseline: int, variant: int) -> Field:
        square = f"{counted.last * baseline}-{counted.last * variant}"
        chosen = {"evaluator": evaluator.pk, "variant": side.run.pk, "square": square}
        page = f"{address(request, **(RESET | chosen))}#examples"
        return Field(counts[baseline][variant], page)

    return Fourfold(
        right=right,
        baseline=sides.label(sides.baseline.run),
        variant=sides.label(side.run),
        both=field(1, 1),
        lost=field(1, 0),
        won=field(0, 1),
        neither=field(0, 0),
        sealed=counted.sealed,
    )
