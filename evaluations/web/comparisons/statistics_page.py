"""The statistics behind a verdict, and the number of examples that another difference needs."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons.alignment.leftovers import Leftover
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import corners
from evaluations.comparisons.examples.examples import overlaid, squares_of
from evaluations.comparisons.examples.gains import readable
from evaluations.comparisons.figures.entries import Entry
from evaluations.comparisons.grouping import clustering
from evaluations.models import Evaluator
from evaluations.scoring.columns import Slots
from evaluations.statistics.noise import Noise
from evaluations.statistics.power import examples_needed, examples_to_decide
from evaluations.statistics.terms import Difference, Mask

from ..page_tools import url_values
from ..page_tools.paging import RESET, address, number
from ..page_tools.request import HttpRequest
from .verdicts.fourfold import Fourfold, table
from .verdicts.heads import Head, head

METHODS = {
    "flips": "sign flips, and resamples for scores",
    "group_sequential": "looks during the launch",
    "post_stratified": "people’s labels, in strata by the judge",
    "weighted": "people’s labels, weighed by the parts of their sample",
    "prediction_powered": "people’s grades, with the judge’s as a control (PPI++)",
    "normal": "normal approximation with a correction for skew",
}
INTERVALS = {
    "tango": "Tango's score interval",
    "studentised": "at the joint critical value",
    "group_sequential": "at the bound of the last look",
    "post_stratified": "of the strata, combined by MOVER",
    "weighted": "of the parts, combined by MOVER",
    "prediction_powered": "Student's quantile on m − 1 degrees of freedom",
    "bound": "a bound: too few examples differ",
}


@dataclass(frozen=True)
class VariantStatistics:
    """`needed` is the number of examples for the difference `?x=`; `more` further ones would decide an open verdict.

    Scores of 0 and 1 have the table `fourfold` instead of a scatter.
    """

    name: str
    paired: Difference
    leftover: Leftover
    method: str
    interval_method: str
    needed: int | None
    more: int | None
    fourfold: Fourfold | None
    scatter: SafeString
    overlay: SafeString
    noise: Noise | None


@dataclass(frozen=True)
class Statistics:
    """One evaluator's statistics; `target_difference` is `?x=`, `hidden_fields` repeat the other parameters.

    Drawings leave out `sealed` examples. Means that are a share (`is_share`) are shown as per cent.
    """

    evaluator: Evaluator
    head: Head
    is_share: bool
    margin: float | None
    tie: float
    tied_within: float | None
    target_difference: float | None
    close: str
    cluster: str
    cluster_columns: list[str]
    hidden_fields: list[tuple[str, str]]
    sealed: int
    cells: list[VariantStatistics]

    @property
    def has_only_0_and_1(self) -> bool:
        """Whether every score is 0 or 1, so that no two are nearly equal."""
        return bool(self.cells) and all(cell.fourfold for cell in self.cells)


def statistics(request: HttpRequest, comparison: Comparison) -> Statistics | None:
    """The statistics of the evaluator `?details=`."""
    chosen = number(request, "details")
    evaluator = next((evaluator for evaluator in comparison.evaluators if evaluator.pk == chosen), None)
    if evaluator is None:
        return None
    target_difference = url_values.decimal(request, "x")
    (baseline, *columns), hidden = readable(comparison, evaluator)
    entries, scale = comparison.figures.entries_of(evaluator), comparison.evaluators.scales[evaluator.pk]
    return Statistics(
        evaluator=evaluator,
        head=head(request, comparison, evaluator),
        is_share=comparison.evaluators.is_share(evaluator.pk),
        margin=scale.margin,
        tie=scale.tie,
        tied_within=scale.tied_within,
        target_difference=target_difference,
        close=address(request, details=None, x=None),
        cluster=comparison.figures.clusters.column if comparison.figures.clusters else "",
        cluster_columns=clustering.metadata_columns(comparison.sides.dataset),
        hidden_fields=url_values.parameters(request, without=("x", "cluster")),
        sealed=int(hidden.sum()),
        cells=[
            _variant(request, comparison, entry, (baseline, column), target_difference, hidden)
            for entry, column in zip(entries, columns, strict=True)
        ],
    )


def _variant(
    request: HttpRequest,
    comparison: Comparison,
    entry: Entry,
    columns: tuple[Slots, Slots],
    target_difference: float | None,
    hidden: Mask,
) -> VariantStatistics:
    paired, evaluator = entry.paired, entry.evaluator
    baseline, variant = columns

    def square_address(across: int, up: int) -> str:
        chosen = {"evaluator": evaluator.pk, "variant": entry.run.pk, "square": f"{across}-{up}"}
        return f"{address(request, **(RESET | chosen))}#examples"

    squares = squares_of(comparison, evaluator, baseline, variant)
    scores = baseline.values, variant.values
    sides = comparison.sides
    names = sides.label(sides.baseline.run), sides.label(entry.run)
    index = next(index for index, side in enumerate(comparison.sides) if side is entry.side)
    noise = comparison.figures.noise(evaluator, index)
    counted = table(
        request,
        comparison,
        evaluator,
        entry.side,
        lambda: corners.of(comparison, evaluator, *columns, hidden),
    )
    return VariantStatistics(
        name=names[1],
        paired=paired,
        leftover=entry.leftover,
        method=_method(paired.method),
        interval_method=INTERVALS.get(paired.interval_method or "", "none"),
        needed=examples_needed(paired, target_difference) if target_difference else None,
        more=examples_to_decide(paired),
        fourfold=counted,
        scatter=SafeString("")
        if counted
        else charts.scatter(
            squares, *scores, paired.direction, link=square_address, names=names, tie=paired.tie_tolerance
        ),
        overlay=charts.overlay(*overlaid([baseline, variant], comparison.evaluators.bounds(evaluator.pk))),
        noise=noise,
    )


def _method(method: str | None) -> str:
    plain = (method or "").removesuffix("_clustered")
    words = METHODS.get(plain, "none")
    return words if plain == method else f"{words}, by groups of examples"
