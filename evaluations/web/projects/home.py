"""The front page of a project: its experiments with their verdicts, work in progress, datasets and evaluators."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from evaluations.access import permissions
from evaluations.comparisons import overviews
from evaluations.comparisons.overviews import Overview
from evaluations.experiments import samples, saved_views
from evaluations.judges import sample as people_sample
from evaluations.labelling import raters
from evaluations.launches import going
from evaluations.launches.going import Going
from evaluations.models import Dataset, Evaluator, Experiment, Import, Project, Run
from evaluations.numerals import whole

from ..datasets.listed import DatasetLine, in_lines
from ..experiments import lines
from ..experiments import order as experiment_order
from ..page_tools import recent, series, sorting, visible
from ..page_tools.calls import first_upload_call
from ..page_tools.frame import Context, frame, project_or_404, user_projects, with_slug
from ..page_tools.request import HttpRequest
from ..page_tools.sample_note import offers_removal
from . import attention
from .legend import LEGEND

EXPERIMENTS, SIDE_ITEMS, WORKING = 8, 5, 4
MOST_OPEN = 500  # runs in progress that are counted


@require_safe
@vary_on_headers("HX-Request")
def home(request: HttpRequest) -> HttpResponse:
    """The front page of the project opened last, else of the oldest in the menu."""
    projects = user_projects(request)
    if not projects and raters.asked_of(request.user).exists():
        return redirect("asked-list")
    if not projects:
        return render(request, "projects/no_project.html")
    last = with_slug(request, request.session.get("project", ""))
    return front_page(request, last or min(projects, key=lambda project: project.pk))


@require_safe
@vary_on_headers("HX-Request")
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    return front_page(request, project_or_404(request, slug))


@dataclass(frozen=True)
class Working:
    """The work in progress: by experiment, and files that are read."""

    going: dict[int, Going]
    names: dict[int, str]
    files: list[Import]

    @property
    def is_moving(self) -> bool:
        """Whether something goes on without a person."""
        return bool(self.files) or not all(one.waits for one in self.going.values())

    def besides(self, listed: Collection[int]) -> list[tuple[int, str, Going]]:
        """The first experiments in progress that a page does not list anyway."""
        rest = [(pk, self.names[pk], one) for pk, one in self.going.items() if pk not in listed]
        return [one for one in rest if not one[2].waits][:WORKING]


def front_page(request: HttpRequest, project: Project) -> HttpResponse:
    at_work = working(project)
    if request.htmx:
        return _progress(request, project, at_work)
    newest = list(experiment_order.by_finish(visible.experiments_of(project))[: series.MOST])
    sample = _sample(project, newest)
    shown = overviews.load(newest[: series.needed([one.name for one in newest], EXPERIMENTS)])
    table = lines.listed(request, shown, at_work.going, EXPERIMENTS)
    page = {
        **frame(request, project, "experiments", sample),
        "attention": attention.of(project, shown, at_work.going),
        **_at_work(at_work, table.shown),
        "lines": table.lines,
        "axis": table.axis,
        "heads": sorting.heads(
            request, experiment_order.COLUMNS, reverse("experiment-list", args=[project.slug])
        ),
        "has_more": sum(len(line.line.things) for line in table.lines) < len(newest),
        "datasets": recent_datasets(request, project, shown),
        "evaluators": recent_evaluators(project),
        "views": [
            (view, settings.PATH + view.path)
            for view in saved_views.of_project(project, request.user)[: SIDE_ITEMS * 2]
        ],
        "opened": recent.opened(request, project),
        "removes_sample": offers_removal(request, [sample] if sample else []),
        "upload_call": first_upload_call(request),
        "legend": LEGEND,
    }
    return render(request, "projects/home.html", page)


def _at_work(at_work: Working, listed: Collection[int]) -> Context:
    """The part that htmx polls; the figures of listed experiments are swapped in their rows, which it names again."""
    swapped = [(pk, at_work.going[pk]) for pk in listed if pk in at_work.going]
    return {
        "is_moving": at_work.is_moving,
        "files": at_work.files,
        "besides": at_work.besides(listed),
        "swapped": swapped,
        "rows": ",".join(str(pk) for pk, _ in swapped),
    }


def _progress(request: HttpRequest, project: Project, at_work: Working) -> HttpResponse:
    """The part that htmx polls while work is in progress; once it has ended, the whole page is reloaded."""
    if not at_work.is_moving:
        return HttpResponseClientRefresh()
    listed = [pk for pk in map(whole, request.GET.get("rows", "").split(",")) if pk is not None]
    part = {**frame(request, project), **_at_work(at_work, listed), "is_swap": True}
    return render(request, "projects/home.html#working", part)


def _sample(project: Project, listed: list[Experiment]) -> Experiment | None:
    """The sample, taken from the listed experiments if these are all."""
    if len(listed) >= series.MOST:
        return samples.experiment_of(project)
    sample = next(filter(samples.is_sample, listed), None)
    if sample:
        sample.project = project  # which permissions read
    return sample


def recent_datasets(
    request: HttpRequest, project: Project, shown_experiments: Sequence[Overview]
) -> list[DatasetLine]:
    datasets = Dataset.objects.live().filter(project=project)
    shown = datasets.only("name", "status", "version", "example_count")
    newest = list(shown.order_by("-pk")[: series.MOST])
    newest = newest[: series.needed([dataset.name for dataset in newest], SIDE_ITEMS)]
    return in_lines(request, newest, shown_experiments, parameter="datasets", most=SIDE_ITEMS)


def recent_evaluators(project: Project) -> QuerySet[Evaluator]:
    """The newest evaluators, with the number of runs they scored."""
    scored = Count("versions__scorings__run", Q(versions__scorings__run__deleted_at=None), distinct=True)
    evaluators = Evaluator.objects.live().filter(project=project)
    return evaluators.only("name", "version").annotate(run_count=scored).order_by("-pk")[:SIDE_ITEMS]


def working(project: Project) -> Working:
    """The runs in progress, by experiment, and the files."""
    runs = Run.objects.filter(project=project, deleted_at=None, status__in=Run.OPEN)
    live = runs.filter(experiment__deleted_at=None).select_related("experiment")
    by_experiment: dict[int, list[Run]] = {}
    names: dict[int, str] = {}
    for run in live.order_by("pk")[:MOST_OPEN]:
        by_experiment.setdefault(run.experiment_id, []).append(run)
        names[run.experiment_id] = run.experiment.name
    reading = Import.objects.filter(dataset__project=project, dataset__deleted_at=None)
    files = reading.only("dataset", "filename", "size", "bytes_done", "rows_done")[:WORKING]
    return Working(going.of_experiments(by_experiment), names, list(files))


# ---- sample project ----------------------------------------------------------------------------------------


@require_POST
def sample_load(request: HttpRequest, slug: str) -> HttpResponse:
    people_sample.load(project_or_404(request, slug, "write"), request.user)
    return redirect("project-home", slug)


@require_POST
def sample_remove(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug, "write")
    if sample := samples.experiment_of(project):
        permissions.require_removal(request.user, sample)
    people_sample.remove(project)
    return redirect("project-home", slug)


urlpatterns = [
    path("", home, name="home"),
    path("p/<slug:slug>/", project_home, name="project-home"),
    path("p/<slug:slug>/sample/", sample_load, name="sample-load"),
    path("p/<slug:slug>/sample/remove/", sample_remove, name="sample-remove"),
]
