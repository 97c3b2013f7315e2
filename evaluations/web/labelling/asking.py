"""Asking people: the form of a task, the list of tasks, one task's page, and labels from a file."""

import secrets
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.access.addresses import public_address
from evaluations.comparisons import win_rates
from evaluations.comparisons.win_rates import WinRate
from evaluations.datasets import live_positions
from evaluations.errors import Conflict
from evaluations.experiments import experiments
from evaluations.imports import score_files
from evaluations.imports.uploads import uploads
from evaluations.ingest import Limits
from evaluations.kinds.people import PeopleConfig, people
from evaluations.labelling import adjudication, links, raters, sent_labels, sets, tallies, tasks
from evaluations.labelling.raters import Told
from evaluations.labelling.tallies import Tally
from evaluations.models import Evaluator, Experiment, LabelTask, Membership, Project, RaterLink, Run
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import plural

from ..experiments.experiments import listed
from ..forms.ask_people import AnnotatorForm, AskPeopleForm, LinkForm, SentLabelsForm
from ..page_tools import visible
from ..page_tools.frame import Frame, frame, object_or_404, project_or_404
from ..page_tools.paging import Page, paged
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status
from ..page_tools.shown_once import ShownOnce
from ..runs.selection import RunSelection
from . import gain
from .gain import Gain

REVIEWED = "reviewed"  # the label set of reviews that start from the rows of a run


class AskPeoplePage(Frame):
    experiment: Experiment
    form: AskPeopleForm
    gain: Gain


@dataclass(frozen=True)
class ListedTask:
    task: LabelTask
    config: PeopleConfig
    progress: tasks.Progress


class TasksPage(Frame):
    page: Page
    listed: list[ListedTask]


class TaskPage(Frame):
    """`waiting` says that labels are not in the columns yet; `differing` counts answers on which raters differ."""

    task: LabelTask
    evaluator: Evaluator
    config: PeopleConfig
    runs: list[Run]
    progress: tasks.Progress
    tallies: list[Tally]
    win: WinRate | None
    people: list[Told]
    links: list[RaterLink]
    annotators: list[Membership]
    differing: int
    waiting: bool
    shown_once: ShownOnce | None
    link_form: LinkForm
    most_days: int


