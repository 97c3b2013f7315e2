"""The table under a verdict: variants as rows from three on, evaluators as rows where there are two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.utils.safestring import SafeString

from evaluations.charts import (
    Axis,
    Range,
    axis_labels,
    baseline_plot,
    outcomes,
    range_plot,
)
from evaluations.comparisons.alignment import Side
from evaluations.comparisons.comparison import Comparison, Ranked
from evaluations.models import Evaluator, Run
from evaluations.numerals import signed
from evaluations.statistics.terms import Comparison as Difference

from .paging import RESET, address, number

MOST_SECONDARY = 6  # that have a column of their own; the others are counted
ROW_HEIGHT, SMALL_HEIGHT, DUEL_HEIGHT = 46, 10, 24


@dataclass(frozen=True)
class Change:
    """A difference as the tables write it; `verdict` is None where no verdict is possible."""

    difference: float | None
    low: float | None
    high: float | None
    verdict: str
    reason: str | None
    equivalence: str | None = None

    @classmethod
    def of(cls, paired: Difference) -> "Change":
        low, high = paired.interval or (None, None)
        return cls(
            paired.difference, low, high, paired.verdict or "cannot_tell", paired.reason, paired.equivalence
        )

    @property
    def range(self) -> Range:
        return Range(self.low, self.difference, self.high)

    @property
    def interval(self) -> tuple[float, ...]:
        """Both bounds; empty where there is no interval."""
        return () if self.low is None or self.high is None else (self.low, self.high)

    @property
    def bounds(self) -> str:
        """Both bounds in words."""
        return " to ".join(signed(bound) for bound in self.interval)


@dataclass(frozen=True)
class Head:
    """An evaluator as a column or row head."""

    evaluator: Evaluator
    versions: str
    lower_is_better: bool
    examples_address: str
    details_address: str
    is_open: bool
    newer: int | None
    n: int


@dataclass(frozen=True)
class SecondaryCell:
    """A variant's mean on a secondary evaluator and its difference from the baseline."""

    name: str
    mean: float | None
    change: Change | None
    is_best: bool
    plot: SafeString


@dataclass(frozen=True)
class Row:
    """A variant of the ranking."""

    run: Run
    name: str
    repeats: int
    is_baseline: bool
    rank: str
    tie: str
    mean: float | None
    plot: SafeString
    change: Change | None
    lead: Change | None
    secondary: list[SecondaryCell]
    counts: dict[str, int]
    answered: int
    asked: int
    latency: float | None

    @property
    def is_complete(self) -> bool:
        return self.answered == self.asked


@dataclass(frozen=True)
class Ranking:
    """Variants as rows, best first; the primary evaluator with its plot, secondary evaluators beside it."""

    primary: Head
    axis: SafeString
    secondary: list[Head]
    more: int
    all_address: str
    rows: list[Row]
    has_latency: bool
    n: int


@dataclass(frozen=True)
class DuelRow:
    """An evaluator, or "Answered", in the table of two variants."""

    name: str
    head: Head | None
    is_primary: bool
    baseline: float | None
    variant: float | None
    change: Change
    plot: SafeString
    outcomes: SafeString
    has_own_scale: bool
    is_share: bool = False
    counts: tuple[int, int, int, int] | None = None  # answered and asked of both


@dataclass(frozen=True)
class Duel:
    """Two variants: evaluators as rows, the primary first."""

    baseline: Side
    variant: Side
    names: tuple[str, str]
    repeats: tuple[int, int]
    swap_address: str
    axis: SafeString
    rows: list[DuelRow] = field(default_factory=list)


# ---- heads -------------------------------------------------------------------------------------------------


def head(request: HttpRequest, comparison: Comparison, evaluator: Evaluator) -> Head:
    """How an evaluator is named over its numbers, and where its examples and statistics are."""
    versions = sorted({n for side in comparison.sides for n in side.versions(evaluator.pk) if n})
    is_open = number(request, "details") == evaluator.pk
    sizes = [entry.paired.n for entry in comparison.entries_of(evaluator)]
    return Head(
        evaluator=evaluator,
        versions=", ".join(f"v{n}" for n in versions),
        lower_is_better=comparison.direction(evaluator.pk) == "minimize",
        examples_address=f"{address(request, evaluator=evaluator.pk, **RESET)}#examples",
        details_address=address(request, details=None if is_open else evaluator.pk, x=None),
        is_open=is_open,
        newer=evaluator.version if comparison.is_behind(evaluator) else None,
        n=max(sizes, default=0),
    )


