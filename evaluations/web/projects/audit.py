"""The audit log of a project, or of the whole site, for their administrators."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from evaluations.access import accounts, audit_log
from evaluations.access.audit_words import WITHIN, around, before_noun, besides, in_sentences, noun
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
from ..page_tools import paging, url_values
from ..page_tools.frame import frame, project_or_404
from ..page_tools.paging import Page, address, paged
from ..page_tools.request import HttpRequest

PAGE = 25  # rows, so that a page is few screens on a phone
READ = 8 * PAGE  # entries, of which neighbours become one row
APPENDED, COLUMNS = "dataset-append", "upload-columns"
UPLOADED = ("dataset-upload", APPENDED)
LEADS = ("to", "on")  # links and comments are called by what they are to and on
LINKED: dict[str, type[Owned]] = {
    str(model._meta.verbose_name): model
    for model in (Connection, Dataset, Evaluator, Experiment, Gate, LabelTask, Launch, Prompt, Run)
}


@require_safe
def audit(request: HttpRequest, slug: str = "") -> HttpResponse:
    project, form = _project_and_form(request, slug)
    page = paged(request, form.matching(), "pk", READ, newest_first=True)
    living = _living(page.rows)
    evaluators = _evaluators(page.rows)
    keys = _keys(page.rows)
    page.rows[:] = _with_columns(page.rows)
    for entry in page.rows:
        key = keys.get((entry.object_id, entry.details.get("position")))
        file = {"file": entry.object_name} if entry.action == APPENDED else {}
        said = entry.details | ({"position": key} if key else {}) | file
        entry.words, entry.after = around(entry.action, said)
        entry.noun = noun(entry.object_type, entry.words)
        entry.who, _, key_start = entry.actor_name.partition(" (evk_")
        entry.key_start = key_start and f"evk_{key_start.removesuffix(')')}"
        entry.kind = entry.object_type
        named = entry.details.pop("with", [])
        if entry.action == APPENDED and named:
            named = _of_dataset(entry, named)
        elif entry.object_type == "upload" and entry.noun:
            named = _lead_with(entry, named)
        if entry.noun:
            entry.words = f"{before_noun(entry.words)} {entry.noun}"
        entry.related = [*_related(named, living)]
        entry.sentences = in_sentences(besides(entry.action, entry.details), evaluators)
        thing = living.get((entry.kind, entry.object_id))
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
    context = {**in_frame, "form": form, **_rows(request, page)}
    return render(request, "projects/audit.html", context)


def _with_columns(entries: Sequence[Any]) -> list[Any]:
    """The entries without those that chose the columns of a file whose upload is among them: a detail of that one."""
    uploaded = {
        (entry.object_id, entry.actor_name): entry
        for entry in entries
        if entry.object_type == "upload" and entry.action in UPLOADED
    }
    kept = []
    for entry in entries:
        upload = uploaded.get((entry.object_id, entry.actor_name)) if entry.action == COLUMNS else None
        if upload is None:
            kept.append(entry)
        else:
            upload.has_columns = True
    return kept


def _of_dataset(entry: Any, named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let the entry of an appended file be about its dataset, after the name of the file; returns the others."""
    lead, *others = named
    entry.kind, entry.noun = lead["object_type"], ""
    entry.object_id, entry.object_name = lead.get("object_id"), lead["object_name"]
    return others


def _lead_with(entry: Any, named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let an entry about a file be about the first of what the file made or was for; returns the others."""
    if not named:
        entry.words, entry.noun = f"{entry.words} from {entry.noun}", ""
        return named
    lead, *others = named
    said = noun(lead["object_type"])
    entry.source, entry.noun, entry.kind = entry.object_name, "", lead["object_type"]
    entry.object_id, entry.object_name = lead.get("object_id"), lead["object_name"]
    if not entry.words.endswith((f" {said}", " to")):
        entry.words = f"{entry.words} to {said}"
    return others


def _rows(request: HttpRequest, page: Page) -> dict[str, Any]:
    """The page with as many rows as it has room for, of the entries that were read."""
    acts = list(_together(page.rows))
    if len(acts) > PAGE and paging.number(request, "before") and not paging.number(request, "after"):
        acts = acts[-PAGE:]
        page = replace(page, previous=address(request, before=acts[0].entries[0].pk, after=None))
    elif len(acts) > PAGE:
        acts = acts[:PAGE]
        page = replace(page, next=address(request, after=acts[-1].entries[-1].pk, before=None))
    return {"page": page, "acts": acts}


@dataclass(frozen=True)
class Act:
    """Entries that stand in one row, because the same person did the same within a minute; mostly one."""

    entries: list[Any]  # described by `audit`
    words: str


def _together(entries: list[Any]) -> Iterator[Act]:
    """The described entries; neighbours that differ in nothing but what they are about are one act."""
    for _, group in groupby(entries, _likeness):
        same = list(group)
        said, called = same[0].words, noun(same[0].kind)
        before, _, lead = said.rpartition(" ")
        bare = (
            before if lead in LEADS else said
        )  # "made link" where a single one would be "made link to this"
        names = {entry.object_name for entry in same}
        if len(same) == 1:
            yield Act(same, said)
        elif bare.endswith(f" {called}") and " from " not in said and _are_different(same):
            yield Act(same, bare.removesuffix(called) + plural(len(same), called))
        elif len(names) == 1 and not same[0].after:
            yield Act(same, f"{said} {names.pop()}, {len(same)} times")
        else:
            yield Act(same, f"{bare}, {len(same)} times")


def _are_different(entries: list[Any]) -> bool:
    """Whether each is about something else: what was done twice to one dataset was not done to two."""
    return len({(entry.object_id, entry.object_name) for entry in entries}) == len(entries)


def _likeness(entry: Any) -> tuple[Any, ...]:
    if entry.sentences:
        return (entry.pk,)
    said = entry.words, entry.after
    return (f"{entry.at:%d %H:%M}", entry.actor_name, entry.api_key_id, *said)


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
