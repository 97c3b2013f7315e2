"""Cost and latency of answers: differences from the baseline, and a drawing of quality against one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Point, Range, tradeoff
from evaluations.comparisons import costs_said
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.family_figures import Measure
from evaluations.comparisons.measure_units import Unit, title, units
from evaluations.models import Run
from evaluations.numerals import fixed
from evaluations.statistics.wording import Part

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest
from .changes import Change


@dataclass(frozen=True)
class Cell:
    """A variant's mean and its difference from the baseline's; the baseline has only a mean."""

    mean: str
    change: Change | None


@dataclass(frozen=True)
class Column:
    """One measure of all variants; differences have `decimals` decimals. The address opens its drawing, if any."""

    kind: Unit
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
    """`picture` draws quality against the measure `across`, unless all variants are at one point; it is open if chosen,
    or if of two variants there is something to say, which `said` puts into words.
    """

    columns: list[Column]
    rows: list[Row]
    picture: SafeString
    across: Unit
    is_open: bool
    said: Sequence[Part] = ()

    @property
    def title(self) -> str:
        """The names of the measures, such as "Cost, latency and tokens"."""
        return title(column.kind for column in self.columns)


def cost_and_latency(request: HttpRequest, comparison: Comparison) -> CostAndLatency | None:
    """Cost and latency of the variants; None if neither is known for several of them."""
    kinds = units(comparison.sides.experiment.project.currency)
    measures_by_name = (
        {name: comparison.figures.measures.measure(name) for name in kinds}
        if comparison.evaluators.primary
        else {}
    )
    measures = {name: measure for name, measure in measures_by_name.items() if measure}
    if not measures:
        return None
    chosen, drawn = request.GET.get("across", ""), _drawn(comparison, measures)
    differing = (name for name in drawn if not costs_said.are_equal(measures[name].means))
    pictured = chosen if chosen in drawn else next(differing, next(iter(drawn or measures)))
    columns = [
        _column(
            kinds[name], measure, address(request, across=name) if name in drawn else "", name == pictured
        )
        for name, measure in measures.items()
    ]
    rows = [_row(comparison, index, columns) for index in _order(comparison)]
    said = costs_said.sentence(comparison)
    return CostAndLatency(
        columns=columns,
        rows=rows,
        picture=_picture(comparison, kinds[pictured], measures[pictured]) if drawn else SafeString(""),
        across=kinds[pictured],
        is_open=chosen in measures or (bool(said) and len(comparison.sides) == 2),
        said=said,
    )


def _drawn(comparison: Comparison, measures: Mapping[str, Measure]) -> list[str]:
    """The measures whose drawing has more than one point."""
    is_flat = costs_said.are_equal(comparison.figures.quality)
    return [
        name for name, measure in measures.items() if not (is_flat and costs_said.are_equal(measure.means))
    ]


def _order(comparison: Comparison) -> list[int]:
    """The indices of the sides, best first."""
    ranked = [comparison.sides.every.index(row.side) for row in comparison.figures.ranking]
    return ranked + [index for index in range(len(comparison.sides)) if index not in ranked]


def _row(comparison: Comparison, index: int, columns: Sequence[Column]) -> Row:
    side = comparison.sides[index]
    cells = [(column, column.cells[index]) for column in columns]
    return Row(side.run, comparison.sides.label(side.run), side is comparison.sides.baseline, cells)


def _column(kind: Unit, measure: Measure, sort_address: str, is_pictured: bool) -> Column:
    changes = [
        Change.from_paired(paired).times(kind.factor) if paired else None for paired in measure.comparisons
    ]
    means = [None if mean is None else mean * kind.factor for mean in measure.means]
    decimals = costs_said.decimals(means)
    are_whole = not decimals and kind.factor == 1.0  # tokens; money has cents
    written = [fixed(mean, 0) if are_whole else kind.written(mean) for mean in measure.means]
    cells = list(map(Cell, written, changes))
    return Column(kind, decimals, cells, sort_address, is_pictured)


def _picture(comparison: Comparison, kind: Unit, measure: Measure) -> SafeString:
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
