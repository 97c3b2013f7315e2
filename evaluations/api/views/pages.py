"""The pages of the API for people: its reference, and all error codes."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required, login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

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


@login_not_required
@require_safe
def codes(request: HttpRequest) -> HttpResponse:
    """The meaning and remedy of every error code, for people who follow the Link header of an error."""
    return render(request, "site/api_codes.html", {"codes": explained()})
