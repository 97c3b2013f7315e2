"""Launches: the page that starts one, and the page with its progress."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import trigger_client_event

from evaluations.datasets import splits
from evaluations.errors import Conflict
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.judges import allowances, paid
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import baselines, detection, estimates, following, launches, plans
from evaluations.launches.detection import Detection
from evaluations.launches.estimates import Estimate, Range
from evaluations.launches.plans import Lacking, Variant
from evaluations.models import Dataset, Experiment, Launch, Project, Prompt, Run, Split
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import whole
from evaluations.prompts import money
from evaluations.scoring.paid_scores import Estimate as PaidEstimate

from ..forms.evaluators import recipe_of
from ..forms.launch import ContinueForm, LaunchForm
from ..page_tools import visible
from ..page_tools.frame import Context, frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from .launch_page import launch_page


@require_http_methods(["GET", "HEAD", "POST"])
def launch_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a launch with `do=start`; other buttons show the form again, with an estimate."""
    project = project_or_404(request, slug, "run")
    _require_named(request, project)
    form = LaunchForm.from_request(request, project)
    if form.is_bound and (launch := form.do(form.start)):
        return redirect("launch-detail", launch.pk)
    template = "_launch_estimate" if request.htmx.target == "estimate" else "launch_form"
    response = render(request, f"launches/{template}.html", _page(request, project, form), status=form.status)
    if request.htmx.target == "advised":  # other evaluators may cost something else
        trigger_client_event(response, "advised", after="settle")
    return response


def _require_named(request: HttpRequest, project: Project) -> None:
    """404 if an object named in a link to the form is not in this project."""
    named: dict[str, OwnedQuerySet[Any]] = {
        "experiment": visible.experiments(),
        "dataset": Dataset.objects.live(),
        "prompt": Prompt.objects.live(),
    }
    for name, objects in named.items():
        if pk := number(request, name):
            object_or_404(request, objects.filter(project=project), pk)


def _page(request: HttpRequest, project: Project, form: LaunchForm) -> Context:
    values = _typed(request, project)
    experiment = values.get("experiment")
    dataset = experiment.dataset if experiment else values.get("dataset") or form.shown_dataset
    examples = _example_count(experiment, dataset, values.get("split"))
    size = min(values.get("size") or examples, examples)
    variants = [cell.variant(values["added"]) for cell in form.matrix.chosen]
    estimate = _estimate(project, experiment, dataset, variants, size, values.get("repetitions") or 1)
    return {
        **frame(request, project, "experiments"),
        "form": form,
        "experiment": experiment,
        "dataset": dataset,
        "example_count": examples,
        "estimate": estimate,
        "paid_answers": _paid_answers(values, estimate),
        "lacking": _lacking(project, variants, values.get("budget", "")),
        "detects": _detects(project, values, size, len(variants)),
        "baseline": _baseline(form, experiment, dataset, variants),
        "kept_baseline": shown[0].variant if (shown := _shown(experiment)) else "",
        "budget": values.get("budget", ""),
        "evaluator_names": _evaluator_names(experiment),
        "judges": _judges(project, experiment, dataset, values, len(variants), size),
    }


def _paid_answers(values: dict[str, Any], estimate: Estimate | None) -> Range | None:
    """How many answers the typed limits pay for; None if for all."""
    if estimate is None:
        return None
    return estimates.paid_by(
        estimate, money.limit(values.get("budget"), "budget"), values.get("max_calls") or None
    )


def _lacking(project: Project, variants: Sequence[Variant], budget: str) -> Lacking | None:
    """What the cost cannot be limited without, as soon as something limits it."""
    found = [plans.connection_of(project, variant) for variant in variants]
    connections = [connection for connection in found if connection]
    is_limited = bool(budget) or project.monthly_limit is not None
    return (
        plans.what_lacks(variants, connections) if is_limited and len(connections) == len(variants) else None
    )


def _baseline(
    form: LaunchForm, experiment: Experiment | None, dataset: Dataset | None, variants: Sequence[Variant]
) -> str:
    """The variant that the others would be compared with."""
    if experiment or dataset is None or len(variants) < 2:
        return ""
    names = dict(form.matrix.labels)
    return names.get(str(form["baseline"].value() or "")) or baselines.proposed(dataset, variants)


def _shown(experiment: Experiment | None) -> list[Run]:
    """The runs of an experiment that has some; the first is the baseline of what is added."""
    return experiments.shown_runs(experiment) if experiment else []


def _evaluator_names(experiment: Experiment | None) -> list[str]:
    versions = experiments.versions_of(experiment) if experiment else []
    return [version.evaluator.name for version in versions]


