"""The page of the API reference."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ..reference import operations


@login_required
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, bodies and answers."""
    return render(request, "site/api_docs.html", {"operations": operations()})
