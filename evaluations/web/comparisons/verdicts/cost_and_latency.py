"""Cost and latency of answers: differences from the baseline, and a drawing of quality against one of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Point, Range, tradeoff
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.family_figures import Measure
from evaluations.models import Run
from evaluations.numerals import fixed, rounded

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest
from .changes import Change


@dataclass(frozen=True)
class Kind:
    """The format of a measure: its name, its unit, and the factor for its values."""

    name: str
    unit: str
    factor: float


@dataclass(frozen=True)
class Cell:
    """A variant's mean and its difference from the baseline's; the baseline has only a mean."""

    mean: str
    change: Change | None


@dataclass(frozen=True)
class Column:
    """One measure of all variants; differences have `decimals` decimals. The address opens its drawing."""

    kind: Kind
    decimals: int
    cells: list[Cell]
    address: str
    is_pictured: bool


@dataclass(frozen=True)
class Row:
    run: Run
    name: str
    is_baseline: bool
    cells: list[tuple[Column, Cell]]


@dataclass(frozen=True)
class CostAndLatency:
    """`picture` draws quality against the measure `across`; it is open if chosen, or with many variants."""

    columns: list[Column]
    rows: list[Row]
    picture: SafeString
    across: Kind
    is_open: bool


def cost_and_latency(request: HttpRequest, comparison: Comparison) -> CostAndLatency | None:
    """Cost and latency of the variants; None if neither is known for several of them."""
    kinds = _kinds(comparison)
    measures_by_name = (
        {name: comparison.figures.measures.measure(name) for name in kinds}
        if comparison.evaluators.primary
        else {}
    )
    measures = {name: measure for name, measure in measures_by_name.items() if measure}
    if not measures:
        return None
    chosen = request.GET.get("across", "")
    pictured = chosen if chosen in measures else next(iter(measures))
    columns = [
        _column(kinds[name], measure, address(request, across=name), name == pictured)
        for name, measure in measures.items()
    ]
    return CostAndLatency(
        columns=columns,
        rows=[_row(comparison, index, columns) for index in _order(comparison)],
        picture=_picture(comparison, kinds[pictured], measures[pictured]),
        across=kinds[pictured],
        is_open=chosen in measures or len(comparison.sides) > 2,
    )


def _kinds(comparison: Comparison) -> dict[str, Kind]:
    """The formats by the name of their measure."""
    currency = comparison.sides.experiment.project.currency
    return {
        "cost": Kind("Cost", f"{currency} per 1 000 answers", 1_000),
        "latency": Kind("Latency", "mean, in seconds", 1e-3),
        "tokens": Kind("Tokens", "mean of an answer", 1),
    }


def _order(comparison: Comparison) -> list[int]:
    """The indices of the sides, best first."""
    ranked = [comparison.sides.every.index(row.side) for row in comparison.figures.ranking]
    return ranked + [index for index in range(len(comparison.sides)) if index not in ranked]


def _row(comparison: Comparison, index: int, columns: Sequence[Column]) -> Row:
    side = comparison.sides[index]
    cells = [(column, column.cells[index]) for column in columns]
    return Row(side.run, comparison.sides.label(side.run), side is comparison.sides.baseline, cells)


def _column(kind: Kind, measure: Measure, sort_address: str, is_pictured: bool) -> Column:
    changes = [
        Change.from_paired(paired).times(kind.factor) if paired else None for paired in measure.comparisons
    ]
    means = [None if mean is None else mean * kind.factor for mean in measure.means]
    cells = [Cell(_written(mean), change) for mean, change in zip(means, changes, strict=True)]
    return Column(kind, _decimals(means), cells, sort_address, is_pictured)


def _written(mean: float | None) -> str:
    return fixed(None) if mean is None else rounded(mean)


def _decimals(means: Sequence[float | None]) -> int:
    """The decimals that write three significant digits of the largest mean."""
    largest = max((mean for mean in means if mean), default=1.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 12)


def _picture(comparison: Comparison, kind: Kind, measure: Measure) -> SafeString:
    """The primary evaluator's means against the measure's, each with its uncorrected interval."""
    primary = comparison.figures.primary
    points = [
        Point(
            comparison.sides.label(side.run),
            _range(measure.means[index], measure.intervals[index], kind.factor),
            _range(mean, comparison.figures.measures.quality[index]),
            side is comparison.sides.baseline,
        )
        for index, (side, mean) in enumerate(zip(comparison.sides, comparison.figures.quality, strict=True))
        if mean is not None and measure.means[index] is not None
    ]
    if len(points) < 2:
        return SafeString("")
    is_low_better = comparison.evaluators.lower_is_better(primary.pk)
    across = f"{kind.name}, {kind.unit}"
    is_share = comparison.evaluators.is_share(primary.pk)
    return tradeoff(points, across, primary.name, lower_is_better=is_low_better, is_share=is_share)


def _range(mean: float | None, interval: tuple[float, float] | None, factor: float = 1.0) -> Range:
    low, high = interval or (None, None)
    return Range(*(None if value is None else value * factor for value in (low, mean, high)))
