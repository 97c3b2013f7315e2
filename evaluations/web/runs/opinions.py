"""What people say of one run: their labels, helped by a judge that is checked against them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluations.charts import Axis, Range, axis_labels, per_cent, range_plot
from evaluations.comparisons import opinions
from evaluations.comparisons.opinions import Opinion
from evaluations.comparisons.people import held, peers
from evaluations.experiments import experiments
from evaluations.labelling import raters
from evaluations.models import Run
from evaluations.numerals import fixed, grouped, percent, plural
from evaluations.statistics.terms import Interval

from ..page_tools import visible
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest

HEIGHT = 20  # pixels
MOST_OTHERS = 5  # variants


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
    """An opinion with what the same label set says of the other variants, and who said it.

    `peers` say on how many of the answers seen by two they agree, and how many these are; None without any.
    """

    opinion: Opinion
    lines: list[Line]
    axis: SafeString
    others: list[tuple[Run, Line]]
    raters: int
    peers: tuple[str, int] | None


@require_safe
def run_opinions(request: HttpRequest, pk: int) -> HttpResponse:
    """Every label set with labels of this run, and judges that are checked against people elsewhere."""
    run = object_or_404(request, visible.runs(), pk)
    beside = [other for other in experiments.shown_runs(run.experiment) if other.pk != run.pk]
    others = [opinion for other in beside[:MOST_OTHERS] for opinion in opinions.of(other)]
    context = {
        **frame(request, run.project, "experiments"),
        "run": run,
        "experiment": run.experiment,
        "shown": [_shown(opinion, others) for opinion in opinions.of(run)],
        "api_call": curl(request, f"/api/v1/runs/{pk}/people/"),
    }
    return render(request, "runs/run_opinions.html", context)


def _shown(opinion: Opinion, others: Sequence[Opinion]) -> Shown:
    axis = Axis(opinion.low, opinion.low + opinion.span)
    middle = opinion.low + opinion.span / 2
    labelled = held.labelled_runs(opinion.label_set, opinion.run.experiment)
    found = labelled.peers
    return Shown(
        opinion,
        list(_lines(opinion, axis)),
        axis_labels(axis, (axis.low, middle, axis.high), written=per_cent if opinion.is_share else fixed),
        [*_of_others(opinion, others, axis)],
        raters.people(labelled.labels.rater.tolist()),
        (peers.in_short(found), found.n) if found else None,
    )


def _of_others(opinion: Opinion, others: Sequence[Opinion], axis: Axis) -> Iterator[tuple[Run, Line]]:
    """What people say of the other variants, by the same label set and on the same axis."""
    for other in others:
        if other.label_set == opinion.label_set:
            for line in islice(_lines(other, axis), 1):
                yield other.run, line


def _lines(opinion: Opinion, axis: Axis) -> Iterator[Line]:
    written: Callable[[float | None], str] = percent if opinion.is_share else fixed

    def line(name: str, mean: float, interval: Interval | None, source: str, *, counts: bool = False) -> Line:
        low, high = interval or (None, None)
        plot = range_plot(axis, Range(low, mean, high), height=HEIGHT, grid=True, zero=False)
        told = f"{written(low)} to {written(high)}" if interval else ""
        return Line(name, written(mean), told, plot, source, counts)

    if found := opinion.helped:
        rests = f"{_labelled(opinion, found.labels)}, {grouped(found.judged)} judged"
        yield line(f"people, helped by {opinion.helper}", found.value, found.interval, rests, counts=True)
    if alone := opinion.alone:
        rests = _labelled(opinion, alone.labels)
        is_first = opinion.helped is None
        yield line("people, labels only", alone.value, alone.interval, rests, counts=is_first)
    if one := opinion.transferred:
        rests = f"{plural(one.labels, 'sealed label')} of other runs"
        yield line("people, transferred", one.value, one.interval, rests)
    if opinion.judged is not None:
        yield line(f"{opinion.helper} alone", opinion.judged, None, "judge only")


def _labelled(opinion: Opinion, answers: int) -> str:
    """How many answers were labelled, by how many people."""
    by = raters.who_labelled(opinion.version, [opinion.run])
    return f"{plural(answers, 'answer')}, {plural(by, 'person', 'people')}"


urlpatterns = [path("runs/<int:pk>/people/", run_opinions, name="run-people")]