@require_http_methods(["GET", "HEAD", "POST"])
def ask_people(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose what people are asked about the variants of an experiment."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    runs = experiments.scorable_runs(experiment)
    form_data = request.POST if request.method == "POST" else None
    groups = experiment.dataset.columns.get("metadata", [])
    form = AskPeopleForm(form_data, runs, label_sets(experiment.project), groups)
    is_told = request.htmx.target == "gain"  # only what it would cost
    if not is_told and (task := form.do(lambda: _start(request, experiment, runs, form))):
        return redirect("labeltask-detail", task.pk)
    context = AskPeoplePage(
        **frame(request, experiment.project, "experiments"),
        experiment=experiment,
        form=form,
        gain=_gain(experiment, form, runs),
    )
    if is_told:
        return render(request, "labels/_gain.html", context)
    return render(request, "labels/ask_people.html", context, status=form.status)


def _gain(experiment: Experiment, form: AskPeopleForm, runs: list[Run]) -> Gain:
    """What the form asks for now, as far as it is filled."""
    variants = form.number_of_runs or 1
    answered = max((run.output_count or 0 for run in runs), default=0)
    return gain.of(
        experiment.project,
        examples=min(form.number("size"), answered) or 1,
        variants=variants,
        raters=form.number("raters") or 1,
        overlap=form.number("overlap") / 100,
        is_pair=form["answers"].value() == "pair",
    )


def label_sets(project: Project) -> list[Evaluator]:
    found = Evaluator.objects.live().filter(project=project, versions__kind=people.key)
    return list(found.distinct().order_by("name"))


@transaction.atomic
def _start(request: HttpRequest, experiment: Experiment, runs: list[Run], form: AskPeopleForm) -> LabelTask:
    evaluator = form.label_set_of(experiment.project, request.user)
    chosen = [run for run in runs if run.pk in form.chosen_runs]
    return tasks.create(evaluator, request.user, chosen, form.plan(secrets.randbelow(2**31)))


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


# ---- tasks ---------------------------------------------------------------------------------------------------


@require_safe
def task_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All tasks of a project, the newest first."""
    project = project_or_404(request, slug)
    page = paged(request, _tasks().filter(project=project), "pk", 50, newest_first=True)
    listed = [ListedTask(task, sets.config_of(task.version), tasks.progress(task)) for task in page.rows]
    context = TasksPage(**frame(request, project, "labels"), page=page, listed=listed)
    return render(request, "labels/task_list.html", context)


def _tasks() -> OwnedQuerySet[LabelTask]:
    return LabelTask.objects.live().select_related("project", "version__evaluator")


@require_safe
def label_task(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a task is, who labels in it, and what they said."""
    return _page(request, object_or_404(request, _tasks(), pk))


def _page(
    request: HttpRequest,
    task: LabelTask,
    form: LinkForm | None = None,
    shown_once: ShownOnce | None = None,
) -> HttpResponse:
    framed = frame(request, task.project, "labels")
    context = TaskPage(
        **framed,
        task=task,
        evaluator=task.version.evaluator,
        config=sets.config_of(task.version),
        runs=list(task.runs.filter(deleted_at=None).select_related("experiment")),
        progress=tasks.progress(task),
        tallies=tallies.of_task(task),
        win=_win(task),
        people=raters.told(task, with_names="admin" in framed["may"]),
        links=list(_open_links(task)) if "write" in framed["may"] else [],
        annotators=raters.annotators(task) if "write" in framed["may"] else [],
        differing=adjudication.undecided(task),
        waiting=task.changed_at is not None,
        shown_once=shown_once,
        link_form=form or LinkForm(),
        most_days=links.MOST_DAYS,
    )
    status = 201 if shown_once else form.status if form else 200
    return render(request, "labels/label_task.html", context, status=status)


def _win(task: LabelTask) -> WinRate | None:
    if sets.config_of(task.version).answers != "pair":
        return None
    runs = task.runs.filter(deleted_at=None).select_related("experiment__dataset", "project").order_by("pk")
    return win_rates.of_pair(task.version, list(runs))


def _open_links(task: LabelTask) -> QuerySet[RaterLink]:
    return links.working().filter(task=task)


@require_POST
def label_task_close(request: HttpRequest, pk: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "write")
    tasks.close(task)
    messages.success(request, "The task has ended; its labels are in the columns of its runs.")
    return redirect("labeltask-detail", pk)


# ---- who is asked --------------------------------------------------------------------------------------------


@require_POST
def label_task_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a link for somebody without an account, and show its address once."""
    task = object_or_404(request, _tasks(), pk, "write")
    form = LinkForm(request.POST)
    made = form.do(lambda: links.create(task, request.user, form.cleaned_data["days"]))
    if made is None:
        return _page(request, task, form)
    _, token = made
    shown = ShownOnce(
        "A link for one person",
        "Whoever opens it labels in this task and sees nothing else. It is shown only now.",
        public_address(request, reverse("rater-join", args=[token])),
    )
    request.audited_thing = task
    return _page(request, task, shown_once=shown)


@require_POST
def label_task_withdraw(request: HttpRequest, pk: int, link: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "write")
    links.withdraw(get_object_or_404(task.links.all(), pk=link))
    messages.success(request, "The link works no longer; labels that were given by it stay.")
    return redirect("labeltask-detail", pk)


@require_POST
def label_task_raters(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask an annotator of the project."""
    task = object_or_404(request, _tasks(), pk, "write")
    form = AnnotatorForm(request.POST, raters.annotators(task))
    if form.is_valid():
        raters.ask(task, form.chosen)
        messages.success(request, f"{form.chosen} finds this task after signing in.")
        return redirect("labeltask-detail", pk)
    return HttpResponse(status=404)


@require_POST
def label_task_forget(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "admin")
    raters.forget(get_object_or_404(task.people.all(), number=number))
    messages.success(request, f"Rater {number} has neither name nor account any more; the labels stay.")
    return redirect("labeltask-detail", pk)


@require_POST
def label_task_unlabel(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    task = object_or_404(request, _tasks(), pk, "admin")
    count = raters.delete_labels(get_object_or_404(task.people.all(), number=number))
    messages.success(request, f"{plural(count, 'label')} of rater {number} deleted.")
    return redirect("labeltask-detail", pk)


# ---- labels from a file --------------------------------------------------------------------------------------


class SentLabelsPage(Frame):
    evaluator: Evaluator
    config: PeopleConfig
    form: SentLabelsForm
    limits: Limits


@require_http_methods(["GET", "HEAD", "POST"])
def set_labels(request: HttpRequest, pk: int) -> HttpResponse:
    """Add labels that exist already, from a file."""
    sets_here = Evaluator.objects.live().filter(versions__kind=people.key).distinct()
    evaluator = object_or_404(request, sets_here, pk, "write")
    runs = list(_labelled_runs(evaluator.project))
    form = SentLabelsForm(*((request.POST, request.FILES) if request.method == "POST" else ()), runs=runs)
    if sent := form.do(lambda: _send(request, evaluator, form)):
        told = f"{plural(sent.stored, 'label')} of {plural(sent.raters, 'rater')} added."
        if sent.left_out:
            told += f" Columns that were not read: {', '.join(sent.left_out)}."
        messages.success(request, told)
        return go_to(request, reverse("labeltask-detail", args=[sent.task.pk]))
    context = SentLabelsPage(
        **frame(request, evaluator.project, "evaluators"),
        evaluator=evaluator,
        config=sets.config_of(sets.newest_of(evaluator)),
        form=form,
        limits=uploads.LIMITS,
    )
    return render(request, "labels/set_labels.html", context, status=shown_status(request, form.status))


def _labelled_runs(project: Project) -> QuerySet[Run]:
    complete = visible.runs().filter(project=project, status__in=[Run.Status.COMPLETED, Run.Status.CANCELLED])
    return complete.order_by("-pk")[:200]


def _send(request: HttpRequest, evaluator: Evaluator, form: SentLabelsForm) -> sent_labels.Sent:
    with uploads.parked(evaluator.project, request.user, form.chosen_file) as upload:
        read = score_files.read(upload, form.columns())
    labels = sent_labels.of_rows(read.scores)
    sent = sent_labels.send(
        evaluator, request.user, form.chosen_run, labels, is_random=form.cleaned_data["random"]
    )
    return sent_labels.Sent(sent.task, sent.stored, sent.raters, sent.unsure, read.left_out)


urlpatterns = [
    path("p/<slug:slug>/tasks/", task_list, name="labeltask-list"),
    path("experiments/<int:pk>/people/", ask_people, name="ask-create"),
    path("runs/<int:pk>/review/", run_review, name="run-review"),
    path("experiments/<int:pk>/review/", experiment_review, name="experiment-review"),
    path("labels/<int:pk>/", label_task, name="labeltask-detail"),
    path("labels/<int:pk>/close/", label_task_close, name="labeltask-close"),
    path("labels/<int:pk>/links/", label_task_link, name="labeltask-links"),
    path("labels/<int:pk>/links/<int:link>/withdraw/", label_task_withdraw, name="labeltask-link-remove"),
    path("labels/<int:pk>/raters/", label_task_raters, name="labeltask-raters"),
    path("labels/<int:pk>/raters/<int:number>/forget/", label_task_forget, name="labeltask-forget"),
    path("labels/<int:pk>/raters/<int:number>/delete/", label_task_unlabel, name="labeltask-rater-remove"),
    path("evaluators/<int:pk>/labels/", set_labels, name="labelset-labels"),
]
