"""What a newer version of an evaluator would change in the runs of an experiment, before it is applied."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluations.comparisons import previews
from evaluations.models import Evaluator

from . import visible
from .calls import curl
from .frame import frame, object_or_404


@require_safe
def experiment_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Of the evaluators `?evaluators=3,4`, else of all with a newer version; nothing is stored."""
    experiment = object_or_404(request, visible.experiments(), pk)
    texts = request.GET.get("evaluators", "").split(",")
    ids = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 10]
    there = Evaluator.objects.live().filter(project=experiment.project, pk__in=ids).order_by("pk")
    if len(there) < len(set(ids)):
        raise Http404
    wanted = list(there) if ids else previews.outdated(experiment)
    chosen = ",".join(str(evaluator.pk) for evaluator in wanted)
    context = frame(request, experiment.project, "experiments") | {
        "experiment": experiment,
        "preview": previews.preview(experiment, wanted) if wanted else None,
        "api_call": curl(request, f"/api/v1/experiments/{pk}/preview/?evaluators={chosen}"),
    }
    return render(request, "evaluations/experiment_preview.html", context)


urlpatterns = [path("experiments/<int:pk>/preview/", experiment_preview, name="experiment-preview")]
