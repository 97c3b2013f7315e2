"""What the page of an experiment and of a comparison shows."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluations.comparisons.comparison import Comparison
from evaluations.experiments import runs
from evaluations.models import Run
from evaluations.results import results

from . import comparison_page
from .calls import curl
from .paging import number


def averages(request: HttpRequest) -> bool:
    """Whether the runs of a variant are to stand in one column (`?repeats=mean`)."""
    return request.GET.get("repeats") == "mean"


def side_by_side(request: HttpRequest, shown: list[Run]) -> dict[str, Any]:
    """What a page shows of some runs of one dataset, the first as baseline unless `?baseline=` names one."""
    scorings = results.scorings_by_run(shown)
    scored = [run for run in shown if scorings[run.pk]]
    going = [run for run in shown if run.status in Run.OPEN]
    told: dict[str, Any] = {
        "runs": shown,
        "going": going,
        "progress": runs.progress_in_all(shown) if going else None,
        "ended_at": max((run.finished_at for run in scored if run.finished_at), default=None),
        "comparison": None,
    }
    if not scored:
        return told
    named = number(request, "baseline")
    against = next((run for run in scored if run.pk == named), scored[0])
    comparison = Comparison(
        scored,
        against,
        scorings,
        cluster=request.GET.get("cluster", ""),
        repeats=averages(request),
        missing="exclude" if request.GET.get("missing") == "exclude" else "worst",
    )
    ids = ",".join(str(run.pk) for run in comparison.runs)
    asked = urlencode(
        {name: request.GET[name] for name in ("cluster", "missing", "repeats") if request.GET.get(name)}
    )
    call = curl(request, f"/api/v1/comparisons/?runs={ids}&baseline={against.pk}{asked and '&' + asked}")
    return told | {"api_call": call} | comparison_page.page_of(request, comparison)


def answer(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    part = {"live": "#live", "examples": "#examples", "variants": "#variants"}.get(
        request.htmx.target or "", ""
    )
    part = part if context["comparison"] or part != "#examples" else ""
    return render(request, f"evaluations/experiment_detail.html{part}", context)
