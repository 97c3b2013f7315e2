"""Labels that exist already, from a file."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from evaluations.imports import score_files
from evaluations.imports.uploads import uploads
from evaluations.kinds.people import people
from evaluations.labelling import sent_labels, sets
from evaluations.models import Evaluator, Project, Run
from evaluations.numerals import plural

from ..forms.ask_people import SentLabelsForm
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status


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
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "config": sets.config_of(sets.newest_of(evaluator)),
        "form": form,
        "limits": uploads.LIMITS,
        "most": sent_labels.MOST,
    }
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
    path("evaluators/<int:pk>/labels/", set_labels, name="labelset-labels"),
]