def _judges(
    project: Project,
    experiment: Experiment | None,
    dataset: Dataset | None,
    values: dict[str, Any],
    variants: int,
    size: int,
) -> list[PaidEstimate]:
    """What those among the evaluators that call a server would cost besides."""
    if dataset is None or not variants:
        return []
    used = paid.of(experiment) if experiment else []
    known = {version.evaluator_id for version in used}
    named = [whole(value.partition(":")[2]) or 0 for value in values.get("evaluators") or ()]
    chosen = experiments.newest(evaluators.computed(project).filter(pk__in=named))
    added = [version for version in paid.among(chosen) if version.evaluator_id not in known]
    runs = variants * (values.get("repetitions") or 1)
    return judge_estimates.of_plan(dataset, experiment, [*used, *added], runs, size)


def _typed(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The valid values typed so far."""
    form = LaunchForm(request.POST or request.GET, request=request, project=project)
    form.is_valid()
    return form.cleaned_data | {"added": form.added}


def _example_count(experiment: Experiment | None, dataset: Dataset | None, split: Split | None) -> int:
    if split and dataset and split.dataset == dataset:
        return len(splits.positions(split, experiment.dataset_version if experiment else dataset.version))
    if experiment:
        return experiment.examples.count()
    return dataset.example_count if dataset else 0


def _detects(project: Project, values: dict[str, Any], size: int, variants: int) -> Detection | None:
    """The power by the primary evaluator: that of the experiment, else the first selected one."""
    experiment = values.get("experiment")
    margin = values.get("margin")
    if experiment:
        version = following.primary_version(experiment)
        recipe = Recipe.from_version(version) if version else None
        margin = margin or experiment.margins.get(str(experiment.primary_id))
    else:
        recipe = recipe_of(project, next(iter(values.get("evaluators") or ()), ""))
    dataset = experiment.dataset if experiment else values.get("dataset")
    stops = bool(values.get("stop"))
    return detection.of_plan(recipe, size, variants, margin, stops, dataset) if size else None


def _estimate(
    project: Project,
    experiment: Experiment | None,
    dataset: Dataset | None,
    variants: list[Variant],
    size: int,
    repetitions: int,
) -> Estimate | None:
    if dataset is None or not variants:
        return None
    version = experiment.dataset_version if experiment else dataset.version
    return estimates.of_plan(project, dataset, version, variants, size, repetitions)


# ---- progress ------------------------------------------------------------------------------------------------


def _launches() -> OwnedQuerySet[Launch]:
    """Launches whose experiment is not deleted."""
    launches = Launch.objects.filter(experiment__deleted_at=None, experiment__dataset__deleted_at=None)
    return launches.select_related("budget", "experiment__dataset", "created_by", "project", "split")


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def launch_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The progress of a launch; htmx polls the same address while it may change."""
    launch = object_or_404(request, _launches(), pk)
    context = {
        **frame(request, launch.project, "experiments", launch),
        **launch_page(request, launch),
    }
    part = "#live" if request.htmx.target == "live" else ""
    return render(request, f"launches/launch_detail.html{part}", context)


@require_POST
def launch_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    launch = object_or_404(request, _launches(), pk, "run")
    try:
        allowances.cancel(launch)
    except Conflict as refusal:  # it ended while somebody reached for the button
        messages.info(request, refusal.message)
    return redirect("launch-detail", pk)


@require_POST
def launch_continue(request: HttpRequest, pk: int) -> HttpResponse:
    """Continue a launch, with new limits if given."""
    launch = object_or_404(request, _launches(), pk, "run")
    form = ContinueForm(request.POST)
    if form.do(lambda: allowances.resume(launch, form.limit(), form.cleaned_data["max_calls"])):
        return redirect("launch-detail", pk)
    context = {
        **frame(request, launch.project, "experiments", launch),
        **launch_page(request, launch),
        "form": form,
    }
    return render(request, "launches/launch_detail.html", context, status=form.status)


@require_POST
def launch_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Retry the failed answers of all complete runs, or those with one cause."""
    launches.retry_all(object_or_404(request, _launches(), pk, "run"), request.POST.get("cause", ""))
    return redirect("launch-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/launches/new/", launch_create, name="launch-create"),
    path("launches/<int:pk>/", launch_detail, name="launch-detail"),
    path("launches/<int:pk>/cancel/", launch_cancel, name="launch-cancel"),
    path("launches/<int:pk>/continue/", launch_continue, name="launch-continue"),
    path("launches/<int:pk>/retry/", launch_retry, name="launch-retry"),
]
