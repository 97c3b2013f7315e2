"""The two variants whose outputs are shown side by side under a ranking, and all variants' scores on an example."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from numpy.typing import NDArray

from evaluations.charts import Axis, track
from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples, gains
from evaluations.experiments import experiments
from evaluations.models import Evaluator, Run
from evaluations.scoring.columns import Slots
from evaluations.statistics.histogram import ends
from evaluations.values import Status

from ..page_tools import url_values
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest


@dataclass(frozen=True)
class StripScore:
    """A variant's score on one example, as a dot on a line shared by all variants; `link` shows the variant."""

    link: SafeString
    value: float | None
    decimals: int
    share: str  # the word for 1, if all scores are 0 or 1
    plot: SafeString
    is_shown: bool


def address_of(baseline: Run, run: Run) -> str:
    """The page on which the verdict on two runs counts: their experiment's, if it shows both; else theirs alone."""
    experiment = run.experiment
    shown = experiments.exported_runs(experiment)
    if not {baseline, run} <= {*shown}:
        return f"{reverse('compare')}?runs={baseline.pk},{run.pk}"
    query = f"?variant={run.pk}&with={baseline.pk}" if len(shown) > 2 else f"?baseline={baseline.pk}"
    return reverse("experiment-detail", args=[experiment.pk]) + query


def choose(request: HttpRequest, comparison: Comparison) -> tuple[Run, Run]:
    """The variants `?variant=` and `?with=`; by default the best one beside the baseline, as in the sentence.

    Where the baseline is chosen, the best other one stands beside it.
    """
    runs_by_id = {str(side.run.pk): side.run for side in comparison.sides}
    first, second = (url_values.named(request, name, runs_by_id) for name in ("variant", "with"))
    baseline = comparison.sides.baseline.run
    ranked = [one.side.run for one in comparison.figures.ranking] or [side.run for side in comparison.sides]
    if first is None:
        if second is None:
            second = baseline
        first = next(run for run in ranked if run != second)
    if second is None or second == first:
        second = baseline if first != baseline else next(run for run in ranked if run != first)
    return first, second


def compare(comparison: Comparison, first: Run, second: Run) -> Comparison:
    """The comparison of `first` with `second` as the baseline; averaged runs stay averaged."""
    runs = [run for side in comparison.sides if side.run in (first, second) for run in side.runs]
    return Comparison(
        runs,
        second,
        {run.pk: comparison.sides.scorings[run] for run in runs},
        cluster=comparison.cluster,
        repeats=comparison.repeats,
        missing=comparison.missing,
        example_filter=comparison.example_filter,
        estimate=comparison.estimate,
    )


def strips(
    request: HttpRequest,
    comparison: Comparison,
    evaluator: Evaluator,
    shown: tuple[Run, Run],
    positions: Sequence[int],
) -> dict[int, list[StripScore]]:
    """By position, the scores of all variants by one evaluator."""
    readable, _ = gains.readable(comparison, evaluator)
    as_worst = comparison.figures.as_worst(evaluator.pk)
    columns = [
        _values_at(comparison, evaluator, side, column, missing, positions)
        for side, column, missing in zip(comparison.sides, readable, as_worst, strict=True)
    ]
    axis = _axis(comparison, evaluator, columns)
    dots = [_dots(request, comparison, evaluator, shown, index) for index in range(len(columns))]
    return {
        position: [dot(axis, column[n]) for dot, column in zip(dots, columns, strict=True)]
        for n, position in enumerate(positions)
    }


def _values_at(
    comparison: Comparison,
    evaluator: Evaluator,
    side: Side,
    column: Slots,
    as_worst: NDArray[np.bool_],
    positions: Sequence[int],
) -> NDArray[np.float64]:
    """The values at positions of another comparison of these runs, whose baseline may have other positions.

    Each is what its cell shows: of what may count as worst only a score that is stored, such as that of an answer in
    which nothing was found. Nothing is drawn of what has none, or counts nowhere because the example has no reference.
    """
    asked = np.array(positions, np.int64)
    slots, is_here = comparison.aligner.positions.find(asked)
    values = np.full(len(positions), np.nan)
    found = slots[is_here]
    lacks = as_worst[found] | (column.status[found] == Status.MISSING_EXPECTED)
    values[is_here] = np.where(lacks, np.nan, column.values[found])
    worst = asked[is_here][as_worst[found]].tolist()
    stored = examples.scores_of(comparison, side, worst) if worst else {}
    for position in worst:
        score = stored[position].get(evaluator.name)
        if score is not None and score.value is not None:
            values[positions.index(position)] = score.value
    return values


def _axis(comparison: Comparison, evaluator: Evaluator, columns: Sequence[np.ndarray]) -> Axis:
    finite_values = np.concatenate([column[np.isfinite(column)] for column in columns])
    low, high = ends(comparison.evaluators.bounds(evaluator.pk), finite_values)
    return Axis(low, high, is_turned=comparison.evaluators.lower_is_better(evaluator.pk))


def _dots(
    request: HttpRequest, comparison: Comparison, evaluator: Evaluator, shown: tuple[Run, Run], index: int
) -> Callable[[Axis, float], StripScore]:
    """What draws the scores of one variant; their links show it beside the one it is compared with."""
    run = comparison.sides[index].run
    decimals = 0 if comparison.evaluators.unit(evaluator.pk) else 2
    counterpart = shown[0] if run == shown[1] else shown[1]
    chosen = address(request, **(RESET | {"variant": run.pk, "with": counterpart.pk}))
    name = comparison.sides.label(run)
    short = comparison.sides.narrow_names[name]
    link = format_html('<a href="{}#examples" title="{}">{}</a>', chosen, name, short)
    share, is_shown = comparison.evaluators.share(evaluator.pk), run in shown

    def dot(axis: Axis, value: float) -> StripScore:
        score = float(value) if np.isfinite(value) else None
        return StripScore(link, score, decimals, share, track(axis, score), is_shown)

    return dot
