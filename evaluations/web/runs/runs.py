"""One run: its page, its export, and its actions."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations import owned
from evaluations.experiments import about, experiments, for_gates, runs
from evaluations.judges import allowances, estimates, paid
from evaluations.launches import launches
from evaluations.models import Evaluator, Experiment, Run
from evaluations.results import exports, results
from evaluations.scoring import coverage

from ..forms.about import AboutForm, initial
from ..forms.more_evaluators import EvaluatorsForm
from ..forms.spending import SpendingForm
from ..named import say_deleted
from ..page_tools import api_names, downloads, notices, visible
from ..page_tools.frame import frame, object_or_404, way_back
from ..page_tools.request import HttpRequest, posted
from .filters import canonical_address
from .page import opens_on_answers, run_page
from .selection import RunSelection


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def run_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a run; htmx polls this address for its state, and requests the rows."""
    run = object_or_404(request, visible.runs(), pk)
    selection = RunSelection.from_request(request, run)
    if better := api_names.of_run(request, selection.scorings) or canonical_address(request, selection):
        return redirect(better)
    if not request.GET and opens_on_answers(selection):
        return redirect(f"{request.path}?answers=answered")
    in_frame = frame(request, run.project, "experiments", run)
    context = {**in_frame, **run_page(request, selection, in_frame["may"])}
    part = {"live": "#live", "examples": "#examples"}.get(request.htmx.target or "", "")
    return render(request, f"runs/run_detail.html{part}", context)


