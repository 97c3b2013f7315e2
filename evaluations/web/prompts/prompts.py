"""Prompts: the list, and the actions of the editor: save, keep drafts, try, duplicate, delete."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.models import Prompt, PromptVersion, Run
from evaluations.prompts import drafts as drafts_of_prompts
from evaluations.prompts import prompts, versions
from evaluations.prompts.content import Content

from .. import named
from ..page_tools import sorting
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from . import bench, history
from .bench import Bench
from .editor import Editor, editor_of

PROMPTS = 50
COLUMNS = {"name": sorting.NAME, "changed": sorting.Column(Max("versions__created_at"))}


@dataclass(frozen=True)
class ListedPrompt:
    """A prompt with its newest version, its labels with their versions, and its last score."""

    prompt: Prompt
    version: PromptVersion
    labels: list[tuple[str, int]]
    last: history.Use | None
    newest: Run | None  # without a score: its launch may have failed
    changed: str  # the note of the version, else what differs from the one before


@require_safe
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    listed = named.page_of(request, Prompt.objects.live().filter(project=project), COLUMNS, PROMPTS)
    page = listed["page"]
    newest = {
        (version.prompt_id, version.number): version
        for version in PromptVersion.objects.filter(prompt__in=page.rows).select_related(
            "created_by", "connection"
        )
    }
    labels = _labels(newest.values())
    scores = history.last_scores(page.rows)
    runs = history.newest_runs([prompt for prompt in page.rows if prompt.pk not in scores])
    rows = [
        ListedPrompt(
            prompt,
            newest[prompt.pk, prompt.version],
            labels[prompt.pk],
            scores.get(prompt.pk),
            runs.get(prompt.pk),
            _changed(newest.get((prompt.pk, prompt.version - 1)), newest[prompt.pk, prompt.version]),
        )
        for prompt in page.rows
    ]
    context = {
        **frame(request, project, "prompts"),
        **listed,
        "rows": rows,
        "columns": _columns(rows),
        "has_connection": project.default_connection_id is not None,
        "api_call": curl(request, "/api/v1/prompts/"),
    }
    return render(request, "prompts/prompt_list.html", context)


def _columns(rows: Sequence[ListedPrompt]) -> list[str]:
    """The columns of the list without those in which no row has anything."""
    filled = {
        "In use": any(row.labels for row in rows),
        "Model": any(row.version.model for row in rows),
        "What changed": any(row.changed for row in rows),
    }
    every = ("Name", "In use", "Last score", "Model", "What changed", "Changed:number")
    return [title for title in every if filled.get(title, True)]


def _changed(before: PromptVersion | None, version: PromptVersion) -> str:
    if version.note or before is None:
        return version.note
    return versions.differences(*map(Content.from_version, (before, version))).in_words


def _labels(shown: Iterable[PromptVersion]) -> dict[int, list[tuple[str, int]]]:
    """By prompt, its labels in force with the version that has each."""
    by_version = {version.pk: version for version in shown}
    labels = defaultdict[int, list[tuple[str, int]]](list)
    for pk, names in history.labels_of(by_version.values()).items():
        version = by_version[pk]
        labels[version.prompt_id] += [(name, version.number) for name in names]
    return labels


# ---- the editor --------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_create(request: HttpRequest, slug: str) -> HttpResponse:
    return edit(Editor(request, project_or_404(request, slug, "write")))


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The editor of a prompt; `?version=` is the version to show and to base the next one on."""
    posting = request.method == "POST"
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write" if posting else "read")
    return edit(editor_of(request, prompt))


def edit(editor: Editor) -> HttpResponse:
    """Save, or show the form again with its messages moved; htmx requests only the preview."""
    request, form = editor.request, editor.form
    if editor.action == "save" and (saved := form.do(editor.save)):
        messages.success(request, f"{saved.prompt.name} saved as v{saved.number}.")
        return redirect("prompt-detail", saved.prompt_id)
    is_kept = editor.action not in ("", "save") and editor.keep()
    if request.htmx and editor.action == "draft":
        kept = {"prompt": editor.prompt, "is_draft": is_kept and editor.is_draft}
        return render(request, "prompts/_prompt_saved.html", kept)
    context = editor.context()
    template = "_prompt_preview" if request.htmx and editor.action == "preview" else "prompt_form"
    status = form.status if editor.action in ("save", "bench") else 200
    return render(request, f"prompts/{template}.html", context, status=status)


@require_POST
def prompt_try(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the columns of the bench, or first make a column of what the editor shows."""
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    if "column" in request.POST:
        return bench.ask(Bench(request, prompt))
    editor = editor_of(request, prompt)
    if editor.base is None or editor.typed is None:
        return edit(editor)
    editor.keep()
    bench.add_column(request, prompt, editor.base.number, editor.typed)
    return bench.ask(Bench(request, prompt, is_typed=False))


# ---- drafts ------------------------------------------------------------------------------------------------


@require_POST
def prompt_discard(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    drafts_of_prompts.discard(prompt, request.user)
    return redirect("prompt-detail", pk)


# ---- copying, deleting, restoring --------------------------------------------------------------------------


@require_POST
def prompt_duplicate(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    copy = prompts.duplicate(prompts.version_of(prompt, number(request, "version")), request.user)
    messages.success(request, f"{copy.name} created.")
    return redirect("prompt-detail", copy.pk)


urlpatterns = [
    path("p/<slug:slug>/prompts/", prompt_list, name="prompt-list"),
    path("p/<slug:slug>/prompts/new/", prompt_create, name="prompt-create"),
    path("prompts/<int:pk>/", prompt_detail, name="prompt-detail"),
    path("prompts/<int:pk>/try/", prompt_try, name="prompt-try"),
    path("prompts/<int:pk>/discard/", prompt_discard, name="prompt-discard"),
    path("prompts/<int:pk>/duplicate/", prompt_duplicate, name="prompt-duplicate"),
    *bench.urlpatterns,
    *named.deletion(Prompt.objects.all(), prompts.delete),
]
