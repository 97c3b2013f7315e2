"""The audit log of a project, or of the whole site, for their administrators."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from evaluations.access import accounts, audit_log
from evaluations.access.audit_words import WITHIN, before_noun, besides, in_sentences, noun, words
from evaluations.models import (
    AuditEntry,
    Connection,
    Dataset,
    Evaluator,
    Example,
    Experiment,
    Gate,
    LabelTask,
    Launch,
    Project,
    Prompt,
    Run,
)
from evaluations.models.owned import Owned
from evaluations.numerals import plural

from ..forms.audit import AuditForm
from ..page_tools import url_values
from ..page_tools.frame import frame, project_or_404
from ..page_tools.paging import paged
from ..page_tools.request import HttpRequest

PAGE = 25  # entries, so that a page is few screens on a phone
LEADS = ("to", "on")  # links and comments are called by what they are to and on
LINKED: dict[str, type[Owned]] = {
    str(model._meta.verbose_name): model
    for model in (Connection, Dataset, Evaluator, Experiment, Gate, LabelTask, Launch, Prompt, Run)
}


@require_safe
def audit(request: HttpRequest, slug: str = "") -> HttpResponse:
    project, form = _project_and_form(request, slug)
    page = paged(request, form.matching(), "pk", PAGE, newest_first=True)
    living = _living(page.rows)
    evaluators = _evaluators(page.rows)
    keys = _keys(page.rows)
    for entry in page.rows:
        key = keys.get((entry.object_id, entry.details.get("position")))
        entry.words = words(entry.action, entry.details | ({"position": key} if key else {}))
        entry.noun = noun(entry.object_type, entry.words)
        if entry.object_type == "upload" and entry.noun:
            entry.words, entry.noun = f"{entry.words} from {entry.noun}", ""
        if entry.noun:
            entry.words = f"{before_noun(entry.words)} {entry.noun}"
        entry.related = [*_related(entry.details.pop("with", []), living)]
        entry.sentences = in_sentences(besides(entry.action, entry.details), evaluators)
        thing = living.get((entry.object_type, entry.object_id))
        if thing:
            entry.address = thing.address
            # earlier versions had no name for some objects
            is_named = entry.object_name != f"{type(thing.row).__name__} object ({thing.row.pk})"
            entry.object_name = entry.object_name if is_named else str(thing.row)
        lead, _, name = entry.object_name.partition(" ")
        if lead in LEADS and name:
            entry.words, entry.object_name = f"{entry.words} {lead}", name
        elif name and entry.words.endswith(f" {lead.lower()}"):  # "ran trial" of what is called "Trial 6"
            entry.object_name = name
    for name in form.errors:
        url_values.not_understood(request, name, request.GET.get(name, ""))
    in_frame = {**frame(request, project, "settings")} if project else {}
    context = {**in_frame, "form": form, "page": page, "acts": list(_together(page.rows))}
    return render(request, "projects/audit.html", context)


@dataclass(frozen=True)
class Act:
    """Entries that stand in one row, because the same person did the same within a minute; mostly one."""

    entries: list[Any]  # described by `audit`
    words: str


def _together(entries: list[Any]) -> Iterator[Act]:
    """The described entries; neighbours that differ in nothing but what they are about are one act."""
    for _, group in groupby(entries, _likeness):
        same = list(group)
        said, called = same[0].words, noun(same[0].object_type)
        if len(same) == 1:
            yield Act(same, said)
        elif said.endswith(f" {called}") and " from " not in said:
            yield Act(same, said.removesuffix(called) + plural(len(same), called))
        else:
            yield Act(same, f"{said}, {len(same)} times")


def _likeness(entry: Any) -> tuple[Any, ...]:
    if entry.sentences:
        return (entry.pk,)
    return (f"{entry.at:%d %H:%M}", entry.actor_name, entry.api_key_id, entry.words)


def _evaluators(entries: list[AuditEntry]) -> dict[str, str]:
    """The names of the evaluators whose differences were declared, by their ids."""
    ids = {one for entry in entries for name in WITHIN for one in entry.details.get(name) or ()}
    named = Evaluator.objects.live().filter(pk__in=ids).values_list("pk", "name") if ids else ()
    return {str(pk): name for pk, name in named}


def _keys(entries: list[AuditEntry]) -> dict[tuple[int | None, Any], str]:
    """The keys of the examples that entries are about, by dataset and position: people know them by these."""
    about = [entry for entry in entries if entry.object_type == "dataset" and "position" in entry.details]
    of_datasets = Example.objects.filter(dataset__in={entry.object_id for entry in about})
    at = of_datasets.filter(position__in={entry.details["position"] for entry in about})
    rows = at.values_list("dataset_id", "position", "key") if about else ()
    return {(dataset, position): key for dataset, position, key in rows if key}


@dataclass(frozen=True)
class Living:
    row: Owned
    address: str


def _living(entries: list[AuditEntry]) -> dict[tuple[str, int | None], Living]:
    """The objects that still live, by type and id, with their pages."""
    named = {(entry.object_type, entry.object_id) for entry in entries}
    named |= {_key(one) for entry in entries for one in entry.details.get("with", [])}
    found: dict[tuple[str, int | None], Living] = {}
    for kind, model in LINKED.items():
        ids = {pk for of_kind, pk in named if of_kind == kind}
        route = f"{kind.replace(' ', '')}-detail"
        for row in model.objects.live().filter(pk__in=ids) if ids else ():
            found[kind, row.pk] = Living(row, reverse(route, args=[row.pk]))
    return found


def _key(named: dict[str, Any]) -> tuple[str, int | None]:
    return named["object_type"], named.get("object_id")


@dataclass(frozen=True)
class Related:
    """What else a request made or was about: objects of one kind with their names, and pages while they live."""

    noun: str
    objects: list[tuple[str, str]]


def _related(named: list[dict[str, Any]], living: dict[tuple[str, int | None], Living]) -> Iterator[Related]:
    for kind, group in groupby(named, lambda one: str(one["object_type"])):
        objects = [
            (one["object_name"], living[_key(one)].address if _key(one) in living else "") for one in group
        ]
        # a name such as “Launch 4” says itself what it is
        says_itself = all(name.lower().startswith(kind) for name, _ in objects)
        plural = "s" if len(objects) > 1 else ""
        yield Related("" if says_itself else f"{noun(kind)}{plural}", objects)


@require_safe
def audit_export(request: HttpRequest, slug: str = "") -> StreamingHttpResponse:
    """The filtered entries as CSV, oldest first, streamed; safe to open in a spreadsheet."""
    _, form = _project_and_form(request, slug)
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"', "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(audit_log.lines(form.matching()), content_type="text/csv", headers=headers)


def _project_and_form(request: HttpRequest, slug: str) -> tuple[Project | None, AuditForm]:
    project = project_or_404(request, slug, "admin") if slug else None
    if project is None:
        accounts.require_administrator(request.user, "see the audit log of the site")
    entries = AuditEntry.objects.filter(project=project) if project else AuditEntry.objects.all()
    return project, AuditForm(request.GET, entries)


urlpatterns = [
    path("p/<slug:slug>/audit/", audit, name="audit"),
    path("p/<slug:slug>/audit/export/", audit_export, name="audit-export"),
    path("audit/", audit, name="audit-site"),
    path("audit/export/", audit_export, name="audit-site-export"),
]