def axis_of(comparison: Comparison, evaluator: Evaluator, changes: Iterable[Change]) -> Axis:
    return Axis.of(
        (change.range for change in changes), is_turned=comparison.direction(evaluator.pk) == "minimize"
    )


# ---- three variants or more --------------------------------------------------------------------------------


def ranking(request: HttpRequest, comparison: Comparison) -> Ranking:
    """The table of three variants or more; empty means where an evaluator did not score a variant."""
    assert comparison.primary is not None
    primary, secondary = comparison.primary, comparison.evaluators[1:]
    shows_all = "all" in request.GET.getlist("evaluators")
    shown = secondary if shows_all else secondary[:MOST_SECONDARY]
    places = {id(side): place for place, side in enumerate(comparison.sides)}
    changes = {id(entry.side): Change.of(entry.paired) for entry in comparison.entries_of(primary)}
    axis = axis_of(comparison, primary, changes.values())
    ranked = list(comparison.ranking)
    cells = [_secondary_cells(comparison, evaluator) for evaluator in shown]
    counts = _counts(comparison, secondary)
    latencies = next((m.means for m in comparison.measures.measures if m.name == "latency"), None)
    means = comparison.scored(primary).means
    by_side = {id(each.side): each for each in ranked}
    order = [each.side for each in ranked] + [side for side in comparison.sides if id(side) not in by_side]
    ties = _ties(ranked)
    rows = []
    for side in order:
        place, place_in_ranking = places[id(side)], by_side.get(id(side))
        change = changes.get(id(side))
        is_baseline = side is comparison.baseline
        lead = place_in_ranking.lead if place_in_ranking else None
        rows.append(
            Row(
                run=side.run,
                name=comparison.label(side.run),
                repeats=len(side.runs),
                is_baseline=is_baseline,
                rank=_rank(place_in_ranking),
                tie=ties.get(id(side), ""),
                mean=place_in_ranking.mean if place_in_ranking else means[place],
                plot=_plot(axis, change, is_baseline),
                change=change,
                lead=Change.of(lead) if lead else None,
                secondary=[column[place] for column in cells],
                counts=counts[place],
                answered=comparison.measures.answered[place],
                asked=comparison.measures.asked[place],
                latency=latencies[place] if latencies else None,
            )
        )
    return Ranking(
        primary=head(request, comparison, primary),
        axis=axis_labels(axis),
        secondary=[head(request, comparison, evaluator) for evaluator in shown],
        more=len(secondary) - len(shown),
        all_address=address(request, evaluators="all"),
        rows=rows,
        has_latency=latencies is not None,
        n=max((entry.paired.n for entry in comparison.entries_of(primary)), default=0),
    )


def _rank(ranked: Ranked | None) -> str:
    if ranked is None:
        return "–"
    first, last = ranked.rank
    return f"{first}" if first == last else f"{first}–{last}"


def _ties(ranked: Sequence[Ranked]) -> dict[int, str]:
    """ "first", "middle" and "last" of neighbours with equal ranks, which a bracket joins."""
    ties = {}
    for n, each in enumerate(ranked):
        before = n > 0 and ranked[n - 1].rank == each.rank
        after = n + 1 < len(ranked) and ranked[n + 1].rank == each.rank
        if before or after:
            ties[id(each.side)] = "middle" if before and after else "last" if before else "first"
    return ties


def _plot(axis: Axis, change: Change | None, is_baseline: bool) -> SafeString:
    if is_baseline or change is None:
        return baseline_plot(axis, height=ROW_HEIGHT, grid=True)
    return range_plot(axis, change.range, height=ROW_HEIGHT, grid=True)


def _secondary_cells(comparison: Comparison, evaluator: Evaluator) -> list[SecondaryCell]:
    """A cell for each side, on a scale of the evaluator's own."""
    changes = {id(entry.side): Change.of(entry.paired) for entry in comparison.entries_of(evaluator)}
    axis = axis_of(comparison, evaluator, changes.values())
    means = comparison.scored(evaluator).means
    known = [mean for mean in means if mean is not None]
    is_low_better = comparison.direction(evaluator.pk) == "minimize"
    best = (min(known) if is_low_better else max(known)) if known else None
    return [
        SecondaryCell(
            name=evaluator.name,
            mean=mean,
            change=change,
            is_best=best is not None and mean == best and len(set(known)) > 1,
            plot=range_plot(
                axis, change.range if change else Range(None, None, None), height=SMALL_HEIGHT, radius=2
            ),
        )
        for side, mean in zip(comparison.sides, means, strict=True)
        for change in [changes.get(id(side))]
    ]


