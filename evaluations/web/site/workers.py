"""The queue and the workers of the whole site, for its administrators."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
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

PATIENCE = timedelta(minutes=1)  # in which a worker takes what waits
SHOWN = 20  # rows of scored runs before the fold
NAMED = 3  # evaluators; more are counted


@dataclass(frozen=True)
class Purpose:
    """What a job did with its run: a run stands once for each, so that two of them are told apart.

    `names` are the evaluators, if they are more than `words` can hold.
    """

    words: str
    names: str = ""

    @classmethod
    def of(cls, job: Job) -> "Purpose":
        if job.kind == Job.GENERATE:
            return cls("answers of a model")
        names = [str(scoring.evaluator_version.evaluator) for scoring in job.scorings.all()]
        if len(names) > NAMED:
            return cls(f"{len(names)} evaluators", ", ".join(names))
        return cls(", ".join(names) or "scored again since")


@dataclass(frozen=True)
class Ended:
    """Neighbouring jobs that did the same with runs of one experiment, the one that ended last first."""

    jobs: list[Any]  # each with its duration `took`
    purpose: Purpose

    @property
    def last(self) -> Any:
        return self.jobs[0]

    @property
    def took(self) -> list[timedelta]:
        """The shortest and the longest time, or the only one."""
        return sorted({min(job.took for job in self.jobs), max(job.took for job in self.jobs)})


def _ended(jobs: Iterable[Any]) -> Iterator[Ended]:
    def likeness(job: Any) -> tuple[int, int, Purpose]:
        return job.run.experiment_id, job.total, Purpose.of(job)

    for (_, _, purpose), alike in groupby(jobs, likeness):
        yield Ended(list(alike), purpose)


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
    ended = list(_ended(state.ended))
    trouble, seen = trouble_of_workers(), consumption.workers()
    is_down = hints.is_down()
    is_late = state.oldest is not None and state.oldest < timezone.now() - PATIENCE
    is_running = bool(state.imports) or any(vars(job)["leased"] for job in state.jobs)
    waits = is_late and not is_running
    context = {
        "site_state": state,
        "is_well": not (trouble or is_down or waits) and not any(worker.is_missing for worker in seen),
        "waits": waits,
        "failed": [(at, dataset, run, run and errors[run.pk]) for at, dataset, run in state.failed],
        "ended": ended[:SHOWN],
        "ended_before": ended[SHOWN:],
        "runs_before": sum(len(row.jobs) for row in ended[SHOWN:]),
        "idle": ", ".join(words for words, rows in found.items() if not rows),
        "trouble": trouble,
        "workers": seen,
        "calls": calls,
        "broker_is_down": is_down,
        "caches": budget,
    }
    return render(request, "site/workers.html", context)


urlpatterns = [path("workers/", workers, name="workers")]
