"""The threshold explorer of a run: pass rates and agreement at every threshold."""

import math
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from evaluations import charts
from evaluations.comparisons import thresholds
from evaluations.comparisons.thresholds import Exploration
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, Run
from evaluations.statistics.thresholds import Agreement

from ..page_tools import url_values, visible
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest

PASSES = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
def run_thresholds(request: HttpRequest, pk: int) -> HttpResponse:
    """Explore `?evaluator=3&threshold=0.8&verdict=metadata:approved`; htmx swaps the part below the slider."""
    if request.method == "POST":
        return save(request, pk)
    run = object_or_404(request, visible.runs(), pk)
    explored = thresholds.explore(run, request.GET.get("evaluator", ""), request.GET.get("verdict", ""))
    call = curl(request, f"/api/v1/runs/{pk}/thresholds/?evaluator={_evaluator(explored).pk}")
    page = explored_page(explored, url_values.decimal(request, "threshold"))
    context = {**frame(request, run.project, "experiments"), **page, "run": run, "api_call": call}
    part = "#explored" if request.htmx.target == "explored" else ""
    return render(request, f"runs/run_thresholds.html{part}", context)


def save(request: HttpRequest, pk: int) -> HttpResponse:
    """Save the threshold as a new version of the evaluator; runs keep the version they used."""
    run = object_or_404(request, visible.runs(), pk, "write")
    explored = thresholds.explore(run, request.POST.get("evaluator", ""), "")
    evaluator = _evaluator(explored)
    request.audited_thing = evaluator
    text = request.POST.get("threshold", "")
    number = url_values.finite(text)
    config = evaluators.newest(evaluator).config | {"threshold": text if number is None else number}
    changed = evaluators.change(evaluator, request.user, config=config)
    messages.success(request, f"{changed.name} saved as v{changed.version}.")
    return redirect("evaluator-detail", changed.pk)


@dataclass(frozen=True)
class VariantRate:
    """The number of outputs of a variant that pass at the threshold."""

    run: Run
    label: str
    swatch: SafeString
    rate: float | None
    passed: int
    n: int


@dataclass(frozen=True)
class ShownAgreement:
    """Precision, recall and κ at the threshold, and a drawing of them over all thresholds."""

    agreement: Agreement
    figures: list[tuple[str, SafeString, float | None]]
    chart: SafeString


def explored_page(explored: Exploration, threshold: float | None) -> Context:
    index, thresholds = explored.nearest(threshold), explored.thresholds
    at, low, high = thresholds[index], thresholds[0], thresholds[-1]
    labels = _labels(explored)
    rates = {label: line.sweep.pass_rates for label, line in zip(labels, explored.lines, strict=True)}
    evaluator = _evaluator(explored)
    used, newest = explored.scoring.evaluator_version, evaluators.newest(evaluator)
    newest_mark = Recipe.from_version(newest).threshold
    return {
        "explored": explored,
        "evaluator": evaluator,
        "at": at,
        "passing": _passing(evaluator.pk, explored.comparison, at),
        "next_version": evaluator.version + 1,
        "newest_mark": None if used == newest else newest_mark,
        "is_saved": newest_mark is not None and math.isclose(at, newest_mark, abs_tol=5e-4),
        "is_flat": all(len(set(line.sweep.pass_rates[1:-1])) == 1 for line in explored.lines),
        "low": low,
        "high": high,
        "ticks": thresholds[::10],
        "step": (high - low) / (len(thresholds) - 1),
        "passes": PASSES[explored.comparison],
        "chart": charts.lines(thresholds, rates, at, "Pass rates at 101 thresholds"),
        "variants": _variant_rates(explored, labels, index),
        "agreed": _agreed(explored, index),
    }


def _variant_rates(explored: Exploration, labels: list[str], index: int) -> list[VariantRate]:
    rates = []
    for number, (label, line) in enumerate(zip(labels, explored.lines, strict=True)):
        rate, n = line.sweep.pass_rates[index], line.sweep.n
        rates.append(VariantRate(line.run, label, charts.swatch(number), rate, round((rate or 0) * n), n))
    return rates


def _passing(evaluator_id: int, comparison: str, at: float) -> str:
    """The query of a run page for its passing rows; both bounds of a filter are inclusive."""
    bounds = {
        ">=": ("min", at),
        ">": ("min", math.nextafter(at, math.inf)),
        "<": ("max", math.nextafter(at, -math.inf)),
        "<=": ("max", at),
    }
    name, value = bounds[comparison]
    return urlencode({"evaluator": evaluator_id, f"{name}[{evaluator_id}]": repr(value)})


def _evaluator(explored: Exploration) -> Evaluator:
    return explored.scoring.evaluator_version.evaluator


def _labels(explored: Exploration) -> list[str]:
    """The variants' names, with the run's number for an older run of a variant."""
    names = [line.run.variant for line in explored.lines]
    return [
        f"{line.run.variant} (run {line.run.pk})" if names.count(line.run.variant) > 1 else line.run.variant
        for line in explored.lines
    ]


def _agreed(explored: Exploration, index: int) -> ShownAgreement | None:
    agreement, thresholds = explored.agreement, explored.thresholds
    if agreement is None:
        return None
    measures = {"Precision": agreement.precision, "Recall": agreement.recall, "Kappa": agreement.kappa}
    return ShownAgreement(
        agreement,
        [(name, charts.swatch(n), values[index]) for n, (name, values) in enumerate(measures.items())],
        charts.lines(thresholds, measures, thresholds[index], "Agreement at 101 thresholds", top="1"),
    )


urlpatterns = [path("runs/<int:pk>/thresholds/", run_thresholds, name="run-thresholds")]