@require_safe
def run_export(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The rows that the page of the run shows under the same filters, in its order if they are few, as a file.

    The whole run, where no order was chosen, has that of the examples: such a file can be uploaded again.
    """
    run = object_or_404(request, visible.runs(), pk)
    selection = RunSelection.from_request(request, run, strict=True)
    if better := api_names.of_run(request, selection.scorings):
        return redirect(better)
    query = selection.query()
    rows = results.chosen(run, query) if selection.filters else None
    kind, options = downloads.options(request)
    count = len(coverage.asked_positions([run])) if rows is None else int(rows.sum())
    is_chosen = rows is not None or {"order", "evaluator"} & request.GET.keys()
    is_ordered = query.by_score and is_chosen and count <= exports.MOST_ORDERED
    order = results.in_order(run, query, count) if is_ordered else None
    body = exports.of_run(run, kind, chosen=rows, order=order, shown=selection.scorings, **options)
    return downloads.answer(request, f"{run.experiment.name}, {run.variant}", kind, body, count)


# ---- actions -------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def run_about(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the facts about the variant; outputs and scores stay."""
    run = object_or_404(request, visible.runs(), pk, "run")
    form = AboutForm(posted(request), initial=initial(run), project=run.project)
    if form.do(lambda: about.describe(run, form.about())):
        return redirect("run-detail", pk)
    experiment = run.experiment
    version = experiment.dataset.versions.filter(number=experiment.dataset_version).first()
    shown = {
        "run": run,
        "form": form,
        "source": version.note if version else "",
        "scored_by": run.scorings.values_list("evaluator_version__evaluator__name", flat=True).order_by("pk"),
    }
    context = frame(request, run.project, "experiments") | shown
    return render(request, "runs/run_about.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def run_score(request: HttpRequest, pk: int) -> HttpResponse:
    """Add evaluators; the outputs stay as they are."""
    run = object_or_404(request, visible.runs(), pk, "run")
    used = run.scorings.values_list("evaluator_version__evaluator", flat=True)
    form = EvaluatorsForm.from_request(request, run.experiment, without=used)

    def score() -> Run:
        chosen, spend = form.chosen(), form.money
        form.say_already(request, "this run")
        if not chosen:
            return run
        with transaction.atomic():
            allowances.pay([run], experiments.newest(chosen), request.user, spend)
            return runs.add_scorings(run, chosen)

    if form.do(score):
        return redirect("run-detail", pk)
    shown = {"run": run, "experiment": run.experiment, "form": form}
    form.estimates = estimates.of_project([run], run.project)
    context = frame(request, run.project, "experiments") | shown
    return render(request, "runs/run_score.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def run_start(request: HttpRequest, pk: int) -> HttpResponse:
    """Score a draft. Its page asks first what evaluators that call a server may spend, if there are some."""
    run = object_or_404(request, visible.runs(), pk, "run")
    form = SpendingForm(posted(request))
    if form.do(lambda: allowances.start(run, form.money)):
        return redirect("run-detail", pk)
    called = paid.of(run.experiment)
    shown = {"run": run, "form": form, "asks": bool(called), "estimates": estimates.every([run], called)}
    context = frame(request, run.project, "experiments") | shown
    return render(request, "runs/run_start.html", context, status=form.status)


@require_POST
def run_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Retry the scores that failed."""
    run = object_or_404(request, visible.runs(), pk, "run")
    runs.retry_errors(run, Evaluator.objects.filter(versions__scorings__run=run).distinct())
    if run.status not in Run.OPEN:
        messages.info(request, "No scores failed, so there is nothing to retry.")
    return redirect("run-detail", pk)


@require_POST
def run_ask(request: HttpRequest, pk: int) -> HttpResponse:
    """Retry the failed answers."""
    launches.retry(object_or_404(request, visible.runs(), pk, "run"))
    return redirect("run-detail", pk)


@require_POST
def run_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    runs.cancel(object_or_404(request, visible.runs(), pk, "run"))
    return redirect(way_back(request, reverse("run-detail", args=[pk])))


@require_POST
def run_resume(request: HttpRequest, pk: int) -> HttpResponse:
    runs.resume(object_or_404(request, visible.runs(), pk, "run"))
    return redirect("run-detail", pk)


@require_POST
def run_for_gate(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a run apart from the variants, as one sent for a gate (`apart=yes`), or count it among them.

    The button that undoes it says so in its address.
    """
    run = object_or_404(request, visible.runs(), pk, "run")
    apart = request.GET.get("apart", request.POST.get("apart")) == "yes"
    for_gates.keep_apart(run, apart)
    done = (
        "kept apart from the variants" if apart else "one of the variants now; of more, intervals are wider"
    )
    undo = f"{reverse('run-for-gate', args=[pk])}?apart={'no' if apart else 'yes'}"
    notices.done(request, f"{run.variant} is {done}.", undo)
    return redirect("run-detail", pk)


@require_POST
def run_delete(request: HttpRequest, pk: int) -> HttpResponse:
    run = object_or_404(request, visible.runs(), pk, "remove")
    runs.delete(run)
    say_deleted(request, run.variant, "run-restore", pk)
    return redirect("experiment-detail", run.experiment_id)


@require_POST
def run_restore(request: HttpRequest, pk: int) -> HttpResponse:
    run = object_or_404(request, Run.objects.filter(experiment__in=Experiment.objects.live()), pk, "remove")
    owned.restore(run)
    messages.success(request, f"{run.variant} restored.")
    return redirect("run-detail", pk)


urlpatterns = [
    path("runs/<int:pk>/", run_detail, name="run-detail"),
    path("runs/<int:pk>/export/", run_export, name="run-export"),
    path("runs/<int:pk>/about/", run_about, name="run-about"),
    path("runs/<int:pk>/score/", run_score, name="run-score"),
    path("runs/<int:pk>/start/", run_start, name="run-start"),
    path("runs/<int:pk>/retry/", run_retry, name="run-retry"),
    path("runs/<int:pk>/ask/", run_ask, name="run-ask"),
    path("runs/<int:pk>/cancel/", run_cancel, name="run-cancel"),
    path("runs/<int:pk>/resume/", run_resume, name="run-resume"),
    path("runs/<int:pk>/for-gate/", run_for_gate, name="run-for-gate"),
    path("runs/<int:pk>/delete/", run_delete, name="run-delete"),
    path("runs/<int:pk>/restore/", run_restore, name="run-restore"),
]
