"""The queue and the workers of the whole site, for its administrators."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluations import hints
from evaluations.access import accounts
from evaluations.engine import consumption
from evaluations.evaluators import waiting_calls
from evaluations.launches import states
from evaluations.models import Job
from evaluations.process_cache import budget

from ..page_tools.request import HttpRequest
from .health import trouble_of_workers

SHOWN = 20  # scored runs before the fold


def _purpose(job: Job) -> str:
    """What a job did with its run: a run stands once for each, so that two of them are told apart."""
    if job.kind == Job.GENERATE:
        return "answers of a model"
    names = [str(scoring.evaluator_version.evaluator) for scoring in job.scorings.all()]
    return ", ".join(names) or "scored again since"


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
    errors = states.errors(state.failed_runs)
    trouble, seen = trouble_of_workers(), consumption.workers()
    is_down = hints.is_down()
    context = {
        "site_state": state,
        "is_well": not trouble and not is_down and not any(worker.is_missing for worker in seen),
        "failed": [(at, dataset, run, run and errors[run.pk]) for at, dataset, run in state.failed],
        "ended": [(job, _purpose(job)) for job in state.ended[:SHOWN]],
        "ended_before": [(job, _purpose(job)) for job in state.ended[SHOWN:]],
        "idle": ", ".join(words for words, rows in found.items() if not rows),
        "trouble": trouble,
        "workers": seen,
        "calls": calls,
        "broker_is_down": is_down,
        "caches": budget,
    }
    return render(request, "site/workers.html", context)


urlpatterns = [path("workers/", workers, name="workers")]
