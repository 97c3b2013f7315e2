"""The lists of experiments and evaluators of a project."""

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluations import kinds
from evaluations.comparisons import overviews
from evaluations.models import Evaluator, EvaluatorVersion

from . import visible
from .frame import frame, project_or_404
from .paging import paged
from .verdicts import listing

EXPERIMENTS, EVALUATORS = 20, 50


@require_safe
def experiment_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()
    things = visible.experiments_of(project)
    if search:
        things = things.filter(name__icontains=search)
    page = paged(request, things, "pk", EXPERIMENTS, newest_first=True)
    context = frame(request, project, "experiments") | {
        "page": page,
        "search": search,
        "experiments": listing.rows(overviews.load(page.rows)),
        "axis": listing.axis(),
    }
    return render(request, "evaluations/experiment_list.html", context)


@require_safe
def evaluator_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()
    scored = Count("versions__scorings__run", Q(versions__scorings__run__deleted_at=None), distinct=True)
    things = Evaluator.objects.live().filter(project=project).annotate(run_count=scored)
    if search:
        things = things.filter(name__icontains=search)
    page = paged(request, things, "pk", EVALUATORS, newest_first=True)
    newest = {
        version.evaluator_id: version
        for version in EvaluatorVersion.objects.filter(evaluator__in=page.rows).order_by("number")
    }
    context = frame(request, project, "evaluators") | {
        "page": page,
        "search": search,
        "evaluators": [
            {"evaluator": one, "version": newest[one.pk], "kind": kinds.get(newest[one.pk].kind)}
            for one in page.rows
        ],
    }
    return render(request, "evaluations/evaluator_list.html", context)


urlpatterns = [
    path("p/<slug:slug>/experiments/", experiment_list, name="experiment-list"),
    path("p/<slug:slug>/evaluators/", evaluator_list, name="evaluator-list"),
]
