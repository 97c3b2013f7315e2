"""What people say of one run: their labels, helped by a judge that is held against them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluations.charts import Axis, Range, axis_labels, per_cent, range_plot
from evaluations.comparisons import opinions
from evaluations.comparisons.opinions import Opinion
from evaluations.numerals import fixed, grouped, percent, plural
from evaluations.statistics.terms import Interval

from ..page_tools import visible
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest

HEIGHT = 34


@dataclass(frozen=True)
class Line:
    """One way to say it: a mean with its interval, and what it rests on; the first one counts."""

    name: str
    mean: str
    interval: str
    plot: SafeString
    source: str
    counts: bool = False


@dataclass(frozen=True)
class Shown:
    opinion: Opinion
    lines: list[Line]
    axis: SafeString


@require_safe
def run_opinions(request: HttpRequest, pk: int) -> HttpResponse:
    """Every label set with labels of this run, and judges that are held against people elsewhere."""
    run = object_or_404(request, visible.runs(), pk)
    context = {
        **frame(request, run.project, "experiments"),
        "run": run,
        "experiment": run.experiment,
        "shown": [_shown(opinion) for opinion in opinions.of(run)],
        "api_call": curl(request, f"/api/v1/runs/{pk}/people/"),
    }
    return render(request, "runs/run_opinions.html", context)


def _shown(opinion: Opinion) -> Shown:
    axis = Axis(opinion.low, opinion.low + opinion.span)
    middle = opinion.low + opinion.span / 2
    return Shown(
        opinion,
        list(_lines(opinion, axis)),
        axis_labels(axis, (axis.low, middle, axis.high), written=per_cent if opinion.is_share else fixed),
    )


def _lines(opinion: Opinion, axis: Axis) -> Iterator[Line]:
    written: Callable[[float | None], str] = percent if opinion.is_share else fixed

    def line(name: str, mean: float, interval: Interval | None, source: str, *, counts: bool = False) -> Line:
        low, high = interval or (None, None)
        plot = range_plot(axis, Range(low, mean, high), height=HEIGHT, grid=True, zero=False)
        told = f"{written(low)} to {written(high)}" if interval else ""
        return Line(name, written(mean), told, plot, source, counts)

    if found := opinion.helped:
        rests = f"{plural(found.labels, 'label')}, {grouped(found.judged)} judged"
        yield line(f"People, helped by {opinion.helper}", found.value, found.interval, rests, counts=True)
    if alone := opinion.alone:
        rests = plural(alone.labels, "label")
        is_first = opinion.helped is None
        yield line("People, labels only", alone.value, alone.interval, rests, counts=is_first)
    if one := opinion.transferred:
        rests = f"{plural(one.labels, 'sealed label')} of other runs"
        yield line("People, transferred", one.value, one.interval, rests)
    if opinion.judged is not None:
        yield line(f"{opinion.helper} alone", opinion.judged, None, "judge only")


urlpatterns = [path("runs/<int:pk>/people/", run_opinions, name="run-people")]