def _counts(comparison: Comparison, evaluators: Sequence[Evaluator]) -> list[dict[str, int]]:
    """How many secondary evaluators call each side better, worse, or show no clear difference."""
    counts = [{"better": 0, "cannot_tell": 0, "worse": 0} for _ in comparison.sides]
    places = {id(side): place for place, side in enumerate(comparison.sides)}
    chosen = set(evaluators)
    for entry in comparison.entries:
        if entry.evaluator in chosen:
            counts[places[id(entry.side)]][entry.paired.verdict or "cannot_tell"] += 1
    return counts


# ---- two variants ------------------------------------------------------------------------------------------


def duel(request: HttpRequest, comparison: Comparison) -> Duel:
    """The table of two variants; evaluators whose scores have the primary's range share its axis."""
    assert comparison.primary is not None
    side = comparison.others[0]
    changes = {entry.evaluator.pk: Change.of(entry.paired) for entry in comparison.entries}
    shared = [
        evaluator
        for evaluator in comparison.evaluators
        if _is_alike(comparison, evaluator, comparison.primary)
    ]
    axis = axis_of(comparison, comparison.primary, (changes[one.pk] for one in shared))
    rows = [
        _duel_row(
            request, comparison, evaluator, changes[evaluator.pk], axis if evaluator in shared else None
        )
        for evaluator in comparison.evaluators
    ]
    return Duel(
        baseline=comparison.baseline,
        variant=side,
        names=(comparison.label(comparison.baseline.run), comparison.label(side.run)),
        repeats=(len(comparison.baseline.runs), len(side.runs)),
        swap_address=address(request, baseline=side.run.pk, variant=None, **RESET),
        axis=axis_labels(axis),
        rows=rows + _answered_row(comparison),
    )


def _is_alike(comparison: Comparison, one: Evaluator, other: Evaluator) -> bool:
    """Whether differences by both can stand on one axis."""
    here, there = ((comparison.bounds(e.pk), comparison.direction(e.pk)) for e in (one, other))
    return one == other or (here == there and here[0][1] is not None)


def _duel_row(
    request: HttpRequest, comparison: Comparison, evaluator: Evaluator, change: Change, axis: Axis | None
) -> DuelRow:
    entry = comparison.entries_of(evaluator)[0]
    paired, means = entry.paired, comparison.scored(evaluator).means
    own = axis or axis_of(comparison, evaluator, [change])

    def link(outcome: str) -> str:
        return f"{address(request, **(RESET | {'evaluator': evaluator.pk, 'show': outcome}))}#examples"

    return DuelRow(
        name=evaluator.name,
        head=head(request, comparison, evaluator),
        is_primary=evaluator == comparison.primary,
        baseline=means[0] if paired.baseline_mean is None else paired.baseline_mean,
        variant=means[1] if paired.mean is None else paired.mean,
        change=change,
        plot=range_plot(own, change.range, height=DUEL_HEIGHT, grid=axis is not None),
        outcomes=outcomes(paired.wins, paired.losses, paired.ties, link),
        has_own_scale=axis is None,
    )


def _answered_row(comparison: Comparison) -> list[DuelRow]:
    """ "Answered", compared like an evaluator; left out where every example was answered."""
    measures = comparison.measures
    if measures.answered == measures.asked:
        return []
    paired = next(m.comparisons[1] for m in measures.measures if m.name == "answers")
    if paired is None:
        return []
    change = Change.of(paired)
    shares = [n / of if of else None for n, of in zip(measures.answered, measures.asked, strict=True)]
    return [
        DuelRow(
            name="Answered",
            head=None,
            is_primary=False,
            baseline=shares[0],
            variant=shares[1],
            change=change,
            plot=range_plot(Axis.of([change.range]), change.range, height=DUEL_HEIGHT),
            outcomes=outcomes(paired.wins, paired.losses, paired.ties),
            has_own_scale=True,
            is_share=True,
            counts=(measures.answered[0], measures.asked[0], measures.answered[1], measures.asked[1]),
        )
    ]


# ---- one variant -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Average:
    """An evaluator's mean of one variant over its `n` scores."""

    head: Head
    mean: float | None
    n: int


def averages(request: HttpRequest, comparison: Comparison) -> list[Average]:
    """The means of a variant that has nothing to be compared with."""
    shown = []
    for evaluator in comparison.evaluators:
        scored = comparison.scored(evaluator)
        tally = scored.tallies[0]
        shown.append(
            Average(head(request, comparison, evaluator), scored.means[0], tally.scored if tally else 0)
        )
    return shown
