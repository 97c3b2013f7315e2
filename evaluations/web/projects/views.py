"""Saved views: made from the page that they show, listed on the front page."""

from functools import partial
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST

from evaluations.access import makers
from evaluations.experiments import saved_views
from evaluations.models import SavedView
from evaluations.values import LONGEST_NAME

from ..forms.share import ViewForm
from ..named import rename
from ..page_tools import notices
from ..page_tools.frame import local, previous_page, project_or_404
from ..page_tools.request import HttpRequest


@require_POST
def view_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the page with the filters that it has now, and go back to it."""
    project = project_or_404(request, slug)
    form = ViewForm(request.POST)
    address = _path(request)
    if not form.is_valid():
        messages.error(request, f"A view needs a name of at most {LONGEST_NAME} characters.")
        return redirect(local(request, settings.PATH + address, reverse("project-home", args=[slug])))
    chosen = form.cleaned_data
    saved_views.save(project, request.user, chosen["name"], address, shared=chosen["shared"])
    messages.success(request, "The view is on the front page.")
    return redirect(settings.PATH + address)


def _path(request: HttpRequest) -> str:
    """The path in the form; with the filters of the page that sent it, if htmx changed them since it was drawn."""
    drawn = request.POST.get("path", "")
    now = previous_page(request, otherwise="").removeprefix(settings.PATH)
    return now if now and urlsplit(now).path == urlsplit(drawn).path else drawn


@require_POST
def view_rename(request: HttpRequest, pk: int) -> HttpResponse:
    view = get_object_or_404(saved_views.seen_by(request.user, SavedView.objects.live()), pk=pk)
    change = partial(saved_views.rename, request.user, view)
    return rename(request, view, "home", change, reverse("project-home", args=[view.project.slug]))


@require_POST
def view_delete(request: HttpRequest, pk: int) -> HttpResponse:
    view = get_object_or_404(saved_views.seen_by(request.user, SavedView.objects.live()), pk=pk)
    makers.delete(request.user, view)
    notices.done(request, f"View “{view.name}” deleted.", reverse("view-restore", args=[view.pk]))
    return redirect("project-home", view.project.slug)


@require_POST
def view_restore(request: HttpRequest, pk: int) -> HttpResponse:
    view = get_object_or_404(saved_views.seen_by(request.user, SavedView.objects.all()), pk=pk)
    makers.restore(request.user, view)
    messages.success(request, "The view is back.")
    return redirect("project-home", view.project.slug)


urlpatterns = [
    path("p/<slug:slug>/views/", view_create, name="view-create"),
    path("views/<int:pk>/rename/", view_rename, name="view-rename"),
    path("views/<int:pk>/delete/", view_delete, name="view-delete"),
    path("views/<int:pk>/restore/", view_restore, name="view-restore"),
]
