"""Two variants compared: evaluators as rows, the primary first."""

from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from evaluations.charts import Axis, axis_labels, outcomes, points, range_plot
from evaluations.comparisons import same_scale
from evaluations.comparisons.alignment.sides import BASELINE, Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.entries import Entry
from evaluations.models import Evaluator
from evaluations.numerals import signed
from evaluations.statistics.terms import Difference
from evaluations.templatetags.evalsite import mean

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest
from .changes import Change, common_axis
from .heads import Head, head

HEIGHT = 24


@dataclass(frozen=True)
class Row:
    """An evaluator, or "Answered" with the counts of both variants.

    `sizes` are the numbers of examples of both means where they are others than that of the pairs; on `unread` of them
    the evaluator found nothing to score. Nothing is drawn without a difference.
    """

    name: str
    head: Head | None
    is_primary: bool
    baseline: float | None
    variant: float | None
    change: Change
    plot: SafeString
    outcomes: SafeString
    has_separate_scale: bool
    is_share: bool = False
    sizes: tuple[int | None, ...] = (None, None)
    unread: tuple[int, ...] = (0, 0)
    n: int | None = None
    counts: tuple[int, int, int, int] | None = None  # answered and all examples, for both variants

    @property
    def is_unread(self) -> bool:
        """Whether the evaluator found nothing to score in any answer of both, so that its figures say nothing."""
        of_pairs = self.head.n if self.head else 0
        sizes = [of_pairs if size is None else size for size in self.sizes]
        return all(0 < size <= count for count, size in zip(self.unread, sizes, strict=True))

    @property
    def means(self) -> tuple[str, str]:
        return mean(self.baseline, self.is_share), mean(self.variant, self.is_share)


@dataclass(frozen=True)
class Duel:
    baseline: Side
    variant: Side
    names: tuple[str, str]
    repeats: tuple[int, int]
    swap_address: str
    axis: SafeString
    rows: list[Row]


def duel(request: HttpRequest, comparison: Comparison) -> Duel:
    """The rows; evaluators with the primary's range of scores share its axis."""
    primary = comparison.figures.primary
    baseline, variant = comparison.sides.baseline, comparison.sides.others[0]
    changes = {entry.evaluator: _change(comparison, entry) for entry in comparison.figures.entries}
    shared = [evaluator for evaluator in comparison.evaluators if _is_alike(comparison, evaluator, primary)]
    axis = common_axis(comparison, primary, (changes[evaluator] for evaluator in shared))
    rows = [
        _row(request, comparison, evaluator, changes[evaluator], axis if evaluator in shared else None)
        for evaluator in comparison.evaluators
    ]
    return Duel(
        baseline=baseline,
        variant=variant,
        names=(comparison.sides.label(baseline.run), comparison.sides.label(variant.run)),
        repeats=(len(baseline.runs), len(variant.runs)),
        swap_address=address(request, baseline=variant.run.pk, variant=None, **RESET),
        axis=axis_labels(axis, written=points if changes[primary].is_share else signed)
        if any(change.range.values for change in changes.values()) and not all(row.is_unread for row in rows)
        else SafeString(""),
        rows=[*rows[:1], *_labels_only(comparison, axis), *rows[1:], *_answered_rows(comparison)],
    )


def _change(comparison: Comparison, entry: Entry) -> Change:
    return Change.from_paired(entry.paired, is_share=comparison.evaluators.is_share(entry.evaluator.pk))


def _labels_only(comparison: Comparison, axis: Axis) -> list[Row]:
    """Under people who are helped: what their labels say alone, without a verdict."""
    paired = comparison.figures.families.primary.against(BASELINE, 1).comparison
    if comparison.figures.people is None or comparison.figures.people.helper is None or paired is None:
        return []
    alone = replace(paired, verdict=None, reason="The verdict is that of people, helped.")
    change = Change.from_paired(alone, is_share=comparison.evaluators.is_share(comparison.figures.primary.pk))
    return [
        Row(
            name="labels only",
            head=None,
            is_primary=False,
            baseline=paired.baseline_mean,
            variant=paired.mean,
            change=change,
            plot=range_plot(axis, change.range, height=HEIGHT, grid=True),
            outcomes=outcomes(paired.wins, paired.losses, paired.ties),
            has_separate_scale=False,
            is_share=change.is_share,
            n=paired.n,
        )
    ]


def _is_alike(comparison: Comparison, evaluator: Evaluator, second: Evaluator) -> bool:
    """Whether the differences by both evaluators fit on one axis: in one unit, points or that of the scores."""
    if comparison.evaluators.is_share(evaluator.pk) != comparison.evaluators.is_share(second.pk):
        return False
    scales = [
        (comparison.evaluators.bounds(e.pk), comparison.evaluators.direction(e.pk))
        for e in (evaluator, second)
    ]
    is_bounded = None not in scales[0][0]
    is_alike = same_scale.are_alike(comparison.figures, evaluator, second)
    return evaluator == second or is_alike or (scales[0] == scales[1] and is_bounded)


def _row(
    request: HttpRequest, comparison: Comparison, evaluator: Evaluator, change: Change, axis: Axis | None
) -> Row:
    """`axis` is the shared one; None for an evaluator on a scale of its own."""
    paired = comparison.figures.entries_of(evaluator)[0].paired
    (baseline, baseline_n), (variant, variant_n) = comparison.figures.means_over(evaluator)
    row_axis = axis or common_axis(comparison, evaluator, [change])

    def link(outcome: str) -> str:
        return f"{address(request, **(RESET | {'evaluator': evaluator.pk, 'show': outcome}))}#examples"

    return Row(
        name=evaluator.name,
        head=head(request, comparison, evaluator),
        is_primary=evaluator == comparison.evaluators.primary,
        baseline=baseline,
        variant=variant,
        sizes=tuple(n if n != paired.n else None for n in (baseline_n, variant_n)),
        unread=tuple(comparison.figures.unread(evaluator)),
        change=change,
        plot=SafeString("")
        if change.range.point is None
        else range_plot(row_axis, change.range, height=HEIGHT, grid=axis is not None),
        outcomes=outcomes(paired.wins, paired.losses, paired.ties, link),
        has_separate_scale=axis is None,
        is_share=change.is_share,
    )


def _answered_rows(comparison: Comparison) -> list[Row]:
    """The row "Answered", compared like an evaluator; omitted if both sides answered equally many."""
    measures = comparison.figures.measures
    answered = measures.answered
    paired = next(m.comparisons[1] for m in measures.measures if m.name == "answers")
    if paired is None or answered == [answered[0]] * len(answered):
        return []
    return [_answered_row(paired, answered, measures.examples)]


def _answered_row(paired: Difference, answered: list[int], totals: list[int]) -> Row:
    change = Change.from_paired(paired, is_share=True)
    shares = [n / total if total else None for n, total in zip(answered, totals, strict=True)]
    return Row(
        name="Answered",
        head=None,
        is_primary=False,
        baseline=shares[0],
        variant=shares[1],
        change=change,
        plot=range_plot(Axis.covering([change.range]), change.range, height=HEIGHT),
        outcomes=outcomes(paired.wins, paired.losses, paired.ties),
        has_separate_scale=True,
        is_share=True,
        counts=(answered[0], totals[0], answered[1], totals[1]),
    )
