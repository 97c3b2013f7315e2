"""The lists of experiments and evaluators of a project, and the search by name for all lists."""

from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluations import kinds
from evaluations.comparisons import overviews
from evaluations.kinds import Kind
from evaluations.kinds.kind import Direction
from evaluations.models import Evaluator, EvaluatorVersion

from . import experiment_order, visible
from .frame import Frame, frame, project_or_404
from .paging import Page, paged
from .verdicts import listing

EXPERIMENTS, EVALUATORS = 20, 50


class NamedPage(TypedDict):
    page: Page
    search: str


class NamedList(Frame, NamedPage):
    """A list of named objects, the newest first."""


class ExperimentList(NamedList):
    experiments: list[listing.Row]
    axis: SafeString
    heads: dict[str, experiment_order.Head]


@dataclass(frozen=True)
class ListedEvaluator:
    """An evaluator with its newest version."""

    evaluator: Evaluator
    version: EvaluatorVersion
    kind: Kind
    direction: Direction


class EvaluatorList(NamedList):
    evaluators: list[ListedEvaluator]


def named_page(request: HttpRequest, objects: QuerySet, size: int = 50) -> NamedPage:
    """One page of the objects whose name contains `?q=`, newest first."""
    matching, search = named(request, objects)
    return NamedPage(page=paged(request, matching, "pk", size, newest_first=True), search=search)


def named(request: HttpRequest, objects: QuerySet) -> tuple[QuerySet, str]:
    """The objects whose name contains `?q=`, and the searched text."""
    search = request.GET.get("q", "").strip()
    return objects.filter(name__icontains=search) if search else objects, search


@require_safe
def experiment_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    matching, search = named(request, visible.experiments_of(project))
    ranked = experiment_order.ranked(matching, request.GET.get("sort", ""))
    page = paged(request, ranked, "rank", EXPERIMENTS)
    shown = overviews.load(page.rows)
    context = ExperimentList(
        **frame(request, project, "experiments"),
        page=page,
        search=search,
        experiments=listing.rows(shown),
        axis=listing.drawn_axis(shown),
        heads=experiment_order.heads(request, project),
    )
    return render(request, "evaluations/experiment_list.html", context)


@require_safe
def evaluator_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    scored = Count("versions__scorings__run", Q(versions__scorings__run__deleted_at=None), distinct=True)
    evaluators = Evaluator.objects.live().filter(project=project).annotate(run_count=scored)
    listed = named_page(request, evaluators, EVALUATORS)
    context = EvaluatorList(
        **frame(request, project, "evaluators"), **listed, evaluators=_with_versions(listed["page"].rows)
    )
    return render(request, "evaluations/evaluator_list.html", context)


def _with_versions(evaluators: list[Evaluator]) -> list[ListedEvaluator]:
    versions = EvaluatorVersion.objects.filter(evaluator__in=evaluators).order_by("number")
    newest = {version.evaluator_id: version for version in versions}
    return [_listed(evaluator, newest[evaluator.pk]) for evaluator in evaluators]


def _listed(evaluator: Evaluator, version: EvaluatorVersion) -> ListedEvaluator:
    kind = kinds.get(version.kind)
    return ListedEvaluator(evaluator, version, kind, kind.better(kind.parse(version.config)))


urlpatterns = [
    path("p/<slug:slug>/experiments/", experiment_list, name="experiment-list"),
    path("p/<slug:slug>/evaluators/", evaluator_list, name="evaluator-list"),
]
