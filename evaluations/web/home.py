"""The front page of a project: what its experiments found, what is working now, what there is."""

from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from evaluations.access import permissions
from evaluations.comparisons import overviews
from evaluations.experiments import runs, samples
from evaluations.models import Dataset, Evaluator, Import, Project, Run

from . import visible
from .frame import frame, project_or_404
from .legend import LEGEND
from .verdicts import listing

EXPERIMENTS, BESIDE, WORKING = 8, 5, 4


@require_safe
@vary_on_headers("HX-Request")
def home(request: HttpRequest) -> HttpResponse:
    """The front page of the project the person was in last, else of their first."""
    mine = Project.objects.visible_to(request.user).order_by("pk")
    project = mine.filter(slug=request.session.get("project", "")).first() or mine.first()
    if project is None:
        return render(request, "evaluations/no_project.html")
    return front_page(request, project)


@require_safe
@vary_on_headers("HX-Request")
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    return front_page(request, project_or_404(request, slug))


def front_page(request: HttpRequest, project: Project) -> HttpResponse:
    going = working(project)
    if request.htmx:
        # Asked again and again while something works; when it has ended, the figures above it are new.
        if not going:
            return HttpResponseClientRefresh()
        context = frame(request, project) | {"working": going}
        return render(request, "evaluations/home.html#working", context)
    listed = list(visible.experiments_of(project)[: EXPERIMENTS + 1])
    sample = samples.experiment_of(project)
    context = frame(request, project, "experiments", sample) | {
        "working": going,
        "experiments": listing.rows(overviews.load(listed[:EXPERIMENTS])),
        "axis": listing.axis(),
        "has_more": len(listed) > EXPERIMENTS,
        "datasets": recent_datasets(project),
        "evaluators": used_evaluators(project),
        "has_sample": sample is not None,
        "api_url": request.build_absolute_uri("/api/v1/datasets/"),
        "legend": LEGEND,
    }
    return render(request, "evaluations/home.html", context)


def recent_datasets(project: Project) -> Any:
    uses = Count("experiments", Q(experiments__deleted_at=None))
    return (
        Dataset.objects.live()
        .filter(project=project)
        .annotate(experiment_count=uses)
        .order_by("-pk")[:BESIDE]
    )


def used_evaluators(project: Project) -> Any:
    """The newest evaluators, with the number of runs that have a score of theirs."""
    scored = Count("versions__scorings__run", Q(versions__scorings__run__deleted_at=None), distinct=True)
    return (
        Evaluator.objects.live().filter(project=project).annotate(run_count=scored).order_by("-pk")[:BESIDE]
    )


def working(project: Project) -> list[dict[str, Any]]:
    """Runs that are being scored and files that are being read, with how far they are."""
    going = Run.objects.filter(project=project, deleted_at=None, status__in=Run.OPEN)
    found = [
        {"run": run, "progress": runs.progress(run)}
        for run in going.select_related("experiment").order_by("pk")[:WORKING]
    ]
    reading = Import.objects.filter(dataset__project=project).select_related("dataset")[:WORKING]
    return found + [{"dataset": job.dataset, "job": job} for job in reading]


# ---- the sample --------------------------------------------------------------------------------------------


@require_POST
def sample_load(request: HttpRequest, slug: str) -> HttpResponse:
    samples.load(project_or_404(request, slug, "write"), request.user)
    return redirect("project-home", slug)


@require_POST
def sample_remove(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug, "write")
    if sample := samples.experiment_of(project):
        permissions.require_removal(request.user, sample)
    samples.remove(project)
    return redirect("project-home", slug)


urlpatterns = [
    path("", home, name="home"),
    path("p/<slug:slug>/", project_home, name="project-home"),
    path("p/<slug:slug>/sample/", sample_load, name="sample-load"),
    path("p/<slug:slug>/sample/remove/", sample_remove, name="sample-remove"),
]
