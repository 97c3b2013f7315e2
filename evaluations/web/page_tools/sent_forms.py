"""Answers to forms that htmx may have sent."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django_htmx.http import HttpResponseClientRedirect

from .request import HttpRequest


def go_to(request: HttpRequest, address: str) -> HttpResponse:
    """Go to another page."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def shown_status(request: HttpRequest, status: int) -> int:
    """The status of a form that is shown again: htmx inserts a refused one only if its status is 422."""
    return 422 if request.htmx and status != 200 else status
