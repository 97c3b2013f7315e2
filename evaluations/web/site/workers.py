"""The queue and the workers of the whole site, for its administrators."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluations import hints
from evaluations.access import accounts
from evaluations.engine import consumption
from evaluations.evaluators import waiting_calls
from evaluations.judges import at_work
from evaluations.launches import states
from evaluations.models import Job, Project
from evaluations.process_cache import budget

from ..page_tools import series
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
    """Jobs that did the same with runs of one experiment, or of a series of them; the one that ended last first."""

    jobs: list[Any]  # each with its duration `took`
    purpose: Purpose

    @property
    def last(self) -> Any:
        return self.jobs[0]

    @property
    def took(self) -> list[timedelta]:
        """The shortest and the longest time, or the only one."""
        return sorted({min(job.took for job in self.jobs), max(job.took for job in self.jobs)})

    @property
    def name(self) -> str:
        """Of the experiment, or of the series."""
        names = list({job.run.experiment_id: job.run.experiment.name for job in self.jobs}.values())
        return series.span(names) if len(names) > 1 else names[0]

    @property
    def address(self) -> str:
        """The page of the experiment, or the list with the series open."""
        run = self.last.run
        if len({job.run.experiment_id for job in self.jobs}) == 1:
            return reverse("experiment-detail", args=[run.experiment_id])
        opened = urlencode({series.OPEN: series.stem(run.experiment.name)})
        return f"{reverse('experiment-list', args=[run.project.slug])}?{opened}"


def _ended(jobs: Iterable[Any]) -> list[Ended]:
    """One row for what was done alike with the runs of an experiment, and for experiments of a series."""
    alike: dict[tuple[int, Purpose], dict[int, list[Any]]] = {}
    for job in jobs:
        of_experiments = alike.setdefault((job.total, Purpose.of(job)), {})
        of_experiments.setdefault(job.run.experiment_id, []).append(job)
    found: list[Ended] = []
    for (_, purpose), of_experiments in alike.items():
        found += [Ended(rows, purpose) for rows in _in_series(of_experiments.values())]
    return sorted(found, key=lambda row: row.last.finished_at, reverse=True)


def _in_series(of_experiments: Iterable[list[Any]]) -> Iterator[list[Any]]:
    by_stem: dict[tuple[int, str | int], list[list[Any]]] = {}
    for jobs in of_experiments:
        run = jobs[0].run
        stem = series.stem(run.experiment.name) or run.experiment_id
        by_stem.setdefault((run.project_id, stem), []).append(jobs)
    for alike in by_stem.values():
        if len(alike) < series.FEWEST:
            yield from alike
        else:
            yield sorted(chain(*alike), key=lambda job: job.finished_at, reverse=True)


@require_safe
def workers(request: HttpRequest) -> HttpResponse:
    """Waiting and running work, its speed, and the latest errors."""
    accounts.require_administrator(request.user, "see the workers")
    state, calls = consumption.site_state(), waiting_calls.calls()
    judges = at_work.everywhere(consumption.MOST_LISTED)
    found = {
        "no file is being read": state.imports,
        "no model is asked": calls,
        "no judge reads": judges,
        "no run is being scored": state.jobs,
        "none was scored within the last hour": state.ended,
        "nothing failed lately": state.failed,
    }
    errors = states.errors(state.failed_runs)
    ended = _ended(state.ended)
    trouble, seen = trouble_of_workers(), consumption.workers()
    is_down = hints.is_down()
    has_projects = Project.objects.filter(deleted_at=None).count() > 1
    is_late = state.oldest is not None and state.oldest < timezone.now() - PATIENCE
    is_running = bool(state.imports) or any(vars(job)["leased"] for job in [*state.jobs, *state.asking])
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
        "judges": judges,
        "broker_is_down": is_down,
        "caches": budget,
        "has_projects": has_projects,
        "of_project": "Project," if has_projects else "",  # a column
    }
    return render(request, "site/workers.html", context)


urlpatterns = [path("workers/", workers, name="workers")]
