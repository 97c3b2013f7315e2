"""The page of a label set: what people are asked, how far they agree, which evaluator agrees best, and the seal."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from evaluations.comparisons.people import held, passports, ranking
from evaluations.comparisons.people.ranking import AgreesBest
from evaluations.errors import Refusal
from evaluations.evaluators import evaluators, versions
from evaluations.kinds.people import people
from evaluations.labelling import adjudication, presence, sealing, sets, tasks
from evaluations.models import Evaluator, EvaluatorVersion, LabelTask
from evaluations.numerals import grouped

from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest
from .passports import Line, drawn


@dataclass(frozen=True)
class ListedTask:
    """A task with the variants whose answers it asks about."""

    task: LabelTask
    progress: tasks.Progress
    variants: list[str]


def page(request: HttpRequest, evaluator: Evaluator, newest: EvaluatorVersion) -> HttpResponse:
    """Show the newest question with the tasks of all versions, and the agreement on the newest labels."""
    labelled = held.labelled_runs(evaluator)
    found = ranking.of(labelled) if len(labelled.labels) else None
    of_set = presence.shown().filter(version__evaluator=evaluator).select_related("version")
    listed = of_set.prefetch_related("runs")[:50]
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "version": newest,
        "config": sets.config_of(newest),
        "history": versions.history(evaluator),
        "run_count": evaluators.run_count(evaluator),
        "tasks": [ListedTask(task, tasks.progress(task), _variants(task)) for task in listed],
        "differing": adjudication.differing(evaluator).count(),
        "found": found,
        **drawn(_lines(found) if found else []),
        # judges whose sealed labels are not open
        "closed": _closed(found) if found else [],
        "classes": labelled.classes.titles,
        "unsealing": sealing.unsealing_of(evaluator),
        "longest_reason": sealing.LONGEST_REASON,
        "api_call": curl(request, f"/api/v1/label-sets/{evaluator.pk}/agreement/"),
    }
    return render(request, "labels/label_set.html", context)


def _variants(task: LabelTask) -> list[str]:
    """The variants that a task asks about, in the order of their runs."""
    return list(dict.fromkeys(run.variant for run in sorted(task.runs.all(), key=lambda run: run.pk)))


def _closed(found: AgreesBest) -> list[tuple[EvaluatorVersion, str]]:
    """The versions that no sealed labels prove, with how far they agree with those they may have been tuned on."""
    closed = [rival.version for rival in found.rivals if rival.agreement is None]
    return [(one, passports.of(one, found.labelled.label_set).tuned) for one in closed]


def _lines(found: AgreesBest) -> list[Line]:
    lines = []
    if found.labelled.peers:
        about = f"{grouped(found.labelled.peers.n)} answers seen by two"
        lines.append(Line("Person against person", about, found.labelled.peers, is_people=True))
    for rival in found.rivals:
        if rival.agreement:
            about = f"{grouped(rival.agreement.n)} answers, sealed"
            lines.append(Line(str(rival.version), about, rival.agreement))
    return lines


@require_POST
def unseal(request: HttpRequest, pk: int) -> HttpResponse:
    """Let everybody read what judges said about the sealed labels, for good."""
    sets_here = Evaluator.objects.live().filter(versions__kind=people.key).distinct()
    evaluator = object_or_404(request, sets_here, pk, "admin")
    try:
        sealing.unseal(evaluator, request.user, request.POST.get("reason", ""))
    except Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, f"The labels of {evaluator.name} are unsealed.")
    return redirect("evaluator-detail", pk)


urlpatterns = [path("evaluators/<int:pk>/unseal/", unseal, name="labelset-unseal")]
