"""The answer to a form that was opened before its person signed in or out."""

from django.http import HttpResponse
from django.shortcuts import render

from ..page_tools.frame import previous_page
from ..page_tools.request import AnyRequest


def stale_form(request: AnyRequest, reason: str = "") -> HttpResponse:
    """Leads back to the page of the form, on which what was typed comes back."""
    return render(request, "403_csrf.html", {"form_page": previous_page(request, "")}, status=403)
