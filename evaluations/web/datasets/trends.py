"""The page of a dataset over time: trend of its variants by one evaluator, and leaderboard."""

from dataclasses import dataclass
from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_POST

from evaluations import charts, kinds
from evaluations.charts import Axis, Range, axis_labels, per_cent, range_plot
from evaluations.charts.moments import moments
from evaluations.charts.trend import Change as Upright
from evaluations.charts.trend import Dot, Line
from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.items import Items, items
from evaluations.comparisons.over_time.leaderboards import Leaderboard, Standing, leaderboard
from evaluations.comparisons.over_time.system_agreement import SystemAgreement, system_agreement
from evaluations.comparisons.over_time.trends import Point, Trend
from evaluations.comparisons.people import standing
from evaluations.comparisons.rows import computed
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.models import Dataset, Experiment
from evaluations.numerals import fixed, plural
from evaluations.scoring import counted
from evaluations.short_texts import ended
from evaluations.statistics import online

from ..comparisons.verdicts.changes import Change
from ..comparisons.verdicts.ranking import ties
from ..forms.form import Form
from ..page_tools import url_values
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest, posted

MOST_LINES, BEST = 8, 5
ROW_HEIGHT = 34


@dataclass(frozen=True)
class Row:
    """A ranked variant; `tie` is its part of a bracket of equal ranks, `compare` the comparison with the next one."""

    standing: Standing
    rank: str
    tie: str
    plot: SafeString
    lead: Change | None
    compare: str


