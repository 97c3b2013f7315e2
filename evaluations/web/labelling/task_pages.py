"""The list of tasks, one task's page, and who is asked in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.access.addresses import public_address
from evaluations.comparisons import win_rates
from evaluations.comparisons.win_rates import WinRate
from evaluations.kinds.people import Answers, PeopleConfig
from evaluations.labelling import adjudication, links, presence, raters, sets, tallies, tasks
from evaluations.models import Experiment, LabelTask, Project, RaterLink, Run
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import grouped, plural

from ..forms.ask_people import AnnotatorForm, LinkForm
from ..page_tools import shown_once, visible
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.paging import paged
from ..page_tools.request import HttpRequest
from ..page_tools.shown_once import ShownOnce
from . import after_trial

OFFERED = 10  # the newest experiments about which the list offers to ask people


@dataclass(frozen=True)
class ListedTask:
    """A task with what tells it from others that ask the same: the experiment and its variants."""

    task: LabelTask
    config: PeopleConfig
    progress: tasks.Progress

    @property
    def experiment(self) -> str:
        return next((run.experiment.name for run in self.task.runs.all()), "")

    @property
    def is_rateable(self) -> bool:
        """Whether there may be answers left to rate."""
        is_open = self.task.closed_at is None
        return is_open and (not self.progress.done or self.progress.done < self.progress.total)

    @property
    def variants(self) -> list[str]:
        return [run.variant for run in self.task.runs.all()]


@require_safe
def task_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The tasks of a project, the newest first; `?q=` finds them by label set or experiment."""
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()
    tasks_here = _listed(search).filter(project=project)
    page = paged(request, tasks_here, "pk", 50, newest_first=True)
    listed = [ListedTask(task, sets.config_of(task.version), tasks.progress(task)) for task in page.rows]
    context = frame(request, project, "labels") | {
        "page": page,
        "listed": listed,
        "search": search,
        "api_call": curl(request, "/api/v1/label-tasks/"),
        "experiments": _askable(project) if page.rows or search else [],
        "has_experiments": bool(page.rows or search) or visible.experiments_of(project).exists(),
    }
    return render(request, "labels/task_list.html", context)


def _listed(search: str) -> QuerySet[LabelTask]:
    listed = presence.shown().select_related("project", "version__evaluator")
    if search:
        about = Run.objects.filter(label_tasks=OuterRef("pk"), experiment__name__has=search)
        listed = listed.filter(Q(version__evaluator__name__has=search) | Exists(about))
    return listed.prefetch_related(Prefetch("runs", Run.objects.select_related("experiment").order_by("pk")))


def _askable(project: Project) -> QuerySet[Experiment]:
    """The newest experiments with answers."""
    answered = Run.objects.live().filter(experiment=OuterRef("pk"), status=Run.Status.COMPLETED)
    return visible.experiments_of(project).filter(Exists(answered)).order_by("-pk")[:OFFERED]


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
) -> HttpResponse:
    framed = frame(request, task.project, "labels")
    runs = list(task.runs.filter(deleted_at=None).select_related("experiment"))
    context = {
        **framed,
        "task": task,
        "api_call": curl(request, f"/api/v1/label-tasks/{task.pk}/"),
        "experiment": runs[0].experiment if runs else None,
        "evaluator": task.version.evaluator,
        "config": sets.config_of(task.version),
        "runs": runs,
        "progress": (progress := tasks.progress(task)),
        "about": about(tasks.by_item(task), progress.raters, sets.config_of(task.version).answers),
        "items": task.items.count(),
        "tallies": tallies.of_task(task),
        "win": _win(task),
        "people": raters.told(task, with_names="admin" in framed["may"]),
        "links": list(_open_links(task)) if "write" in framed["may"] else [],
        "annotators": raters.annotators(task) if "write" in framed["may"] else [],
        # answers on which raters differ
        "differing": adjudication.undecided(task),
        # labels that are not in the columns yet
        "waiting": task.changed_at is not None and task.drawn != LabelTask.Drawn.TRIAL,
        "link_form": form or LinkForm(),
        # leads from a trial to the form that asks people
        "query_after": after_trial.query(request, task),
    }
    return shown_once.page(request, "labels/label_task.html", context, form.status if form else 200)


def about(by_item: Sequence[int], people: int, answers: Answers) -> str:
    """Such as "on 80 answers, each by 2 people": what the labels are about, and who gave them."""
    on = f"on {plural(len(by_item), 'pair' if answers == 'pair' else 'answer')}"
    everybody, several = plural(people, "person", "people"), sum(count > 1 for count in by_item)
    if several and len({*by_item}) == 1:
        of = f" of {grouped(people)}" if people > by_item[0] else ""
        return f"{on}, each by {grouped(by_item[0])}{of} people"
    if several:
        by = "both of 2 people" if people == 2 else f"several of {everybody}" if people else "several people"
        return f"{on}, {grouped(several)} of them by {by}"
    return f"{on}, each by one of {everybody}" if people > 1 else f"{on}, by {everybody}" if people else on


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
    """Make a link for somebody without an account, whose address the page of the task shows once."""
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
    return shown_once.lead_to(request, reverse("labeltask-detail", args=[pk]), shown)


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


urlpatterns = [
    path("p/<slug:slug>/tasks/", task_list, name="labeltask-list"),
    path("labels/<int:pk>/", label_task, name="labeltask-detail"),
    path("labels/<int:pk>/close/", label_task_close, name="labeltask-close"),
    path("labels/<int:pk>/links/", label_task_link, name="labeltask-links"),
    path("labels/<int:pk>/links/<int:link>/withdraw/", label_task_withdraw, name="labeltask-link-remove"),
    path("labels/<int:pk>/raters/", label_task_raters, name="labeltask-raters"),
    path("labels/<int:pk>/raters/<int:number>/forget/", label_task_forget, name="labeltask-forget"),
    path("labels/<int:pk>/raters/<int:number>/delete/", label_task_unlabel, name="labeltask-rater-remove"),
]
