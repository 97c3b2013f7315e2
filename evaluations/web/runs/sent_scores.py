"""Scores from elsewhere: added to a run from a file, removed, and brought back."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations import owned
from evaluations.experiments import sent_scores
from evaluations.experiments.sent_scores import Sent
from evaluations.imports import score_files
from evaluations.imports.uploads import uploads
from evaluations.kinds.sent import sent
from evaluations.models import Evaluator, Run
from evaluations.numerals import plural

from ..forms.sent_scores import SentScoresForm
from ..page_tools import notices, visible
from ..page_tools.calls import example_file
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status

EXAMPLE = ("1,", "0,names no source", "0.5,")  # scores and notes


@require_http_methods(["GET", "HEAD", "POST"])
def run_scores(request: HttpRequest, pk: int) -> HttpResponse:
    """Add scores from a file, and see which evaluators have sent scores here."""
    run = object_or_404(request, visible.runs(), pk, "run")
    form = (
        SentScoresForm(request.POST, request.FILES)
        if request.method == "POST"
        else SentScoresForm(initial={"name": request.GET.get("name", "")})
    )
    if added := form.do(lambda: _send(request, run, form)):
        messages.success(request, _told(added))
        return go_to(request, reverse("run-detail", args=[pk]))
    evaluators = Evaluator.objects.filter(
        versions__record_columns__run=run,
        versions__record_columns__removed_at=None,
        versions__kind=sent.key,
    )
    context = {
        **frame(request, run.project, "experiments"),
        "run": run,
        "form": form,
        "sent": list(evaluators.distinct().order_by("name")),
        "limits": uploads.LIMITS,
        "most": sent_scores.MOST,
        "call": _call(request, run),
        "example": example_file(run.examples, "value,note", EXAMPLE),
    }
    return render(request, "runs/run_scores.html", context, status=shown_status(request, form.status))


def _send(request: HttpRequest, run: Run, form: SentScoresForm) -> Sent:
    with uploads.parked(run.project, request.user, form.chosen_file) as upload:
        read = score_files.read(upload, form.columns())
    name, scale = form.cleaned_data["name"], form.settings()
    sent = sent_scores.send(run, request.user, name, scale, read.scores)
    return Sent(sent.version, sent.scored, sent.replaced, read.left_out)


def _told(sent: Sent) -> str:
    told = f"{plural(sent.scored, 'score')} of {sent.version.evaluator.name} added"
    told += f", {sent.replaced} of them in place of earlier ones." if sent.replaced else "."
    if sent.left_out:
        told += f" Columns that were not read: {', '.join(sent.left_out)}."
    return told


def _call(request: HttpRequest, run: Run) -> str:
    address = request.build_absolute_uri(f"{settings.PATH}/api/v1/runs/{run.pk}/scores/")
    return (
        f'curl -H "Authorization: Bearer $EVALSITE_KEY" -F file=@scores.csv \\\n'
        f'  -F \'evaluator={{"name": "cites a source"}}\' {address}'
    )


@require_POST
def run_scores_remove(request: HttpRequest, pk: int, evaluator: int) -> HttpResponse:
    run = object_or_404(request, visible.runs(), pk, "remove")
    target = object_or_404(request, Evaluator.objects.filter(project=run.project), evaluator, "write")
    sent_scores.remove(run, target)
    message = f"Scores of {target.name} removed; can be brought back for {owned.UNDO.days} days."
    notices.done(request, message, reverse("scores-restore", args=[pk, evaluator]))
    return redirect("run-detail", pk)


@require_POST
def run_scores_restore(request: HttpRequest, pk: int, evaluator: int) -> HttpResponse:
    run = object_or_404(request, visible.runs(), pk, "remove")
    target = object_or_404(request, Evaluator.objects.filter(project=run.project), evaluator, "write")
    sent_scores.restore(run, target)
    messages.success(request, f"Scores of {target.name} are back.")
    return redirect("run-detail", pk)


urlpatterns = [
    path("runs/<int:pk>/scores/", run_scores, name="scores-create"),
    path("runs/<int:pk>/scores/<int:evaluator>/remove/", run_scores_remove, name="scores-delete"),
    path("runs/<int:pk>/scores/<int:evaluator>/restore/", run_scores_restore, name="scores-restore"),
]