class DeclareForm(Form):
    most_comparisons = forms.IntegerField(
        label="Comparisons at most",
        min_value=1,
        max_value=counted.MOST,
        required=False,
        help_text="Declared before the first: each comparison then confirms “better” at p of at most "
        f"{fixed(online.TOTAL, 2)} divided by "
        "this number. Empty: later comparisons need ever smaller p.",
        widget=forms.NumberInput(attrs={"class": "input short"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_trends(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a dataset over time, or declares its comparisons; `?evaluator=` chooses another evaluator."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY)
    dataset = object_or_404(request, ready, pk, "write" if request.method == "POST" else "read")
    form = DeclareForm(
        posted(request),
        initial={"most_comparisons": dataset.most_comparisons},
    )
    if form.do(lambda: counted.declare(dataset, form.cleaned_data["most_comparisons"])):
        messages.success(request, "Saved.")
        return redirect("dataset-trends", pk)
    trend = trends.trend(dataset, request.GET.get("evaluator", ""))
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "made": counted.made(dataset),
        "form": form,
        "evaluators": trends.evaluators(dataset),
    }
    context = {**page, **_filled(request, trend)} if trend and trend.points else page
    return render(request, "datasets/dataset_trends.html", context, status=form.status)


def _filled(request: HttpRequest, trend: Trend) -> Context:
    board, is_low = leaderboard(trend), trend.direction == "minimize"
    systems = _systems(trend) if len(board.standings) > 2 else None
    lines, axis = _lines(trend), _axis(board)
    rows, items = _rows(board, axis), url_values.choice(request, "items", ("open",), "")
    shown = _shown(lines, is_low)
    uprights = [Upright(mark.at, mark.text, f"v{mark.version}") for mark in trend.marks]
    is_once = len(moments((point.at for point in trend.points), [mark.at for mark in trend.marks])) == 1
    title = "All means as a table"
    address = reverse("api-dataset-trend", args=[trend.dataset.pk])
    return {
        "evaluator": trend.evaluator,
        "chart": charts.trend_table(lines, title)
        if is_once
        else charts.trend(shown, uprights, title, lower_is_better=is_low),
        "more_lines": len(lines) - len(shown),  # only in the chart's table
        "has_breaks": len({point.versions for point in trend.points}) > 1,
        "is_once": is_once,
        "has_labels": any(point.label for point in trend.points),  # versions of a prompt share a line
        "lower_is_better": is_low,
        "board": board,
        "axis": axis_labels(axis, written=per_cent if board.is_share else fixed),
        "rows": rows,
        "newest": _newest(rows),
        "behind": _behind(board),
        "compare_all": compared([standing.point for standing in board.standings]),
        "systems": systems,
        "agreed": systems.named_rows if systems else [],
        "items": _items(trend) if items == "open" and len(rows) > 1 else None,
        "api_call": curl(request, f"{address}?evaluator={trend.evaluator.pk}"),
    }


def _systems(trend: Trend) -> SystemAgreement | None:
    """How far other evaluators agree with this one on the order of variants, if this one has outside scores."""
    newest = max(trend.points, key=lambda point: point.versions[1]).scoring.evaluator_version
    if kinds.get(newest.kind).family != kinds.Family.OUTSIDE or standing.is_unchecked(newest):
        return None
    agreement = partial(system_agreement, trend.dataset, str(trend.evaluator.pk))
    return computed(agreement, lambda: None, f"the agreement of systems of dataset {trend.dataset.pk}")


def _items(trend: Trend) -> Items | None:
    """The examples that tell nothing and the suspect references, computed only when they are asked for."""
    return computed(partial(items, trend), lambda: None, f"the items of dataset {trend.dataset.pk}")


def _behind(board: Leaderboard) -> list[Experiment]:
    """The experiments on older examples whose runs are not ranked, and could be if they used the newest version."""
    newest = board.trend.dataset.version
    if board.trend.versions is None or board.trend.versions[0] != newest:
        return []
    runs = [unranked.point.run for unranked in board.unranked]
    found = {run.experiment for run in runs if run.experiment.dataset_version < newest}
    return sorted(found, key=lambda experiment: -experiment.pk)


# ---- over time -----------------------------------------------------------------------------------------------


def _lines(trend: Trend) -> list[Line]:
    return [
        Line(
            name, [_dot(trend, point, before) for before, point in zip([None, *points], points, strict=False)]
        )
        for name, points in trend.lines.items()
    ]


def _dot(trend: Trend, point: Point, before: Point | None) -> Dot:
    """The dot of a point; links to the comparison with the previous point of its line, else with the best other one,
    if they are comparable, else to the run.
    """
    compared_with = before if before and before.versions == point.versions else _best_other(trend, point)
    early = f" of {point.stopped_early_of} (stopped early)" if point.stopped_early_of else ""
    return Dot(
        point.at,
        point.mean,
        point.interval,
        point.label,
        title=f"{point.run.variant} {fixed(point.mean, 3)}, n = {point.n}{early}, dataset v{point.versions[0]}, "
        f"{trend.evaluator.name} v{point.versions[1]}",
        address=compared([compared_with, point]) if compared_with else run_address(point),
        epoch=point.versions,
        is_current=trend.is_current(point),
        name=point.run.variant,
    )


def _best_other(trend: Trend, point: Point) -> Point | None:
    """The best of the other variants comparable with this point."""
    choose = min if trend.direction == "minimize" else max
    comparable = (p for p in trend.points if p.versions == point.versions and p.line != point.line)
    return choose(comparable, key=lambda p: p.mean, default=None)


def _shown(lines: list[Line], is_low: bool) -> list[Line]:
    """The lines to draw: all up to eight, else the five best and the newest."""
    if len(lines) <= MOST_LINES:
        return lines
    best = sorted(lines, key=lambda line: line.dots[-1].mean, reverse=not is_low)[:BEST]
    newest = [line for line in lines if line not in best]
    return best + newest[: MOST_LINES - BEST]


def run_address(point: Point) -> str:
    return reverse("run-detail", args=[point.run.pk])


def compared(points: list[Point]) -> str:
    """The address of the comparison of these runs, with the first as baseline."""
    return f"{reverse('compare')}?runs={','.join(str(point.run.pk) for point in points)}"


# ---- leaderboard ---------------------------------------------------------------------------------------------


def _axis(board: Leaderboard) -> Axis:
    """An axis over the means, with or without zero."""
    points = [standing.point for standing in board.standings] or [
        standing.point for standing in board.unranked
    ]
    values = [value for point in points for value in (point.mean, *(point.interval or ()))]
    return Axis.around(values, is_turned=board.trend.direction == "minimize", is_share=board.is_share)


def _rows(board: Leaderboard, axis: Axis) -> list[Row]:
    tied = ties([standing.ranked for standing in board.standings])
    return [
        Row(
            standing,
            rank=standing.ranked.rank_text,
            tie=tied.get(id(standing.ranked.side), ""),
            plot=_plot(axis, standing.point),
            lead=_lead(standing),
            compare=compared([board.standings[number + 1].point, standing.point]) if standing.lead else "",
        )
        for number, standing in enumerate(board.standings)
    ]


def _lead(standing: Standing) -> Change | None:
    is_share = Recipe.from_version(standing.point.scoring.evaluator_version).is_per_cent
    return Change.from_paired(standing.lead, is_share=is_share) if standing.lead else None


def _newest(rows: list[Row]) -> Row | None:
    """The newest run, if it belongs to another experiment than the best."""
    newest = max(rows, key=lambda row: row.standing.point.at, default=None)
    if newest is None or newest.standing.point.experiment_id == rows[0].standing.point.experiment_id:
        return None
    return newest


def _plot(axis: Axis, point: Point) -> SafeString:
    low, high = point.interval or (None, None)
    return range_plot(axis, Range(low, point.mean, high), height=ROW_HEIGHT, grid=True, zero=False)


# ---- older runs ----------------------------------------------------------------------------------------------


@require_POST
def dataset_rescore(request: HttpRequest, pk: int) -> HttpResponse:
    """Rescore runs of an older evaluator version with the newest one, so that they are ranked."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "run")
    page = reverse("dataset-trends", args=[pk])
    trend = trends.trend(dataset, request.POST.get("evaluator", ""))
    if trend is None:
        return redirect(page)
    for experiment in {point.run.experiment for point in trend.outdated}:
        experiments.add_evaluators(experiment, [trend.evaluator])
    scoring = f"Scoring {plural(len(trend.outdated), 'run')} with {trend.evaluator.name}"
    messages.success(request, ended(scoring))
    return redirect(f"{page}?evaluator={trend.evaluator.pk}")


urlpatterns = [
    path("datasets/<int:pk>/trends/", dataset_trends, name="dataset-trends"),
    path("datasets/<int:pk>/trends/score/", dataset_rescore, name="dataset-rescore"),
]
