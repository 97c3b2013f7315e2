"""Answers on which raters differ: what they said, and the decision of one more person."""

from dataclasses import dataclass

import orjson
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.errors import Refusal
from evaluations.kinds.people import people
from evaluations.labelling import adjudication, rating, sets
from evaluations.models import Evaluator, Label, LabelItem
from evaluations.models.owned import OwnedQuerySet
from evaluations.values import JSON, by_column, output_value

from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import paged
from ..page_tools.request import HttpRequest
from .rating import choices_of


@dataclass(frozen=True)
class Differing:
    """An answer (of a pair: those from left to right) with what raters said; without texts if it has changed since."""

    item: LabelItem
    said: list[Label]
    decision: Label | None
    inputs: dict[str, JSON]
    references: dict[str, JSON]  # empty if raters did not see them
    outputs: list[JSON]


def _sets() -> OwnedQuerySet[Evaluator]:
    return Evaluator.objects.live().filter(versions__kind=people.key).distinct()


@require_http_methods(["GET", "HEAD", "POST"])
def adjudications(request: HttpRequest, pk: int) -> HttpResponse:
    """The answers on which raters differ, the newest first; and a decision about one."""
    if request.method == "POST":
        return _decide(request, object_or_404(request, _sets(), pk, "write"))
    evaluator = object_or_404(request, _sets(), pk)
    found = adjudication.differing(evaluator).select_related("run__experiment__dataset", "task")
    page = paged(request, found.prefetch_related("labels__rater"), "pk", 10, newest_first=True)
    config = sets.config_of(sets.newest_of(evaluator))
    context = {
        **frame(request, evaluator.project, "labels"),
        "evaluator": evaluator,
        "config": config,
        "page": page,
        "differing": found.count(),
        "listed": [_differing(item) for item in page.rows],
        "choices": list(choices_of(config)),
    }
    return render(request, "labels/adjudications.html", context)


def _differing(item: LabelItem) -> Differing:
    standing = [label for label in item.labels.all() if label.withdrawn_at is None]
    example, outputs = rating.current(item) or (None, [])
    return Differing(
        item,
        [label for label in standing if not label.is_adjudicated],
        next((label for label in standing if label.is_adjudicated), None),
        by_column("inputs", orjson.loads(example.inputs)) if example else {},
        by_column("reference", orjson.loads(example.reference))
        if example and not item.task.hides_reference
        else {},
        [output_value(output.text, output.is_json) for output in outputs],
    )


def _decide(request: HttpRequest, evaluator: Evaluator) -> HttpResponse:
    item = adjudication.item_of(evaluator, request.POST.get("item", ""))
    answer = request.POST.get("value", "")
    try:
        adjudication.decide(
            item, request.user, None if answer == "unsure" else answer, request.POST.get("note", "")
        )
    except Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("labelset-adjudications", evaluator.pk)


@require_POST
def adjudicate_undo(request: HttpRequest, pk: int) -> HttpResponse:
    evaluator = object_or_404(request, _sets(), pk, "write")
    adjudication.undo(adjudication.item_of(evaluator, request.POST.get("item", "")))
    messages.success(request, "The decision is taken back; what raters said counts again.")
    return redirect("labelset-adjudications", pk)


urlpatterns = [
    path("evaluators/<int:pk>/adjudications/", adjudications, name="labelset-adjudications"),
    path("evaluators/<int:pk>/adjudications/undo/", adjudicate_undo, name="labelset-adjudication-remove"),
]
