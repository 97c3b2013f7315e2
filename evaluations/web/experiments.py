"""Experiments: making one, its page (which is the comparison), and what can be done with it."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations import owned
from evaluations.comparisons import previews
from evaluations.comparisons.comparison import Comparison
from evaluations.experiments import experiments, runs
from evaluations.models import Dataset, Experiment, Run
from evaluations.results import exports, filters, results

from . import comparison_page, downloads
from .calls import curl
from .forms.evaluators import EvaluatorsForm
from .forms.experiment import ExperimentForm, NameForm
from .frame import found, frame, project_at

forms = require_http_methods(["GET", "HEAD", "POST"])


def live() -> QuerySet[Experiment]:
    """The experiments that have a page: one that comes with a file waits for it."""
    ready = Experiment.objects.live().filter(dataset__status=Dataset.Status.READY, dataset__deleted_at=None)
    return ready.select_related("dataset")


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def experiment_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Variants side by side; htmx asks the same address while runs are going on, and for the examples."""
    experiment = found(request, live(), pk)
    every = list(experiments.runs_of(experiment))
    shown = experiments.newest_by_variant(every, experiment.baseline)
    scorable = experiments.with_repeats(every, experiment.baseline)
    repeated = len(scorable) > len({run.variant for run in scorable})
    context = frame(request, experiment.project, "experiments", experiment) | {
        "experiment": experiment,
        "of": experiment,
        "name_form": NameForm(initial={"name": experiment.name}),
        "upload_call": upload_call(request, experiment),
        "repeated": repeated,
        **side_by_side(request, scorable if repeated and averages(request) else shown),
        "runs": shown,
    }
    if not context["comparison"] and "run" in context["may"]:
        context["evaluators_form"] = EvaluatorsForm.of(request, experiment.project)
        context["has_evaluators"] = experiment.evaluator_links.exists()
    return answer(request, context)


def averages(request: HttpRequest) -> bool:
    """Whether the runs of a variant are to stand in one column (`?repeats=mean`)."""
    return request.GET.get("repeats") == "mean"


def side_by_side(request: HttpRequest, shown: list[Run], baseline: Run | None = None) -> dict[str, Any]:
    """What a page shows of some runs of one dataset, the baseline first unless it is named."""
    scorings = results.scorings_by_run(shown)
    scored = [run for run in shown if scorings[run.pk]]
    going = [run for run in shown if run.status in Run.OPEN]
    told: dict[str, Any] = {
        "runs": shown,
        "going": going,
        "progress": runs.progress_in_all(shown) if going else None,
        "ended_at": max((run.finished_at for run in scored if run.finished_at), default=None),
        "comparison": None,
    }
    if not scored:
        return told
    against = baseline if baseline in scored else scored[0]
    comparison = Comparison(
        scored,
        against,
        scorings,
        cluster=request.GET.get("cluster", ""),
        repeats=averages(request),
        missing="exclude" if request.GET.get("missing") == "exclude" else "worst",
    )
    ids = ",".join(str(run.pk) for run in comparison.runs)
    asked = urlencode(
        {name: request.GET[name] for name in ("cluster", "missing", "repeats") if request.GET.get(name)}
    )
    call = curl(request, f"/api/v1/comparisons/?runs={ids}&baseline={against.pk}{asked and '&' + asked}")
    return told | {"api_call": call} | comparison_page.page_of(request, comparison)


