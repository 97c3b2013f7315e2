"""Saved mappings: list, rename, delete and restore. They are created at uploads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations import owned
from evaluations.access import permissions
from evaluations.errors import Refusal
from evaluations.evaluators import evaluators
from evaluations.imports.columns import saved_mappings
from evaluations.models import Project, SavedMapping

from ..named import rename, say_deleted
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.request import HttpRequest

WORDS = {
    "inputs": "input",
    "reference": "reference",
    "metadata": "metadata",
    "key": "key",
    "outputs": "output",
    "output": "output",
    "variant": "variant name",
    "scores": "score",
}


@dataclass(frozen=True)
class Row:
    """A mapping with its columns by role, and the names of its evaluators."""

    saved: SavedMapping
    roles: list[tuple[str, list[str]]]
    scored_by: list[str]
    may_remove: bool


def roles(mapping: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The columns of a mapping by role.

    >>> roles({"inputs": {"question": "q_text"}, "metadata": [], "key": "id", "outputs": {"v1": "answer"}})
    [('input', ['question']), ('key', ['id']), ('output', ['v1'])]
    """
    listed = [(word, mapping.get(part)) for part, word in WORDS.items()]
    return [
        (word, [sources] if isinstance(sources, str) else [*sources]) for word, sources in listed if sources
    ]


@require_safe
def mapping_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _answer(request, project_or_404(request, slug))


def _answer(request: HttpRequest, project: Project, refused: Refusal | None = None) -> HttpResponse:
    listed = [*saved_mappings.live(project).select_related("project", "created_by")]
    ids = {pk for saved in listed for pk in saved.mapping.get("evaluators") or ()}
    named = {pk: found.name for pk, found in evaluators.computed(project).in_bulk(ids).items()}
    page = {
        **frame(request, project, "datasets"),
        "rows": [_row(request, saved, named) for saved in listed],
        "refused": refused,
        "api_call": curl(request, "/api/v1/mappings/"),
    }
    return render(request, "uploads/mapping_list.html", page, status=refused.status if refused else 200)


def _row(request: HttpRequest, saved: SavedMapping, named: Mapping[int, str]) -> Row:
    scored_by = [named[pk] for pk in saved.mapping.get("evaluators") or () if pk in named]
    may_remove = "remove" in permissions.allowed_with(request.user, saved)
    return Row(saved, roles(saved.mapping), scored_by, may_remove)


@require_POST
def mapping_rename(request: HttpRequest, pk: int) -> HttpResponse:
    saved = object_or_404(request, _named().live(), pk, "write")
    back = reverse("mapping-list", args=[saved.project.slug])
    return rename(request, saved, "datasets", lambda name: saved_mappings.change(saved, name=name), back)


@require_POST
def mapping_delete(request: HttpRequest, pk: int) -> HttpResponse:
    saved = object_or_404(request, _named().live(), pk, "remove")
    saved_mappings.delete(saved)
    say_deleted(request, saved.name, "mapping-restore", pk)
    return redirect("mapping-list", saved.project.slug)


@require_POST
def mapping_restore(request: HttpRequest, pk: int) -> HttpResponse:
    saved = object_or_404(request, _named(), pk, "remove")
    try:
        owned.restore(saved)
    except Refusal as refusal:
        return _answer(request, saved.project, refusal)
    messages.success(request, f"{saved.name} restored.")
    return redirect("mapping-list", saved.project.slug)


def _named() -> Any:
    return SavedMapping.objects.exclude(name_key="")


urlpatterns = [
    path("p/<slug:slug>/mappings/", mapping_list, name="mapping-list"),
    path("mappings/<int:pk>/rename/", mapping_rename, name="mapping-rename"),
    path("mappings/<int:pk>/delete/", mapping_delete, name="mapping-delete"),
    path("mappings/<int:pk>/restore/", mapping_restore, name="mapping-restore"),
]
