"""What the pages of all named things share: a list with a search by name, renaming, deleting and restoring."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from evaluations import owned
from evaluations.models import SavedView
from evaluations.models.owned import Named, OwnedQuerySet
from evaluations.short_texts import ended

from .forms.form import Form
from .forms.name import NameForm
from .page_tools import notices, series, sorting
from .page_tools.frame import Context, frame, object_or_404
from .page_tools.request import HttpRequest

Thing = TypeVar("Thing", bound=Model)
Name = TypeVar("Name", bound=Named)


def page_of(
    request: HttpRequest,
    objects: QuerySet[Any],
    columns: sorting.Columns,
    size: int = 50,
    *,
    in_series: bool = False,
) -> Context:
    """One page of the objects whose name contains `?q=`, newest first unless sorted by one of the `columns`.

    It has the `total` if a search finds more, and the `heads` that sort. With `in_series`, `size` counts the lines that
    they stand in (page_tools/series.py).
    """
    objects_here, search = matching(request, objects)
    pages = partial(sorting.page, request, objects_here, columns)
    page = series.page(request, pages, size) if in_series else pages(size)
    is_part = bool(search and (page.previous or page.next))
    total = objects_here.count() if is_part else None
    return {"page": page, "search": search, "total": total, "heads": sorting.heads(request, columns)}


def matching(request: HttpRequest, objects: QuerySet[Thing]) -> tuple[QuerySet[Thing], str]:
    """The objects whose name contains `?q=`, and the searched text."""
    search = request.GET.get("q", "").strip()
    return objects.filter(name__has=search) if search else objects, search


def rename(
    request: HttpRequest,
    target: Named | SavedView,
    section: str,
    change: Callable[[str], object],
    back: str = "",
) -> HttpResponse:
    """Rename it and go `back`, by default to its page; a refused name is shown in a form."""
    page = back or reverse(f"{target._meta.model_name}-detail", args=[target.pk])
    before = target.name
    form = NameForm(request.POST, initial={"name": before})

    def renamed() -> bool:
        change(form.cleaned_data["name"])
        return True

    if form.do(renamed):
        messages.success(request, ended(f"Renamed to {target.name}"))
        return redirect(page)
    in_frame = frame(request, target.project, section)
    return shown_again(request, in_frame, form, title=f"Rename {before}", button="Rename", back=page)


def shown_again(
    request: HttpRequest,
    in_frame: Context,
    form: Form,
    *,
    title: str,
    button: str,
    back: str,
    sent: Mapping[str, object] | None = None,
) -> HttpResponse:
    """A page of its own for a refused form that is part of another page; `sent` are its fields that nobody types."""
    context = {
        **in_frame,
        "form": form,
        "title": title,
        "button": button,
        "address": back,
        "sent": sent or {},
    }
    return render(request, "kit/shown_again.html", context, status=form.status)


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
