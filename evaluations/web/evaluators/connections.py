"""Connections of a project, for its administrators. Others see their names in the evaluator form."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.access import permissions
from evaluations.clients import presets
from evaluations.clients.presets import Preset
from evaluations.evaluators import connections
from evaluations.metrics import meaning
from evaluations.models import Connection, LocalServer, Price, Project
from evaluations.numerals import plural
from evaluations.prompts import prices

from .. import named
from ..forms.connection import ChangeForm, ConnectionForm, TestForm
from ..forms.price import PriceForm
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.request import HttpRequest, posted
from .local_servers import may_allow_local, offered, offered_after


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
@may_allow_local
def connection_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The connections of a project, and a form to add one."""
    project = project_or_404(request, slug, "connect")
    preset = presets.named(request.GET.get("provider", ""))
    form = ConnectionForm(posted(request), initial=_of_preset(preset))
    if connection := form.do(lambda: connections.create(project, request.user, **form.values())):
        messages.success(request, f"{connection.name} saved.")
        return redirect("connection-detail", connection.pk)
    context = {
        **frame(request, project, "settings"),
        "listed": _listed(project),
        "api_call": curl(request, "/api/v1/connections/"),
        "built_in": meaning.MODEL if meaning.is_installed() else "",
        "form": form,
        "presets": presets.PRESETS,
        "preset": preset,
        "offer": offered(request, form),
        "local_servers": LocalServer.objects.all() if request.user.is_superuser else (),
    }
    return render(request, "evaluators/connection_list.html", context, status=form.status)


@dataclass(frozen=True)
class Listed:
    """A connection in the list, with what the last test found and who names it."""

    connection: Connection
    last_test: connections.Test | None
    users: connections.Users

    @property
    def used_by(self) -> str:
        users = self.users
        numbers = (
            ("prompt", len(users.prompts)),
            ("judge", len(users.judges)),
            ("evaluator", len(users.evaluators)),
        )
        return ", ".join(plural(number, noun) for noun, number in numbers if number)


def _listed(project: Project) -> list[Listed]:
    users = connections.users(project.pk)
    return [
        Listed(connection, connections.last_test(connection), users[connection.pk])
        for connection in Connection.objects.live().filter(project=project)
    ]


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
@may_allow_local
def connection_detail(request: HttpRequest, pk: int) -> HttpResponse:
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    form = ChangeForm(posted(request), initial=_initial(connection), connection=connection)
    if form.do(lambda: _change(connection, form)):
        messages.success(request, f"{connection.name} saved.")
        return redirect("connection-detail", pk)
    return _page(request, connection, form)


def _change(connection: Connection, form: ChangeForm) -> Connection:
    return connections.change(connection, **form.values())


def _of_preset(preset: Preset | None) -> dict[str, str]:
    if preset is None:
        return {}
    return {"name": preset.name, "base_url": preset.base_url, "api_version": preset.api_version}


@require_POST
@may_allow_local
def connection_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Test a connection (list its models, then call the typed one), and lead to the page, which shows the result."""
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    form = TestForm(request.POST)
    if form.is_valid():
        connections.probe(connection, form.cleaned_data["model"], request.user)
        return redirect(f"{reverse('connection-detail', args=[pk])}#test")
    return _page(request, connection, ChangeForm(initial=_initial(connection), connection=connection), form)


def _page(
    request: HttpRequest,
    connection: Connection,
    form: ChangeForm,
    test_form: TestForm | None = None,
    price_form: PriceForm | None = None,
) -> HttpResponse:
    last_test = connections.last_test(connection)
    context = {
        **frame(request, connection.project, "settings"),
        "connection": connection,
        "api_call": curl(request, f"/api/v1/connections/{connection.pk}/"),
        "form": form,
        "test_form": test_form or TestForm(),
        "last_test": last_test,
        "test_offer": offered_after(request, connection.base_url, last_test.probe if last_test else None),
        "users": connections.users(connection.project_id)[connection.pk],
        "prices": connection.prices.all(),
        "price_form": price_form or PriceForm(),
        "offer": offered(request, form),
    }
    status = max(one.status for one in (form, test_form, price_form) if one)
    return render(request, "evaluators/connection_detail.html", context, status=status)


def _initial(connection: Connection) -> dict[str, Any]:
    shown = ("name", "base_url", "price_per_million", "api_version")
    query = "\n".join(f"{name}={value}" for name, value in connection.query.items())
    return {name: getattr(connection, name) for name in shown} | {"query": query}


@require_POST
def connection_prices(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the price of a model from a day on."""
    connection = object_or_404(request, Connection.objects.live(), pk, "connect")
    form = PriceForm(request.POST)
    if form.do(lambda: form.save(connection)):
        messages.success(request, f"Price of {form.cleaned_data['model']} saved.")
        return redirect("connection-detail", pk)
    return _page(
        request, connection, ChangeForm(initial=_initial(connection), connection=connection), price_form=form
    )


@require_POST
def price_delete(request: HttpRequest, pk: int) -> HttpResponse:
    visible_prices = Price.objects.filter(connection__in=Connection.objects.live().visible_to(request.user))
    price = get_object_or_404(visible_prices.select_related("connection__project"), pk=pk)
    permissions.require(request.user, price.project, "connect")
    prices.remove(price)
    return redirect("connection-detail", price.connection_id)


@require_POST
def connection_default(request: HttpRequest, pk: int) -> HttpResponse:
    connections.make_default(object_or_404(request, Connection.objects.live(), pk, "connect"))
    return redirect("connection-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/connections/", connection_list, name="connection-list"),
    path("connections/<int:pk>/", connection_detail, name="connection-detail"),
    path("connections/<int:pk>/test/", connection_test, name="connection-test"),
    path("connections/<int:pk>/prices/", connection_prices, name="connection-prices"),
    path("prices/<int:pk>/delete/", price_delete, name="price-delete"),
    path("connections/<int:pk>/default/", connection_default, name="connection-default"),
    *named.deletion(Connection.objects.all(), connections.delete, "connect"),
]
