"""A comparison as a page lays it out: evaluators as rows for two variants, variants as rows from three on."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluations.models import Evaluator
from evaluations.statistics.terms import Comparison as Difference
from evaluations.statistics.terms import Interval, Verdict

from .alignment import Side
from .comparison import Comparison, Entry

MOST_SECONDARY = 6  # Secondary evaluators with a column of their own; the others are counted.
MARGIN = 0.05  # Of an axis, beyond the ends of the intervals.
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Axis:
    """A scale of differences from the data: it holds every interval, and zero."""

    low: float
    high: float

    @classmethod
    def of(cls, differences: Iterable[Difference | None]) -> "Axis":
        ends = [0.0]
        for one in differences:
            if one is not None and one.difference is not None:
                ends += [one.difference, *(one.interval or ())]
        low, high = min(ends), max(ends)
        room = MARGIN * (high - low) or 1.0
        return cls(low - room, high + room)

    @property
    def ticks(self) -> list[float]:
        """Three to seven round numbers, zero among them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in STEPS if factor * power >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [number * step for number in range(first, last + 1)]

    def place(self, value: float) -> float:
        """0 at the left end, 1 at the right one."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Head:
    """An evaluator at the head of a row or a column. `versions` are those that scored the sides."""

    evaluator: Evaluator
    versions: list[int]
    is_newer: bool
    lower_is_better: bool
    unit: str | None
    margin: float | None
    axis: Axis


@dataclass(frozen=True)
class EvaluatorRow:
    """One evaluator where two variants are compared; `versions` of the head say what they were scored with."""

    head: Head
    is_primary: bool
    entry: Entry
    baseline_mean: float | None


@dataclass(frozen=True)
class EvaluatorTable:
    """Two variants: the primary evaluator first."""

    baseline: Side
    variant: Side
    rows: list[EvaluatorRow]


@dataclass(frozen=True)
class Cell:
    """A variant on one secondary evaluator; the baseline has a mean alone."""

    mean: float | None
    is_best: bool
    difference: float | None
    interval: Interval | None
    verdict: Verdict | None


@dataclass(frozen=True)
class VariantRow:
    """One variant. `rank` is the first and the last it can hold, None where it is not ranked.

    `opens` and `closes` say where a bracket joins the rows of one rank. `entry` is None for the baseline. `others`
    counts the verdicts of the secondary evaluators without a column: better, cannot_tell, worse.
    """

    side: Side
    name: str
    is_baseline: bool
    rank: tuple[int, int] | None
    opens: bool
    closes: bool
    mean: float | None
    entry: Entry | None
    lead: Difference | None
    cells: list[Cell]
    others: dict[str, int]
    answered: int
    asked: int
    latency: float | None


@dataclass(frozen=True)
class VariantTable:
    """Three variants and more, best first: the primary evaluator, then the secondary ones that have a column."""

    primary: Head
    secondary: list[Head]
    others: list[Evaluator]
    rows: list[VariantRow]


def of_two(comparison: Comparison) -> EvaluatorTable:
    """The table of two sides; all evaluators of one range share an axis."""
    axes = _shared_axes(comparison)
    return EvaluatorTable(
        baseline=comparison.baseline,
        variant=comparison.others[0],
        rows=[
            EvaluatorRow(
                head=_head(comparison, entry.evaluator, axes[entry.evaluator.pk]),
                is_primary=entry.role == "primary",
                entry=entry,
                baseline_mean=_baseline_mean(comparison, entry),
            )
            for entry in comparison.entries
        ],
    )


def of_many(comparison: Comparison, most: int = MOST_SECONDARY) -> VariantTable:
    """The table of any number of sides with a primary evaluator."""
    primary, *secondary = comparison.evaluators
    shown, others = secondary[:most], secondary[most:]
    return VariantTable(
        primary=_own_head(comparison, primary),
        secondary=[_own_head(comparison, evaluator) for evaluator in shown],
        others=others,
        rows=_rows(comparison, shown, others),
    )


def _head(comparison: Comparison, evaluator: Evaluator, axis: Axis) -> Head:
    scale = comparison.scale(evaluator.pk)
    return Head(
        evaluator=evaluator,
        versions=sorted(number for number in comparison.versions(evaluator) if number),
        is_newer=comparison.is_behind(evaluator),
        lower_is_better=scale.direction == "minimize",
        unit=comparison.unit(evaluator.pk),
        margin=scale.margin,
        axis=axis,
    )


def _own_head(comparison: Comparison, evaluator: Evaluator) -> Head:
    entries = comparison.entries_of(evaluator)
    return _head(comparison, evaluator, Axis.of(entry.paired for entry in entries))


def _shared_axes(comparison: Comparison) -> dict[int, Axis]:
    """An axis for each range of scores: one without an end would flatten the others."""
    groups: dict[object, list[Entry]] = {}
    for entry in comparison.entries:
        low, high = comparison.bounds(entry.evaluator.pk)
        groups.setdefault(entry.evaluator.pk if high is None else (low, high), []).append(entry)
    axes = [(group, Axis.of(entry.paired for entry in group)) for group in groups.values()]
    return {entry.evaluator.pk: axis for group, axis in axes for entry in group}


def _baseline_mean(comparison: Comparison, entry: Entry) -> float | None:
    """Over the pairs; over all its scores where there is no pair."""
    own = comparison.scored(entry.evaluator).means[0]
    return entry.paired.baseline_mean if entry.paired.n else own


def _rows(
    comparison: Comparison, shown: Sequence[Evaluator], others: Sequence[Evaluator]
) -> list[VariantRow]:
    ranked = {id(one.side): one for one in comparison.ranking}
    sides = [one.side for one in comparison.ranking]
    sides += [side for side in comparison.sides if id(side) not in ranked]
    ranks = [ranked[id(side)].rank if id(side) in ranked else None for side in sides]
    best = {evaluator.pk: _best(comparison, evaluator) for evaluator in shown}
    rows = []
    for number, side in enumerate(sides):
        place, mine = comparison.sides.index(side), ranked.get(id(side))
        rank = ranks[number]
        rows.append(
            VariantRow(
                side=side,
                name=comparison.label(side.run),
                is_baseline=place == 0,
                rank=rank,
                opens=_is_joined(ranks, number, number + 1) and not _is_joined(ranks, number, number - 1),
                closes=_is_joined(ranks, number, number - 1) and not _is_joined(ranks, number, number + 1),
                mean=mine.mean if mine else _mean(comparison, comparison.evaluators[0], place),
                entry=comparison.entry(side.run.pk, comparison.evaluators[0].pk) if place else None,
                lead=mine.lead if mine else None,
                cells=[_cell(comparison, evaluator, place, best[evaluator.pk]) for evaluator in shown],
                others=_counted(comparison, others, side) if place else {},
                answered=comparison.measures.answered[place],
                asked=comparison.measures.asked[place],
                latency=_latency(comparison, place),
            )
        )
    return rows


def _is_joined(ranks: Sequence[tuple[int, int] | None], here: int, there: int) -> bool:
    """Whether two rows hold one rank."""
    return 0 <= there < len(ranks) and ranks[here] is not None and ranks[here] == ranks[there]


def _cell(comparison: Comparison, evaluator: Evaluator, place: int, best: float | None) -> Cell:
    mean = _mean(comparison, evaluator, place)
    is_best = mean is not None and mean == best
    if place == 0:
        return Cell(mean, is_best, None, None, None)
    paired = comparison.entry(comparison.sides[place].run.pk, evaluator.pk).paired
    return Cell(mean, is_best, paired.difference, paired.interval, paired.verdict)


def _mean(comparison: Comparison, evaluator: Evaluator, place: int) -> float | None:
    return comparison.scored(evaluator).means[place]


def _best(comparison: Comparison, evaluator: Evaluator) -> float | None:
    """The best mean of all sides."""
    means = [mean for mean in comparison.scored(evaluator).means if mean is not None]
    choose = min if comparison.direction(evaluator.pk) == "minimize" else max
    return choose(means, default=None)


def _counted(comparison: Comparison, evaluators: Sequence[Evaluator], side: Side) -> dict[str, int]:
    verdicts = [comparison.entry(side.run.pk, evaluator.pk).paired.verdict for evaluator in evaluators]
    return dict(Counter(verdict for verdict in verdicts if verdict))


def _latency(comparison: Comparison, place: int) -> float | None:
    return next((one.means[place] for one in comparison.measures.measures if one.name == "latency"), None)
