"""Runs of one dataset side by side, whatever experiments they belong to; the address says which."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations.access import permissions
from evaluations.comparisons.comparison import MOST_RUNS, Comparison, check_comparable
from evaluations.errors import Invalid
from evaluations.experiments.experiments import UNSCORABLE
from evaluations.experiments.runs import add_scorings
from evaluations.models import Run

from .experiments import answer, side_by_side
from .frame import frame
from .paging import number
from .runs import live


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def compare(request: HttpRequest) -> HttpResponse:
    """`?runs=3,4&baseline=3`, or `runs` several times; the first is the baseline unless one is named."""
    chosen = chosen_runs(request)
    check_comparable(chosen)
    wanted = number(request, "baseline")
    baseline = next((run for run in chosen if run.pk == wanted), None)
    columns = {(run.experiment_id, run.variant) for run in chosen}
    context = frame(request, chosen[0].project, "experiments") | {
        "of": chosen[0].experiment,
        "repeated": len(columns) < len(chosen),
    }
    return answer(request, context | side_by_side(request, chosen, baseline))


@require_POST
def align(request: HttpRequest) -> HttpResponse:
    """Score the runs of the address again where an evaluator's newest version scored some of them only."""
    chosen = chosen_runs(request)
    permissions.require(request.user, chosen[0].project, "run")
    request.audited_thing = chosen[0].experiment  # The address names runs, of which there may be many.
    comparison = Comparison(chosen, chosen[0])
    for run in chosen:
        if run.status not in UNSCORABLE:
            add_scorings(run, comparison.alignable)
    return redirect(f"{reverse('compare')}?{request.GET.urlencode()}")


def chosen_runs(request: HttpRequest) -> list[Run]:
    """The runs of the address in its order; 404 when one is not there for this person."""
    texts = [text for value in request.GET.getlist("runs") for text in value.split(",") if text]
    # Cut where no run has a number any more, and every database still takes one.
    ids = list(dict.fromkeys(int(text[:18]) for text in texts if text.isascii() and text.isdigit()))
    if not ids:
        raise Invalid("no_runs", "Name the runs to compare.", hint="Tick them on the page of an experiment.")
    if len(ids) > MOST_RUNS:
        raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
    there = live().visible_to(request.user).select_related("project").in_bulk(ids)
    if len(there) < len(ids):
        raise Http404
    return [there[pk] for pk in ids]


urlpatterns = [
    path("compare/", compare, name="compare"),
    path("compare/align/", align, name="compare-align"),
]
