"""What the pages of all named things share: a list with a search by name, renaming, deleting and restoring."""

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from evaluations import owned
from evaluations.models.owned import Named, OwnedQuerySet

from .forms.name import NameForm
from .page_tools import notices
from .page_tools.frame import Frame, frame, object_or_404
from .page_tools.paging import Page, paged
from .page_tools.request import HttpRequest

Thing = TypeVar("Thing", bound=Model)
Name = TypeVar("Name", bound=Named)


class NamedPage(TypedDict):
    page: Page
    search: str


class NamedList(Frame, NamedPage):
    """A list of named objects, the newest first."""


def page_of(request: HttpRequest, objects: QuerySet[Any], size: int = 50) -> NamedPage:
    """One page of the objects whose name contains `?q=`, newest first."""
    objects_here, search = matching(request, objects)
    return NamedPage(page=paged(request, objects_here, "pk", size, newest_first=True), search=search)


def matching(request: HttpRequest, objects: QuerySet[Thing]) -> tuple[QuerySet[Thing], str]:
    """The objects whose name contains `?q=`, and the searched text."""
    search = request.GET.get("q", "").strip()
    return objects.filter(name__has=search) if search else objects, search


def rename(request: HttpRequest, target: Named, section: str) -> HttpResponse:
    """Rename it and go to its page; a refused name is shown in a form."""
    page = f"{target._meta.model_name}-detail"
    form = NameForm(request.POST)
    if form.do(lambda: owned.rename(target, form.cleaned_data["name"])):
        messages.success(request, f"Renamed to {target.name}.")
        return redirect(page, target.pk)
    form_page = {"target": target, "form": form, "address": reverse(page, args=[target.pk])}
    context = frame(request, target.project, section) | form_page
    return render(request, "kit/rename.html", context, status=form.status)


def to_list_without(request: HttpRequest, deleted: Named) -> HttpResponse:
    """Go to the list in which it was, and offer to undo the deletion."""
    noun = deleted._meta.model_name
    say_deleted(request, deleted.name, f"{noun}-restore", deleted.pk)
    return redirect(f"{noun}-list", deleted.project.slug)


def restore(request: HttpRequest, deleted: Named) -> HttpResponse:
    """Undo the deletion and go to its page."""
    owned.restore(deleted)
    messages.success(request, f"{deleted.name} restored.")
    return redirect(f"{deleted._meta.model_name}-detail", deleted.pk)


def deletion(
    restorable: OwnedQuerySet[Name], delete: Callable[[Name], object], action: str = "remove"
) -> list[URLPattern]:
    """The addresses that delete and restore an object, for people with the right to `action`."""
    noun = restorable.model._meta.model_name

    @require_POST
    def deleted(request: HttpRequest, pk: int) -> HttpResponse:
        target = object_or_404(request, restorable.live(), pk, action)
        delete(target)
        return to_list_without(request, target)

    @require_POST
    def restored(request: HttpRequest, pk: int) -> HttpResponse:
        return restore(request, object_or_404(request, restorable.all(), pk, action))

    return [
        path(f"{noun}s/<int:pk>/delete/", deleted, name=f"{noun}-delete"),
        path(f"{noun}s/<int:pk>/restore/", restored, name=f"{noun}-restore"),
    ]


def say_deleted(request: HttpRequest, name: str, restore_view: str, key: int | str) -> None:
    """Add a message with an undo button, which posts to `restore_view`."""
    message = f"{name} deleted; can be restored for {owned.UNDO.days} days."
    notices.done(request, message, reverse(restore_view, args=[key]))
