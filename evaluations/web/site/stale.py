"""The answer to a form that was opened before its person signed in or out."""

from django.http import HttpResponse
from django.shortcuts import render

from ..page_tools.frame import previous_page
from ..page_tools.request import HttpRequest


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Leads back to the page of the form, on which what was typed comes back; htmx learns who is signed out."""
    if request.htmx and not request.user.is_authenticated:
        return HttpResponse(status=401)
    return render(request, "403_csrf.html", {"form_page": previous_page(request, "")}, status=403)
