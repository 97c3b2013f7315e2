"""The palette (Ctrl K): objects and actions by name; also a page of its own."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations.models import Dataset, Evaluator, Experiment, Gate, Project, Prompt, Run

from .frame import Frame, frame, project_or_404

OF_EACH = 6
ACTIONS = (
    ("Upload a file", "dataset-upload", "write"),
    ("New experiment", "experiment-create", "write"),
    ("New evaluator", "evaluator-create", "write"),
    ("New prompt", "prompt-create", "write"),
    ("Gates", "gate-list", "read"),
    ("Invite a member", "project-detail", "admin"),
    ("Connections", "connection-list", "connect"),
    ("Audit log", "audit", "admin"),
)


@dataclass(frozen=True)
class Hit:
    """`experiment` is the one a run belongs to."""

    name: str
    noun: str
    address: str
    experiment: str = ""


class PalettePage(Frame):
    search: str
    hits: list[Hit]


@require_safe
@vary_on_headers("HX-Request")
def palette(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()[:200]
    in_frame = frame(request, project)
    hits = [*matches(project, search), *actions(project, search, in_frame["may"])]
    context = PalettePage(**in_frame, search=search, hits=hits)
    template = "evaluations/palette.html" + ("#hits" if request.htmx else "")
    return render(request, template, context)


def actions(project: Project, search: str, may: Collection[str]) -> list[Hit]:
    """The actions that this user may do here and whose name contains the words."""
    return [
        Hit(name, "action", reverse(route, args=[project.slug]))
        for name, route, right in ACTIONS
        if right in may and search.lower() in name.lower()
    ]


def matches(project: Project, search: str) -> list[Hit]:
    """A few objects of each kind with the words in their name, the newest first."""
    named = Q(name__icontains=search)
    sources: list[tuple[str, QuerySet]] = [
        ("experiment", Experiment.objects.live().filter(named, dataset__status=Dataset.Status.READY)),
        ("dataset", Dataset.objects.live().filter(named)),
        ("evaluator", Evaluator.objects.live().filter(named)),
        ("prompt", Prompt.objects.live().filter(named)),
        ("gate", Gate.objects.live().filter(named, dataset__deleted_at=None)),
        (
            "run",
            Run.objects.live()
            .filter(variant__icontains=search, experiment__deleted_at=None)
            .select_related("experiment"),
        ),
    ]
    return [
        Hit(
            str(thing),
            noun,
            reverse(f"{noun}-detail", args=[thing.pk]),
            str(getattr(thing, "experiment", "")),
        )
        for noun, things in sources
        for thing in things.filter(project=project)[:OF_EACH]
    ]


urlpatterns = [path("p/<slug:slug>/search/", palette, name="palette")]
