"""Asking people: the form of a task, its page, and the page of a rater."""

import secrets

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.errors import Refusal
from evaluations.experiments import experiments
from evaluations.kinds.people import PeopleConfig, people
from evaluations.labelling import rating, sets, tasks
from evaluations.models import Evaluator, Experiment, Label, LabelTask, Run
from evaluations.models.owned import OwnedQuerySet

from ..forms.ask_people import AskPeopleForm
from ..page_tools import visible
from ..page_tools.frame import Frame, frame, object_or_404
from ..page_tools.request import HttpRequest

SECONDS = 15  # for one label, before anything is known
KEYS = {"pass": "P", "fail": "F"}


class AskPeoplePage(Frame):
    experiment: Experiment
    form: AskPeopleForm


class TaskPage(Frame):
    """`waiting` says that labels are not in the columns yet."""

    task: LabelTask
    evaluator: Evaluator
    config: PeopleConfig
    runs: list[Run]
    progress: tasks.Progress
    waiting: bool


@require_http_methods(["GET", "HEAD", "POST"])
def ask_people(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose what people are asked about the variants of an experiment."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    runs = experiments.scorable_runs(experiment)
    label_sets = Evaluator.objects.live().filter(project=experiment.project, versions__kind=people.key)
    form_data = request.POST if request.method == "POST" else None
    form = AskPeopleForm(form_data, runs, list(label_sets.distinct().order_by("name")))
    if task := form.do(lambda: _start(request, experiment, runs, form)):
        return redirect("labeltask-detail", task.pk)
    context = AskPeoplePage(
        **frame(request, experiment.project, "experiments"), experiment=experiment, form=form
    )
    return render(request, "labels/ask_people.html", context, status=form.status)


@transaction.atomic
def _start(request: HttpRequest, experiment: Experiment, runs: list[Run], form: AskPeopleForm) -> LabelTask:
    evaluator = form.label_set_of(experiment.project, request.user)
    chosen = [run for run in runs if run.pk in form.chosen_runs]
    return tasks.create(evaluator, request.user, chosen, form.plan(secrets.randbelow(2**31)))


@require_safe
def label_task(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a task is, and where its labels are."""
    task = object_or_404(request, _tasks(), pk)
    context = TaskPage(
        **frame(request, task.project, "experiments"),
        task=task,
        evaluator=task.version.evaluator,
        config=sets.config_of(task.version),
        runs=list(task.runs.filter(deleted_at=None).select_related("experiment")),
        progress=tasks.progress(task),
        waiting=task.changed_at is not None,
    )
    return render(request, "labels/label_task.html", context)


def _tasks() -> OwnedQuerySet[LabelTask]:
    return LabelTask.objects.live().select_related("project", "version__evaluator")


@require_POST
def label_task_close(request: HttpRequest, pk: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "write")
    tasks.close(task)
    messages.success(request, "The task has ended; its labels are in the columns of its runs.")
    return redirect("labeltask-detail", pk)


# ---- the page of a rater -------------------------------------------------------------------------------------


@never_cache
@require_safe
def label_rate(request: HttpRequest, pk: int) -> HttpResponse:
    """The item that this person holds, and nothing that tells whose answer it is."""
    task = object_or_404(request, _tasks(), pk, "write")
    rater = rating.known_rater(task, request.user)
    seat = rating.held(rater) if rater else None
    config = sets.config_of(task.version)
    mine = Label.objects.filter(rater=rater, withdrawn_at=None) if rater else Label.objects.none()
    progress = tasks.progress(task)
    context = {
        "task": task,
        "config": config,
        "version": task.version,
        "shown": rating.shown(rater, seat) if rater and seat else None,
        "lease_until": seat.lease_until if seat else None,
        "choices": [(answer, KEYS.get(answer, str(n))) for n, answer in enumerate(config.choices, 1)],
        "last": mine.order_by("-pk").first(),
        "rated": mine.count(),
        "progress": progress,
        "seconds_left": (progress.total - progress.done) * SECONDS,
        "keys": request.GET.get("keys") != "off",
        "note": request.session.pop("kept_note", ""),
    }
    return render(request, "labels/rate.html", context)


@require_POST
def label_begin(request: HttpRequest, pk: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "write")
    rating.begin(rating.rater_of(task, request.user))
    return _back(request, pk)


@require_POST
def label_store(request: HttpRequest, pk: int) -> HttpResponse:
    """Store the label and show the next item. A lost lease keeps the note."""
    task = object_or_404(request, _tasks(), pk, "write")
    get_object_or_404(task.items, token=request.POST.get("item", ""))
    rater = rating.rater_of(task, request.user)
    answer = request.POST.get("value", "")
    try:
        rating.rate(
            rater,
            request.POST.get("item", ""),
            request.POST.get("lease", ""),
            None if answer == "unsure" else answer,
            request.POST.get("note", ""),
        )
    except Refusal as refusal:
        messages.error(request, refusal.message)
        request.session["kept_note"] = request.POST.get("note", "")[: rating.LONGEST_NOTE]
    rating.begin(rater)
    return _back(request, pk)


@require_POST
def label_undo(request: HttpRequest, pk: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "write")
    rating.undo(rating.rater_of(task, request.user))
    return _back(request, pk)


def _back(request: HttpRequest, pk: int) -> HttpResponse:
    answer = redirect("labeltask-rate", pk)
    if request.POST.get("keys") == "off":
        answer["Location"] += "?keys=off"
    return answer


urlpatterns = [
    path("experiments/<int:pk>/people/", ask_people, name="ask-create"),
    path("labels/<int:pk>/", label_task, name="labeltask-detail"),
    path("labels/<int:pk>/close/", label_task_close, name="labeltask-close"),
    path("labels/<int:pk>/rate/", label_rate, name="labeltask-rate"),
    path("labels/<int:pk>/begin/", label_begin, name="labeltask-begin"),
    path("labels/<int:pk>/store/", label_store, name="label-create"),
    path("labels/<int:pk>/undo/", label_undo, name="labeltask-undo"),
]
