"""Preview of the changes that newer versions of evaluators would make to the runs of an experiment."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluations.comparisons import previews
from evaluations.evaluators import evaluators as evaluators_here
from evaluations.evaluators import whole_references
from evaluations.experiments import experiments
from evaluations.models import Evaluator, Experiment
from evaluations.numerals import whole

from ..page_tools import visible
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest


@require_safe
def experiment_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Preview the evaluators `?evaluators=3,4`, by default all with a newer version; nothing is stored."""
    experiment = object_or_404(request, visible.experiments(), pk)
    evaluators = _named_evaluators(request, experiment) or previews.outdated(experiment)
    ids = ",".join(str(evaluator.pk) for evaluator in evaluators)
    references = experiment.dataset.columns.get("reference", [])
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "preview": previews.preview(experiment, evaluators) if evaluators else None,
        "whole_references": whole_references.warnings(experiments.newest(evaluators), references),
        "api_call": curl(request, f"/api/v1/experiments/{pk}/preview/?evaluators={ids}"),
    }
    return render(request, "experiments/experiment_preview.html", context)


def _named_evaluators(request: HttpRequest, experiment: Experiment) -> list[Evaluator]:
    """The evaluators in the address; 404 if one does not exist."""
    texts = request.GET.get("evaluators", "").split(",")
    ids = {pk for text in texts if (pk := whole(text)) is not None}
    project_evaluators = evaluators_here.computed(experiment.project).filter(pk__in=ids).order_by("pk")
    if len(project_evaluators) < len(ids):
        raise Http404
    return list(project_evaluators)


urlpatterns = [path("experiments/<int:pk>/preview/", experiment_preview, name="experiment-preview")]