def answer(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    part = {"live": "#live", "examples": "#examples"}.get(request.htmx.target or "", "")
    part = part if context["comparison"] or part == "#live" else ""
    return render(request, f"evaluations/experiment_detail.html{part}", context)


def upload_call(request: HttpRequest, experiment: Experiment) -> str:
    """How a program adds a variant."""
    address = request.build_absolute_uri("/api/v1/runs/")
    mapping = '{"key": "id", "output": "answer"}'
    return (
        f'curl -H "Authorization: Bearer $EVALSITE_KEY" -F experiment={experiment.pk} -F variant="terse" \\\n'
        f"  -F file=@answers.csv -F 'mapping={mapping}' {address}"
    )


@require_safe
def experiment_export(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """All variants in one table; with `q`, the examples in which it is found."""
    experiment = found(request, live(), pk)
    shown, search = experiments.exported_runs(experiment), request.GET.get("q", "").strip()
    rows = filters.found_in_experiment(experiment, shown, search) if search else None
    kind, options = downloads.asked(request)
    count = experiment.dataset.last_position if rows is None else int(rows.sum())
    body = exports.of_experiment(experiment, shown, kind, chosen=rows, **options)
    return downloads.answer(experiment.name, kind, body, count)


# ---- making and changing -----------------------------------------------------------------------------------


@forms
def experiment_create(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_at(request, slug, "write")
    form = ExperimentForm.of(request, project)
    if made := form.do(lambda: form.create()):
        return redirect("experiment-detail", made.pk)
    context = frame(request, project, "experiments") | {"form": form}
    return render(request, "evaluations/experiment_form.html", context, status=form.status)


@forms
def experiment_evaluators(request: HttpRequest, pk: int) -> HttpResponse:
    """Use more evaluators, for the runs there are and for later ones; or one's newest version for all.

    A version that none of the runs has seen takes the place of an older one after a preview only.
    """
    experiment = found(request, live(), pk, "run")
    form = EvaluatorsForm.of(request, experiment.project)

    def score() -> str:
        wanted = form.chosen()
        if "previewed" not in request.POST and previews.unseen(experiment, wanted):
            chosen = ",".join(str(evaluator.pk) for evaluator in wanted)
            return f"{reverse('experiment-preview', args=[pk])}?evaluators={chosen}"
        experiments.add_evaluators(experiment, wanted)
        return reverse("experiment-detail", args=[pk])

    if address := form.do(score):
        return redirect(address)
    context = frame(request, experiment.project, "experiments") | {"experiment": experiment, "form": form}
    return render(request, "evaluations/experiment_evaluators.html", context, status=form.status)


@require_POST
def experiment_baseline(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = found(request, live(), pk, "write")
    experiments.set_baseline(experiment, request.POST.get("variant", ""))
    messages.success(request, f"Everything is compared with {experiment.baseline} now, for everybody.")
    return redirect("experiment-detail", pk)


@require_POST
def experiment_dataset(request: HttpRequest, pk: int) -> HttpResponse:
    """Move to the newest version of the dataset."""
    experiment = found(request, live(), pk, "write")
    again = experiments.use_newest_dataset(experiment)
    version = f"{experiment.dataset.name} v{experiment.dataset_version}"
    messages.success(request, f"This experiment uses {version} now; {len(again)} runs are scored again.")
    return redirect("experiment-detail", pk)


@require_POST
def experiment_rename(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = found(request, live(), pk, "write")
    form = NameForm(request.POST)
    if form.do(lambda: owned.rename(experiment, form.cleaned_data["name"])):
        messages.success(request, f"The experiment is called {experiment.name} now.")
        return redirect("experiment-detail", pk)
    context = frame(request, experiment.project, "experiments") | {"experiment": experiment, "form": form}
    return render(request, "evaluations/experiment_rename.html", context, status=form.status)


@require_POST
def experiment_delete(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = found(request, live(), pk, "remove")
    experiments.delete(experiment)
    undo = reverse("experiment-restore", args=[pk])
    messages.success(request, f"{experiment.name} is deleted, for good in seven days.", extra_tags=undo)
    return redirect("experiment-list", experiment.project.slug)


@require_POST
def experiment_restore(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = found(request, Experiment.objects.filter(dataset__deleted_at=None), pk, "remove")
    owned.restore(experiment)
    messages.success(request, f"{experiment.name} is back.")
    return redirect("experiment-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/experiments/new/", experiment_create, name="experiment-create"),
    path("experiments/<int:pk>/", experiment_detail, name="experiment-detail"),
    path("experiments/<int:pk>/export/", experiment_export, name="experiment-export"),
    path("experiments/<int:pk>/evaluators/", experiment_evaluators, name="experiment-evaluators"),
    path("experiments/<int:pk>/baseline/", experiment_baseline, name="experiment-baseline"),
    path("experiments/<int:pk>/dataset/", experiment_dataset, name="experiment-dataset"),
    path("experiments/<int:pk>/rename/", experiment_rename, name="experiment-rename"),
    path("experiments/<int:pk>/delete/", experiment_delete, name="experiment-delete"),
    path("experiments/<int:pk>/restore/", experiment_restore, name="experiment-restore"),
]
