"""The threshold explorer of a run: pass rates and agreement at every threshold."""

import math
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from evaluations import charts
from evaluations.comparisons import thresholds
from evaluations.comparisons.thresholds import Exploration
from evaluations.evaluators import evaluators

from . import filters, visible
from .calls import curl
from .frame import frame, object_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
def run_thresholds(request: HttpRequest, pk: int) -> HttpResponse:
    """`?evaluator=3&threshold=0.8&verdict=metadata:approved`; htmx swaps the part below the slider."""
    if request.method == "POST":
        return save(request, pk)
    run = object_or_404(request, visible.runs(), pk)
    explored = thresholds.explore(run, request.GET.get("evaluator", ""), request.GET.get("verdict", ""))
    call = curl(request, f"/api/v1/runs/{pk}/thresholds/?evaluator={_evaluator(explored).pk}")
    context = frame(request, run.project, "experiments") | {"run": run, "api_call": call}
    context |= shown(explored, filters.decimal(request, "threshold"))
    part = "#explored" if request.htmx.target == "explored" else ""
    return render(request, f"evaluations/run_thresholds.html{part}", context)


def save(request: HttpRequest, pk: int) -> HttpResponse:
    """Save the threshold as a new version of the evaluator; runs keep the version they used."""
    run = object_or_404(request, visible.runs(), pk, "write")
    explored = thresholds.explore(run, request.POST.get("evaluator", ""), "")
    evaluator = _evaluator(explored)
    request.audited_thing = evaluator
    text = request.POST.get("threshold", "")
    number = filters.finite(text)
    config = evaluators.newest(evaluator).config | {"threshold": text if number is None else number}
    changed = evaluators.change(evaluator, request.user, config=config)
    messages.success(request, f"{changed.name} saved as v{changed.version}.")
    return redirect("evaluator-detail", changed.pk)


def shown(explored: Exploration, threshold: float | None) -> dict[str, Any]:
    """What the page says about one of the 101 thresholds."""
    place = explored.nearest(threshold)
    at, ends = explored.thresholds[place], (explored.thresholds[0], explored.thresholds[-1])
    labels = _labels(explored)
    rates = {label: line.sweep.pass_rates for label, line in zip(labels, explored.lines, strict=True)}
    return {
        "explored": explored,
        "evaluator": _evaluator(explored),
        "at": at,
        "passing": _passing(explored.comparison, at),
        "next_version": _evaluator(explored).version + 1,
        "low": ends[0],
        "high": ends[1],
        "ticks": explored.thresholds[::10],
        "step": (ends[1] - ends[0]) / (len(explored.thresholds) - 1),
        "passes": {">=": "at least", ">": "above", "<=": "at most", "<": "below"}[explored.comparison],
        "chart": charts.lines(explored.thresholds, rates, at, "Pass rates at 101 thresholds"),
        "variants": [
            {
                "run": line.run,
                "label": label,
                "swatch": charts.swatch(number),
                "rate": line.sweep.pass_rates[place],
                "passed": round((line.sweep.pass_rates[place] or 0) * line.sweep.n),
                "n": line.sweep.n,
            }
            for number, (label, line) in enumerate(zip(labels, explored.lines, strict=True))
        ],
        "agreed": _agreed(explored, place),
    }


def _passing(comparison: str, at: float) -> str:
    """The query of a run page that lists what passes: `min` is inclusive, `below` is not."""
    bounds = {
        ">=": ("min", at),
        ">": ("min", math.nextafter(at, math.inf)),
        "<": ("below", at),
        "<=": ("below", math.nextafter(at, math.inf)),
    }
    name, value = bounds[comparison]
    return f"{name}={value!r}"


def _evaluator(explored: Exploration) -> Any:
    return explored.scoring.evaluator_version.evaluator


def _labels(explored: Exploration) -> list[str]:
    """The variants' names; an older run of a variant that has a newer one says its number."""
    names = [line.run.variant for line in explored.lines]
    return [
        f"{line.run.variant} (run {line.run.pk})" if names.count(line.run.variant) > 1 else line.run.variant
        for line in explored.lines
    ]


def _agreed(explored: Exploration, place: int) -> dict[str, Any] | None:
    """Precision, recall and kappa at one threshold and drawn over all of them."""
    agreement = explored.agreement
    if agreement is None:
        return None
    measures = {"Precision": agreement.precision, "Recall": agreement.recall, "Kappa": agreement.kappa}
    return {
        "agreement": agreement,
        "figures": [
            (name, charts.swatch(number), values[place])
            for number, (name, values) in enumerate(measures.items())
        ],
        "chart": charts.lines(
            explored.thresholds, measures, explored.thresholds[place], "Agreement at 101 thresholds", top="1"
        ),
    }


urlpatterns = [path("runs/<int:pk>/thresholds/", run_thresholds, name="run-thresholds")]
