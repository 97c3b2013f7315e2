"""The command palette (Ctrl K): objects and actions by name; also a page of its own, which finds texts of examples."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations.comparisons import overviews
from evaluations.datasets import in_texts
from evaluations.experiments import saved_views, search
from evaluations.experiments.search import OF_EACH
from evaluations.models import Experiment, Project
from evaluations.numerals import grouped as thousands
from evaluations.statistics.sentences import Part

from ..comparisons.verdicts import listing
from ..page_tools import recent
from ..page_tools.calls import curl
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
# not offered without a text: what begins on the page of an experiment or a dataset
FOUND = (
    ("Compare variants: choose an experiment", "experiment-list", "read"),
    ("Export results: choose an experiment", "experiment-list", "read"),
    ("Export a dataset: choose it", "dataset-list", "read"),
)
THEME = ("Theme: light, dark or that of the system", "#theme")  # in the footer of every page


LAST = "opened last"
MOST_OF_ONE = 200  # of the noun whose hits are all asked for


@dataclass(frozen=True)
class Hit:
    """`experiment` is the one that a run belongs to, at `experiment_address`; `which` tells equal names apart.

    The page says also what it is `about`, `when` it was made, and the `answer` of an experiment.
    """

    name: str
    noun: str
    address: str
    experiment: str = ""
    experiment_address: str = ""
    which: str = ""
    about: str = ""
    when: datetime | None = None
    pk: int = 0
    answer: Sequence[Part] = ()

    @property
    def group(self) -> str:
        return LAST if self.noun.endswith(LAST) else self.noun


@dataclass(frozen=True)
class Group:
    """The hits of one noun; `has_more` if the page of this noun alone lists others, `is_cut` if that has not all."""

    noun: str
    hits: list[Hit]
    has_more: bool
    is_cut: bool

    @property
    def count(self) -> str:
        return f"{OF_EACH}+" if self.has_more else thousands(len(self.hits))

    @property
    def title(self) -> str:
        return LAST.capitalize() if self.noun == LAST else f"{self.noun.capitalize()}s"


@require_safe
@vary_on_headers("HX-Request")
def palette(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    text = request.GET.get("q", "").strip()[:200]
    noun = request.GET.get("of", "")
    in_frame = frame(request, project)
    hits = [
        *([] if noun else returns(request, project, text)),
        *object_hits(project, text, noun),
        *([] if noun else actions(project, text, in_frame["may"])),
    ]
    groups = grouped(hits, all_of=noun)
    if not request.htmx:
        groups = answered(groups)
    shown = [hit for group in groups for hit in group.hits]
    reads_texts = text and not noun and not request.htmx
    context = {
        **in_frame,
        "api_call": curl(request, f"/api/v1/search/?{urlencode({'q': text})}"),
        "search": text,
        "noun": noun,
        "hits": shown,
        "groups": groups,
        "texts": in_texts.search(project, text) if reads_texts else None,
    }
    template = "site/palette.html" + ("#hits" if request.htmx else "")
    return render(request, template, context)


def grouped(hits: list[Hit], all_of: str = "") -> list[Group]:
    """The hits by noun: a few of each, or all of one."""
    groups = ((noun, list(found)) for noun, found in groupby(hits, attrgetter("group")))
    if all_of:
        return [Group(noun, found, False, len(found) == MOST_OF_ONE) for noun, found in groups]
    return [Group(noun, found[:OF_EACH], len(found) > OF_EACH, False) for noun, found in groups]


def answered(groups: list[Group]) -> list[Group]:
    """The same hits, with what a few experiments answer."""
    wanted = [hit.pk for group in groups for hit in group.hits if hit.noun == "experiment"][:OF_EACH]
    found = Experiment.objects.filter(pk__in=wanted).select_related("project", "dataset", "primary")
    parts = {row.overview.experiment.pk: row.parts for row in listing.table(overviews.load(list(found))).rows}
    return [
        replace(group, hits=[replace(hit, answer=parts.get(hit.pk, ())) for hit in group.hits])
        if any(hit.noun == "experiment" for hit in group.hits)
        else group
        for group in groups
    ]


def returns(request: HttpRequest, project: Project, text: str) -> list[Hit]:
    """Saved views whose name contains the text; without a text, what was opened last."""
    if not text:
        return [
            Hit(page.name, f"{page.noun}, {LAST}", page.address, which=page.noun)
            for page in recent.opened(request, project)
        ]
    views = saved_views.of_project(project, request.user).filter(name__has=text)[:OF_EACH]
    return [
        Hit(
            view.name,
            "saved view",
            settings.PATH + view.path,
            about=f"by {view.created_by}" if view.created_by else "",
            when=view.created_at,
        )
        for view in views.select_related("created_by")
    ]


def actions(project: Project, text: str, may: Collection[str]) -> list[Hit]:
    """The actions that this user may do here and whose name contains the text."""
    offered = (*ACTIONS, *FOUND) if text else ACTIONS
    here = [(name, reverse(route, args=[project.slug])) for name, route, right in offered if right in may]
    named = [*here, THEME] if text else here
    return [Hit(name, "action", address) for name, address in named if text.lower() in name.lower()]


def object_hits(project: Project, text: str, noun: str = "") -> list[Hit]:
    """Objects whose name contains the text: one more than a few of each kind, or all of one `noun`."""
    found = search.matches(project, text, MOST_OF_ONE if noun else OF_EACH + 1, noun)
    return [
        Hit(
            match.name,
            match.noun,
            reverse(f"{match.noun}-detail", args=[match.pk]),
            str(match.experiment or ""),
            reverse("experiment-detail", args=[match.experiment.pk]) if match.experiment else "",
            match.repetition,
            match.about,
            match.created_at,
            match.pk,
        )
        for match in found
    ]


urlpatterns = [path("p/<slug:slug>/search/", palette, name="palette")]
