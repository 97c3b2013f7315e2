"""The pages of the API for people: its reference, and all error codes."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required, login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from .. import sending
from ..codes import explained
from ..reference import matching


@login_required
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, bodies and answers; those with the words of `?q=`."""
    search = request.GET.get("q", "").strip()
    found = matching(search.lower().split())
    address = request.build_absolute_uri(f"{settings.PATH}/").rstrip("/")
    variables = f"export EVALSITE_URL={address} EVALSITE_KEY=evk_…"
    return render(
        request, "site/api_docs.html", {"operations": found, "search": search, "variables": variables}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def send(request: HttpRequest, operation: str) -> HttpResponse:
    """A form for one GET call, and what came back when it was sent with a key."""
    call = sending.sendable().get(operation)
    if call is None:
        raise Http404
    values = {field.name: request.POST.get(field.name, "").strip() for field in call.parameters}
    key, wrong, sent = request.POST.get("key", "").strip(), "", None
    if request.method == "POST":
        lacking = [field.name for field in call.parameters if field.is_required and not values[field.name]]
        wrong = f"Fill in {' and '.join(lacking)}." if lacking else "" if key else "Paste a key."
        sent = None if wrong else sending.send(request, sending.address_of(call, values), key)
    fields = sorted(
        ((field, values[field.name]) for field in call.parameters), key=lambda one: not one[0].is_required
    )
    context = {"operation": call, "fields": fields, "wrong": wrong, "sent": sent}
    return render(request, "site/api_send.html", context)


@login_not_required
@require_safe
def codes(request: HttpRequest) -> HttpResponse:
    """The meaning and remedy of every error code, for people who follow the Link header of an error."""
    return render(request, "site/api_codes.html", {"codes": explained()})
