"""The queue and the workers of the whole site, for its administrators."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluations import hints
from evaluations.access import accounts
from evaluations.engine import consumption
from evaluations.evaluators import waiting_calls
from evaluations.process_cache import budget

from ..page_tools.request import HttpRequest
from .health import trouble_of_workers


@require_safe
def workers(request: HttpRequest) -> HttpResponse:
    """Waiting and running work, its speed, and the latest errors."""
    accounts.require_administrator(request.user, "see the workers")
    state, calls = consumption.site_state(), waiting_calls.calls()
    found = {
        "no file is being read": state.imports,
        "no model is asked": calls,
        "no run is being scored": state.jobs,
        "none was scored within the last hour": state.ended,
        "nothing failed lately": state.failed,
    }
    context = {
        "site_state": state,
        "idle": ", ".join(words for words, rows in found.items() if not rows),
        "trouble": trouble_of_workers(),
        "workers": consumption.workers(),
        "calls": calls,
        "broker_is_down": hints.is_down(),
        "caches": budget,
    }
    return render(request, "site/workers.html", context)


urlpatterns = [path("workers/", workers, name="workers")]
