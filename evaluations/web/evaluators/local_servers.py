"""Servers on this machine, allowed where a connection is entered by an administrator who sits at it."""

from functools import wraps
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.views.decorators.http import require_POST

from evaluations.access import audit
from evaluations.access.addresses import is_only_here
from evaluations.clients.probing import Probe
from evaluations.errors import Forbidden, Invalid
from evaluations.evaluators import connections, local_servers
from evaluations.models import LocalServer

from ..accounts.proving import View, asks, confirmed_if
from ..forms.connection import ConnectionForm
from ..page_tools.frame import project_or_404
from ..page_tools.request import HttpRequest

BUTTON = "allow_local"  # the button beside a refused address


def may_allow_local(view: View) -> View:
    """A view that saves a connection, and that first allows its server if the button for it was pressed."""

    @confirmed_if(lambda request: BUTTON in request.POST)
    @wraps(view)
    def with_local(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and BUTTON in request.POST:
            _allow(request)
        return view(request, *args, **kwargs)

    return with_local


def _allow(request: HttpRequest) -> None:
    if not is_only_here(request):
        raise Forbidden("forbidden", "Servers on this machine are allowed by a browser on this machine.")
    server = local_servers.allow(request.user, request.POST.get("base_url", ""))
    audit.record(request.user, "local-allow", None, request.id, server=str(server))


class Offer(NamedTuple):
    """A server that can be allowed, and whether the person must first prove who they are."""

    server: LocalServer
    is_asked: bool


def offered(request: HttpRequest, form: ConnectionForm) -> Offer | None:
    """The server that this person may allow by one click because its address was just refused."""
    may = request.user.is_superuser and is_only_here(request) and form.has_error("base_url")
    server = local_servers.of_address(form.data.get("base_url", "")) if may else None
    if server is None:
        return None
    form.errors["base_url"] = form.error_class(["Not allowed yet: connections may not call this server."])
    return Offer(LocalServer(host=server[0], port=server[1]), asks(request))


def offered_after(request: HttpRequest, base_url: str, probe: Probe | None) -> Offer | None:
    """The server that this person may allow by one click because its last test was refused."""
    is_failed = probe is not None and not probe.ok
    may = is_failed and request.user.is_superuser and is_only_here(request)
    server = local_servers.of_address(base_url) if may else None
    if server is None or _is_allowed(base_url):
        return None
    return Offer(LocalServer(host=server[0], port=server[1]), asks(request))


def _is_allowed(base_url: str) -> bool:
    try:
        connections.check_address(base_url)
    except Invalid:
        return False
    return True


@require_POST
def local_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Refuse calls to a server on this machine again."""
    project = project_or_404(request, slug, "connect")
    server = get_object_or_404(LocalServer, pk=pk)
    local_servers.withdraw(request.user, server)
    audit.note(server=str(server))
    messages.success(request, f"{server} is no longer called.")
    return redirect("connection-list", project.slug)


urlpatterns = [
    path("p/<slug:slug>/connections/local/<int:pk>/withdraw/", local_withdraw, name="local-withdraw")
]
