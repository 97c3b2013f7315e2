"""Tables of a report besides the verdict: subsets, corpus scores, agreement of evaluators, the leaderboard."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, axis_labels, per_cent, points, range_plot
from evaluations.comparisons import evaluator_agreement
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusTable
from evaluations.comparisons.over_time.leaderboards import Leaderboard
from evaluations.comparisons.over_time.system_agreement import Row as SystemRow
from evaluations.comparisons.over_time.system_agreement import SystemAgreement
from evaluations.comparisons.over_time.trends import Point
from evaluations.comparisons.subsets import Search, verdict
from evaluations.experiments.about import identity
from evaluations.models import Evaluator, Run
from evaluations.numerals import fixed, signed
from evaluations.statistics.correlation import Correlations
from evaluations.statistics.subsets import Subset
from evaluations.statistics.terms import Difference

from .further_sections import FurtherSections

HEIGHT = 34
MOST_SUBSETS = 20


@dataclass(frozen=True)
class SubsetRow:
    """A subset on which the difference from the baseline deviates from the rest."""

    subset: Subset
    variant: str
    verdict: str
    plot: SafeString


@dataclass(frozen=True)
class Subsets:
    """The reported subsets, out of `searched` ones in `columns`."""

    searched: int
    columns: Sequence[str]
    reported: int
    axis: SafeString
    rows: Sequence[SubsetRow]
    is_share: bool


@dataclass(frozen=True)
class Agreement:
    """The primary evaluator against each other one, in words and numbers."""

    examples: int
    total: int
    rows: Sequence[tuple[Evaluator, Correlations]]

    @property
    def has_fewer(self) -> bool:
        """Whether some evaluators did not score all outputs that others scored."""
        return len({correlations.n for _, correlations in self.rows}) > 1


@dataclass(frozen=True)
class RankedRow:
    """A row of the leaderboard; `is_in_report` marks runs of the report."""

    rank: str
    point: Point
    is_in_report: bool
    plot: SafeString
    lead: Difference | None


@dataclass(frozen=True)
class Board:
    """The leaderboard. `absent` are variants of the report without a rank, with the reason."""

    leaderboard: Leaderboard
    axis: SafeString
    rows: Sequence[RankedRow]
    absent: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Systems:
    against: Evaluator
    variants: int
    rows: Sequence[tuple[Evaluator, SystemRow]]


@dataclass(frozen=True)
class Sections:
    """The sections of a report; None for a section without content."""

    subsets: Subsets | None
    corpus: Sequence[CorpusTable]
    agreement: Agreement | None
    board: Board | None
    systems: Systems | None


def sections(comparison: Comparison, further: FurtherSections) -> Sections:
    return Sections(
        subsets=_subsets(comparison, further.search) if further.search.subsets else None,
        corpus=further.corpus,
        agreement=_agreement(comparison, further.matrix) if further.matrix else None,
        board=_board(comparison, further.board) if further.board else None,
        systems=_systems(further.systems) if further.systems else None,
    )


def _subsets(comparison: Comparison, search: Search) -> Subsets:
    direction = comparison.evaluators.direction(comparison.figures.primary.pk)
    reported = [subset for subset in search.subsets if subset.reported]
    ranges = {id(subset): _range(subset.interval, subset.difference) for subset in reported[:MOST_SUBSETS]}
    axis = Axis.covering(ranges.values(), is_turned=direction == "minimize")
    rows = [
        SubsetRow(
            subset,
            comparison.sides.label(comparison.sides[subset.key].run),
            verdict(subset, direction) or "none",
            range_plot(axis, ranges[id(subset)], height=HEIGHT, grid=True),
        )
        for subset in reported[:MOST_SUBSETS]
    ]
    is_share = comparison.evaluators.is_share(comparison.figures.primary.pk)
    labels = axis_labels(axis, written=points if is_share else signed)
    counted = search.counted
    found = sum(subset.reported for subset in counted)
    return Subsets(len(counted), search.columns, found, labels, rows, is_share)


def _range(interval: tuple[float, float] | None, point: float) -> Range:
    low, high = interval or (None, None)
    return Range(low, point, high)


def _agreement(comparison: Comparison, matrix: evaluator_agreement.Matrix) -> Agreement:
    primary, *secondary = comparison.evaluators
    pairs = [(evaluator, matrix.of_pair(primary.pk, evaluator.pk)) for evaluator in secondary]
    return Agreement(
        matrix.examples,
        matrix.total,
        [(evaluator, correlations) for evaluator, correlations in pairs if correlations is not None],
    )


def _board(comparison: Comparison, board: Leaderboard) -> Board:
    shown = [standing.point for standing in board.standings]
    values = [value for point in shown for value in (point.mean, *(point.interval or ()))]
    axis = Axis.around(values, is_turned=board.trend.direction == "minimize", is_share=board.is_share)
    report_runs = {run.pk for run in comparison.sides.runs}
    rows = [
        RankedRow(
            standing.ranked.rank_text,
            standing.point,
            standing.point.run.pk in report_runs,
            range_plot(
                axis,
                _range(standing.point.interval, standing.point.mean),
                height=HEIGHT,
                grid=True,
                zero=False,
            ),
            standing.lead,
        )
        for standing in board.standings
    ]
    labels = axis_labels(axis, written=per_cent if board.is_share else fixed)
    return Board(board, labels, rows, _absent(comparison, board, {point.run.pk for point in shown}))


def _absent(comparison: Comparison, board: Leaderboard, ranked: set[int]) -> list[tuple[str, str]]:
    return [
        (comparison.sides.label(run), _reason(comparison, board, run))
        for run in comparison.sides.runs
        if run.pk not in ranked
    ]


def _reason(comparison: Comparison, board: Leaderboard, run: Run) -> str:
    reasons = {standing.point.run.pk: standing.reason for standing in board.unranked}
    if run.pk in reasons:
        return reasons[run.pk]
    if run.experiment.dataset_id != comparison.sides.dataset.pk:
        return "it is of another dataset"
    points = [
        *(standing.point for standing in board.standings),
        *(standing.point for standing in board.unranked),
    ]
    latest = {identity(point.run) for point in points}
    return "the variant has a later run" if identity(run) in latest else "it has no final score"


def _systems(systems: SystemAgreement) -> Systems | None:
    if systems.against is None:
        return None
    named = systems.named_rows
    return Systems(systems.against, len(systems.runs), named)
