"""The command palette (Ctrl K): objects and actions by name; also a page of its own."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations.experiments import saved_views, search
from evaluations.experiments.search import OF_EACH
from evaluations.models import Project

from ..page_tools import recent
from ..page_tools.frame import frame, project_or_404
from ..page_tools.request import HttpRequest

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
    """`experiment` is the one that a run belongs to."""

    name: str
    noun: str
    address: str
    experiment: str = ""


@require_safe
@vary_on_headers("HX-Request")
def palette(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    text = request.GET.get("q", "").strip()[:200]
    in_frame = frame(request, project)
    hits = [
        *returns(request, project, text),
        *object_hits(project, text),
        *actions(project, text, in_frame["may"]),
    ]
    context = {**in_frame, "search": text, "hits": hits}
    template = "site/palette.html" + ("#hits" if request.htmx else "")
    return render(request, template, context)


def returns(request: HttpRequest, project: Project, text: str) -> list[Hit]:
    """Saved views whose name contains the text; without a text, what was opened last."""
    if not text:
        return [
            Hit(page.name, f"{page.noun}, opened last", page.address)
            for page in recent.opened(request, project)
        ]
    views = saved_views.of_project(project, request.user).filter(name__has=text)[:OF_EACH]
    return [Hit(view.name, "saved view", settings.PATH + view.path) for view in views]


def actions(project: Project, text: str, may: Collection[str]) -> list[Hit]:
    """The actions that this user may do here and whose name contains the text."""
    return [
        Hit(name, "action", reverse(route, args=[project.slug]))
        for name, route, right in ACTIONS
        if right in may and text.lower() in name.lower()
    ]


def object_hits(project: Project, text: str) -> list[Hit]:
    """Objects whose name contains the text, a few of each kind."""
    return [
        Hit(
            match.name,
            match.noun,
            reverse(f"{match.noun}-detail", args=[match.pk]),
            str(match.experiment or ""),
        )
        for match in search.matches(project, text)
    ]


urlpatterns = [path("p/<slug:slug>/search/", palette, name="palette")]
