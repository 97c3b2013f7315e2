"""Answers on which raters differ, one at a time or as a list: what they said, and the decision of one more person."""

from dataclasses import dataclass

import orjson
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.errors import Refusal
from evaluations.kinds.people import people
from evaluations.labelling import adjudication, rating, sets
from evaluations.models import Evaluator, Label, LabelItem
from evaluations.models.owned import OwnedQuerySet
from evaluations.reading.reading import Reading, compare
from evaluations.values import JSON, by_column, output_value

from ..page_tools.frame import Context, frame, object_or_404
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

    @property
    def compared(self) -> tuple[Reading, Reading] | None:
        """Of a pair both answers, else reference and answer, with the words that differ marked in the second."""
        texts = [*(self.references.values() if len(self.outputs) == 1 else ()), *self.outputs]
        return compare(*texts) if len(texts) == 2 else None


@dataclass(frozen=True)
class Place:
    """Where an answer is among all on which raters differ; the addresses of those beside it, "" at the ends."""

    number: int
    total: int
    decided: int
    before: str
    after: str


def _sets() -> OwnedQuerySet[Evaluator]:
    return Evaluator.objects.live().filter(versions__kind=people.key).distinct()


@require_http_methods(["GET", "HEAD", "POST"])
def adjudications(request: HttpRequest, pk: int) -> HttpResponse:
    """The answers on which raters differ, the newest first; and a decision about one."""
    if request.method == "POST":
        return _decide(request, object_or_404(request, _sets(), pk, "write"))
    evaluator = object_or_404(request, _sets(), pk)
    config = sets.config_of(sets.newest_of(evaluator))
    decisions = adjudication.decisions(evaluator)
    is_list = "list" in request.GET or not decisions
    context = {
        **frame(request, evaluator.project, "labels"),
        "evaluator": evaluator,
        "config": config,
        "differing": len(decisions),
        "choices": list(choices_of(config)),
        **(_list(request, evaluator) if is_list else _one(request, evaluator, decisions)),
    }
    return render(request, f"labels/{'adjudications' if is_list else 'adjudication'}.html", context)


def _list(request: HttpRequest, evaluator: Evaluator) -> Context:
    found = adjudication.differing(evaluator).select_related("run__experiment__dataset", "task")
    page = paged(request, found.prefetch_related("labels__rater"), "pk", 10, newest_first=True)
    return {"page": page, "listed": [_differing(item) for item in page.rows]}


def _one(request: HttpRequest, evaluator: Evaluator, decisions: dict[str, bool]) -> Context:
    """The answer `?item=`, else the first about which nobody decided."""
    tokens = list(decisions)
    open_first = next((token for token in tokens if not decisions[token]), tokens[0])
    asked = request.GET.get("item", "")
    number = tokens.index(asked if asked in decisions else open_first)
    beside = [_at(tokens[k]) if 0 <= k < len(tokens) else "" for k in (number - 1, number + 1)]
    item = adjudication.item_of(evaluator, tokens[number])
    return {
        "shown": _differing(item),
        "place": Place(number + 1, len(tokens), sum(decisions.values()), *beside),
    }


def _at(token: str) -> str:
    return f"?item={token}"


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
        return _back(request, evaluator.pk, item)
    return _back(request, evaluator.pk)


def _back(request: HttpRequest, pk: int, item: LabelItem | None = None) -> HttpResponse:
    """The list, if it was decided there; else this item, or the next one about which nobody decided."""
    query = "?list" if "list" in request.POST else _at(item.token) if item else ""
    return redirect(f"{reverse('labelset-adjudications', args=[pk])}{query}")


@require_POST
def adjudicate_undo(request: HttpRequest, pk: int) -> HttpResponse:
    evaluator = object_or_404(request, _sets(), pk, "write")
    item = adjudication.item_of(evaluator, request.POST.get("item", ""))
    adjudication.undo(item)
    messages.success(request, "The decision is taken back; what raters said counts again.")
    return _back(request, pk, item)


urlpatterns = [
    path("evaluators/<int:pk>/adjudications/", adjudications, name="labelset-adjudications"),
    path("evaluators/<int:pk>/adjudications/undo/", adjudicate_undo, name="labelset-adjudication-remove"),
]
