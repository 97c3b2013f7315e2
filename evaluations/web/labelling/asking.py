"""Asking people: the form of a task, and reviews of listed rows."""

import secrets
from dataclasses import replace

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.datasets import live_positions
from evaluations.errors import Conflict
from evaluations.experiments import experiments
from evaluations.kinds.people import people
from evaluations.labelling import sets, tasks
from evaluations.models import Evaluator, Experiment, LabelTask, Project, Run
from evaluations.numerals import plural

from ..comparisons.examples import NARROWING
from ..comparisons.experiment_page import example_filter_of
from ..experiments.experiments import listed
from ..forms.ask_people import AskPeopleForm, Population
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest, posted
from ..runs.selection import RunSelection
from . import after_trial, gain
from .gain import Gain

REVIEWED = "reviewed"  # the label set of reviews that start from the rows of a run


@require_http_methods(["GET", "HEAD", "POST"])
def ask_people(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose what people are asked about the variants of an experiment."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    runs = experiments.scorable_runs(experiment)
    groups = experiment.dataset.columns.get("metadata", [])
    population = _population(request, experiment, runs)
    trial = _trial(request, experiment)
    chosen = after_trial.choices(request, trial) if trial else {}
    form = AskPeopleForm(posted(request), runs, label_sets(experiment.project), groups, trial, chosen)
    is_told = request.htmx.target == "gain"  # only what it would cost
    if not is_told and (task := form.do(lambda: _start(request, experiment, runs, form, population))):
        if not _is_trial(request):
            return redirect("labeltask-detail", task.pk)
        after_trial.remember(request, task)
        return redirect("labeltask-rate", task.pk)
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "form": form,
        "gain": _gain(experiment, form, runs, population),
        "population": population,
        "trial": tasks.TRIAL,
    }
    if is_told:
        return render(request, "labels/_gain.html", context)
    return render(request, "labels/ask_people.html", context, status=form.status)


def _population(request: HttpRequest, experiment: Experiment, runs: list[Run]) -> Population | None:
    """The examples that the page of the experiment lists at this address; None for all."""
    rows = listed(request, experiment, runs)
    if rows is None:
        return None
    every = live_positions.of_version(experiment.dataset, experiment.dataset_version).every
    positions = every[rows].tolist()
    return Population(positions, _told(request, experiment) or f"{plural(len(positions), 'listed example')}")


def _told(request: HttpRequest, experiment: Experiment) -> str:
    """The filters of an address by metadata, split and text in words; empty with one by scores."""
    if NARROWING & request.GET.keys():
        return ""
    chosen = example_filter_of(request, experiment.dataset)
    told = [f"{column} = {value}" for column, value in chosen.metadata]
    told += [chosen.split.name] if chosen.split else []
    told += [f"“{text}”"] if (text := request.GET.get("q", "").strip()) else []
    return ", ".join(told)[:300]


def _is_trial(request: HttpRequest) -> bool:
    return "trial" in request.POST


def _trial(request: HttpRequest, experiment: Experiment) -> LabelTask | None:
    """The trial after which people are asked the same."""
    tried = LabelTask.objects.live().filter(pk=number(request, "like") or 0, runs__experiment=experiment)
    return tried.select_related("version").first()


def _gain(
    experiment: Experiment, form: AskPeopleForm, runs: list[Run], population: Population | None
) -> Gain:
    """What the form asks for now, as far as it is filled."""
    variants = form.number_of_runs or 1
    answered = max((run.output_count or 0 for run in runs), default=0)
    answered = min(answered, len(population.positions)) if population else answered
    return gain.of(
        experiment.project,
        examples=min(form.number("size"), answered) or 1,
        most=answered,
        variants=variants,
        raters=form.number("raters") or 1,
        overlap=form.number("overlap") / 100,
        is_pair=form["answers"].value() == "pair",
        in_points=form["answers"].value() in ("pass_fail", "pair"),
    )


def label_sets(project: Project) -> list[Evaluator]:
    found = Evaluator.objects.live().filter(project=project, versions__kind=people.key)
    return list(found.distinct().order_by("name"))


@transaction.atomic
def _start(
    request: HttpRequest,
    experiment: Experiment,
    runs: list[Run],
    form: AskPeopleForm,
    population: Population | None,
) -> LabelTask:
    plan = form.plan(secrets.randbelow(2**31), population)
    evaluator = form.label_set_of(experiment.project, request.user, plan)
    chosen = [run for run in runs if run.pk in form.chosen_runs]
    if _is_trial(request):
        drawn = LabelTask.Drawn.TRIAL
        plan = replace(plan, drawn=drawn, size=min(tasks.TRIAL, plan.size), raters=1, overlap=0, stop=None)
    return tasks.create(evaluator, request.user, chosen, plan)


@require_POST
def run_review(request: HttpRequest, pk: int) -> HttpResponse:
    """Rate the selected rows of a run with its scores in sight."""
    run = object_or_404(request, visible.runs(), pk, "write")
    return _review(request, [run], RunSelection.from_request(request, run).positions())


@require_POST
def experiment_review(request: HttpRequest, pk: int) -> HttpResponse:
    """Rate all variants’ answers to the examples that the page at this address lists, with scores in sight."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    complete = (Run.Status.COMPLETED, Run.Status.CANCELLED)
    runs = [run for run in experiments.scorable_runs(experiment) if run.status in complete]
    rows = listed(request, experiment, runs)
    every = live_positions.of_version(experiment.dataset, experiment.dataset_version).every
    return _review(request, runs, (every if rows is None else every[rows]).tolist())


@transaction.atomic
def _review(request: HttpRequest, runs: list[Run], positions: list[int]) -> HttpResponse:
    """Start a task about these answers; such labels are marked, and no estimates."""
    if not runs:
        raise Conflict(
            "run_not_scorable", "No run of this experiment is complete; people label complete runs."
        )
    project = runs[0].project
    known = [known for known in label_sets(project) if known.name == REVIEWED]
    settings = {"purpose": "reading"}
    evaluator = known[0] if known else sets.create(project, request.user, REVIEWED, settings)
    plan = tasks.Plan(
        size=len(positions),
        seed=secrets.randbelow(2**31),
        overlap=0,
        drawn=LabelTask.Drawn.CHOSEN,
        positions=positions,
        is_blind=False,
    )
    task = tasks.create(evaluator, request.user, runs, plan)
    return redirect("labeltask-rate", task.pk)


urlpatterns = [
    path("experiments/<int:pk>/people/", ask_people, name="ask-create"),
    path("runs/<int:pk>/review/", run_review, name="run-review"),
    path("experiments/<int:pk>/review/", experiment_review, name="experiment-review"),
]
