"""Connections of a project: for its administrators; others see their names where they choose one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from evaluations import owned
from evaluations.evaluators import connections
from evaluations.models import Connection

from .forms.connection import ChangeForm, ConnectionForm, TestForm
from .frame import frame, object_or_404, project_or_404


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def connection_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The connections there are, and a form for another."""
    project = project_or_404(request, slug, "connect")
    form = ConnectionForm(request.POST if request.method == "POST" else None)
    if made := form.do(lambda: connections.create(project, request.user, **form.cleaned_data)):
        messages.success(request, f"{made.name} saved.")
        return redirect("connection-detail", made.pk)
    context = frame(request, project, "evaluators") | {
        "connections": Connection.objects.live().filter(project=project),
        "form": form,
    }
    return render(request, "evaluations/connection_list.html", context, status=form.status)


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def connection_detail(request: HttpRequest, pk: int) -> HttpResponse:
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    initial = {name: getattr(connection, name) for name in ("name", "base_url", "price_per_million")}
    form = ChangeForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.do(lambda: _change(connection, form)):
        messages.success(request, f"{connection.name} saved.")
        return redirect("connection-detail", pk)
    return _page(request, connection, form, status=form.status)


def _change(connection: Connection, form: ChangeForm) -> Connection:
    values = form.cleaned_data
    return connections.change(connection, **values | {"api_key": values["api_key"] or None})


@require_POST
def connection_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Embed one word and say how it went."""
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    asked = TestForm(request.POST)
    probe = None
    if asked.is_valid():
        probe = connections.probe(connection, asked.cleaned_data["model"], request.user)
    return _page(request, connection, asked=asked, probe=probe)


def _page(
    request: HttpRequest,
    connection: Connection,
    form: ChangeForm | None = None,
    status: int = 200,
    **context: object,
) -> HttpResponse:
    initial = {name: getattr(connection, name) for name in ("name", "base_url", "price_per_million")}
    shown = {
        "connection": connection,
        "form": form or ChangeForm(initial=initial),
        "asked": TestForm(),
    } | context
    in_frame = frame(request, connection.project, "evaluators") | shown
    return render(request, "evaluations/connection_detail.html", in_frame, status=status)


@require_POST
def connection_default(request: HttpRequest, pk: int) -> HttpResponse:
    connections.make_default(object_or_404(request, Connection.objects.live(), pk, "connect"))
    return redirect("connection-detail", pk)


@require_POST
def connection_delete(request: HttpRequest, pk: int) -> HttpResponse:
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    connections.delete(connection)
    undo = reverse("connection-restore", args=[pk])
    messages.success(request, f"{connection.name} deleted; can be restored for 7 days.", extra_tags=undo)
    return redirect("connection-list", connection.project.slug)


@require_POST
def connection_restore(request: HttpRequest, pk: int) -> HttpResponse:
    owned.restore(object_or_404(request, Connection.objects.all(), pk, "connect"))
    return redirect("connection-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/connections/", connection_list, name="connection-list"),
    path("connections/<int:pk>/", connection_detail, name="connection-detail"),
    path("connections/<int:pk>/test/", connection_test, name="connection-test"),
    path("connections/<int:pk>/default/", connection_default, name="connection-default"),
    path("connections/<int:pk>/delete/", connection_delete, name="connection-delete"),
    path("connections/<int:pk>/restore/", connection_restore, name="connection-restore"),
]
