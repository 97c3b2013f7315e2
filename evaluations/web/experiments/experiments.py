"""Experiments: the list; the page of one, which compares its variants; creating, changing, deleting."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations import kinds, numerals, owned
from evaluations.comparisons import earlier_version, export, overviews, previews
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.gains import OUTCOMES
from evaluations.comparisons.grouping.example_filter import exported_examples
from evaluations.datasets import live_positions
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid, NotFound
from evaluations.evaluators import evaluators
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.experiments import about, column_outputs, experiments, raters, reading_steps
from evaluations.judges import allowances, estimates, paid, spent, waiting
from evaluations.judges.spent import Spent
from evaluations.kinds.people import people
from evaluations.kinds.sent import sent
from evaluations.launches import launches
from evaluations.models import Evaluator, Experiment, Launch, Run
from evaluations.numerals import whole
from evaluations.results import exports
from evaluations.results.shown import scorings_by_run
from evaluations.statistics.ordering import Indices
from evaluations.statistics.terms import Mask

from .. import named
from ..comparisons.added_examples import added_examples
from ..comparisons.examples import NARROWING, Listing
from ..comparisons.experiment_page import (
    answer,
    compare,
    example_filter_of,
    runs_page,
    wants_means,
)
from ..forms.experiment import ExperimentForm, MarginForm
from ..forms.more_evaluators import EvaluatorsForm
from ..forms.name import NameForm
from ..page_tools import api_names, downloads, notices, series, sorting, visible
from ..page_tools.calls import curl, upload_call
from ..page_tools.frame import frame, object_or_404, project_or_404, way_back
from ..page_tools.request import HttpRequest
from ..page_tools.sample_note import offers_removal
from . import choice, lines
from . import order as experiment_order

LISTED = 20
forms = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def experiment_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    chosen = choice.from_request(request, project)
    experiments_here, search = named.matching(request, chosen.narrow(visible.experiments_of(project)))
    page_of = partial(sorting.page, request, experiments_here, experiment_order.COLUMNS)
    page = page_of(choice.MOST_LOOKED_AT) if chosen.verdict else series.page(request, page_of, LISTED)
    shown = overviews.load(page.rows)
    here = chosen.with_verdict(shown) if chosen.verdict else shown
    table = lines.listed(request, here)
    context = {
        **frame(request, project, "experiments"),
        "page": page,
        "total": experiments_here.count() if (page.previous or page.next) and not chosen.verdict else None,
        "search": search,
        "choice": chosen,
        "most_looked_at": choice.MOST_LOOKED_AT,
        "here": len(here),
        "lines": table.lines,
        "axis": table.axis,
        "heads": sorting.heads(request, experiment_order.COLUMNS),
        "removes_sample": offers_removal(request, page.rows),
        "api_call": curl(request, "/api/v1/experiments/"),
    }
    return render(request, "experiments/experiment_list.html", context)


# ---- one experiment ----------------------------------------------------------------------------------------


class Runs(NamedTuple):
    """All runs, the newest of each variant, the compared ones, and whether a variant has several."""

    every: list[Run]
    shown: list[Run]
    compared: list[Run]
    repeated: bool


def _runs(request: HttpRequest, experiment: Experiment) -> Runs:
    every = list(experiments.runs_of(experiment))
    shown = experiments.newest_by_variant(every, experiment.baseline)
    scorable = experiments.with_repeats(every, experiment.baseline)
    repeated = len(scorable) > len(set(map(about.identity, scorable)))
    return Runs(every, shown, scorable if repeated and wants_means(request) else shown, repeated)


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def experiment_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Compare the variants of an experiment; htmx polls this address during runs, and requests examples."""
    experiment = object_or_404(request, visible.experiments(), pk)
    runs = _runs(request, experiment)
    comparison = compare(request, runs.compared)
    in_frame = frame(request, experiment.project, "experiments", experiment)
    launch = experiment.launches.first()
    may_choose = comparison is None and "run" in in_frame["may"]
    page = {
        **runs_page(in_frame, experiment, runs.shown, runs.compared, runs.every, repeated=runs.repeated),
        "experiment": experiment,
        "name_form": NameForm(initial={"name": experiment.name}),
        "upload_call": upload_call(request, experiment),
        "has_column_variants": not runs.shown and bool(column_outputs.candidates(experiment.dataset)),
        "evaluators_form": EvaluatorsForm.from_request(request, experiment) if may_choose else None,
        "has_evaluators": comparison is None and experiment.evaluator_links.exists(),
        "whole_references": experiments.warnings(experiment) if comparison is None else [],
        "reading_offers": reading_steps.offers(experiment, runs.shown) if "write" in in_frame["may"] else [],
        "added": added_examples(request, experiment, runs.compared),
        "waiting": waiting.of(experiment, runs.shown),
        "launch": launch,
        "spent": _spent(experiment, launch, comparison),
    }
    return answer(request, page, comparison)


def _spent(experiment: Experiment, launch: Launch | None, comparison: Comparison | None) -> Spent | None:
    """What it cost, where something can have: a launch, or an evaluator that calls a server."""
    used = comparison.sides.versions.values() if comparison else ()
    may_cost = launch or paid.among({version for versions in used for version in versions.values()})
    return spent.of_experiment(experiment) if may_cost else None


@require_safe
def experiment_export(request: HttpRequest, pk: int) -> HttpResponseBase:
    """All variants in one table, for the examples listed on the page at the same address.

    With `order` in the address, they are in this order if they are few.
    """
    experiment = object_or_404(request, visible.experiments(), pk)
    shown = experiments.exported_runs(experiment)
    if better := _in_names_of_the_page(request, shown):
        return redirect(better)
    order = _order_of_list(request, experiment)
    rows = listed(request, experiment, shown) if order is None else _every_position(experiment).mask(order)
    kind, options = downloads.options(request)
    every = experiment.examples.count()
    count = every if rows is None else int(rows.sum())
    compared = compare(request, _runs(request, experiment).compared) if kind == "xlsx" else None
    summary = export.summary(compared, count, every)
    body = exports.of_experiment(
        experiment, shown, kind, chosen=rows, order=order, summary=summary, **options
    )
    return downloads.answer(request, experiment.name, kind, body, count)


def _in_names_of_the_page(request: HttpRequest, shown: Sequence[Run]) -> str | None:
    """The address of the file if it has names of the API. Refuses what a page would ignore: a file does not say so."""
    scorings = scorings_by_run(shown).values()
    evaluators = list({scoring.evaluator_version.evaluator: None for row in scorings for scoring in row})
    if better := api_names.of_examples(request, evaluators):
        return better
    if (wanted := request.GET.get("evaluator", "")) and by_id_or_name(evaluators, wanted) is None:
        raise Invalid("unknown_evaluator", f"These runs have no scores by “{wanted[:200]}”.")
    if request.GET.get("show", "all") not in OUTCOMES:
        raise Invalid("invalid_choice", f"`show` is one of {', '.join(OUTCOMES)}.")
    return None


def listed(request: HttpRequest, experiment: Experiment, shown: Sequence[Run]) -> Mask | None:
    """The slots of the examples that the page lists; None for all."""
    comparison = None
    if NARROWING & request.GET.keys():
        comparison = compare(request, _runs(request, experiment).compared)
    if comparison:
        return Listing.from_request(request, comparison).slots_in(experiment)
    search = request.GET.get("q", "").strip()
    return exported_examples(experiment, shown, example_filter_of(request, experiment.dataset), search)


def _order_of_list(request: HttpRequest, experiment: Experiment) -> Indices | None:
    """The positions of the listed examples in the order that the address names; None for that of the dataset."""
    if request.GET.get("order", "position") == "position":
        return None
    comparison = compare(request, _runs(request, experiment).compared)
    if comparison is None:
        return None
    positions = Listing.from_request(request, comparison).positions_in(experiment)
    return positions if len(positions) <= exports.MOST_ORDERED else None


def _every_position(experiment: Experiment) -> Positions:
    return live_positions.of_version(experiment.dataset, experiment.dataset_version)


# ---- creating and changing -----------------------------------------------------------------------------------


@forms
def experiment_create(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug, "write")
    form = ExperimentForm.from_request(request, project)
    if experiment := form.do(form.create):
        return redirect("experiment-detail", experiment.pk)
    context = frame(request, project, "experiments") | {"form": form}
    return render(request, "experiments/experiment_form.html", context, status=form.status)


@forms
def experiment_evaluators(request: HttpRequest, pk: int) -> HttpResponse:
    """Add evaluators for existing and later runs; or use an evaluator's newest version for all runs.

    If the newest version has scored no run, a preview comes first.
    """
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    form = EvaluatorsForm.from_request(request, experiment)

    def score() -> str:
        chosen_evaluators = form.chosen()
        form.say_already(request, "this experiment")
        if not chosen_evaluators:
            return reverse("experiment-detail", args=[pk])
        if "previewed" not in request.POST and previews.unseen(experiment, chosen_evaluators):
            chosen = ",".join(str(evaluator.pk) for evaluator in chosen_evaluators)
            return f"{reverse('experiment-preview', args=[pk])}?evaluators={chosen}"
        spend = form.money
        with transaction.atomic():
            scored = experiments.scorable_runs(experiment)
            allowances.pay(scored, experiments.newest(chosen_evaluators), request.user, spend)
            experiments.add_evaluators(experiment, chosen_evaluators)
        return reverse("experiment-detail", args=[pk])

    if address := form.do(score):
        return redirect(address)
    form.estimates = estimates.of_project(
        experiments.scorable_runs(experiment), experiment.project, form.named
    )
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "scored_by": _scored_by(experiment),
        "form": form,
    }
    return render(request, "experiments/experiment_evaluators.html", context, status=form.status)


def _scored_by(experiment: Experiment) -> list[tuple[Evaluator, str]]:
    """All evaluators that score it, the primary first, with a word for those that are no formulas."""
    scoring = Evaluator.objects.filter(pk__in=experiments.scored_by(experiment)).order_by("pk")
    words = dict.fromkeys(kinds.JUDGES, "judge") | {people.key: "people", sent.key: "sent"}
    found = [(one, words.get(evaluators.newest(one).kind, "")) for one in scoring]
    return sorted(found, key=lambda pair: pair[0].pk != experiment.primary_id)


@require_POST
def experiment_reading(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the evaluators read answers by a step, and score all runs of the experiment."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    taken = reading_steps.take(experiment, request.user, _field(request, "step"))
    names = ", ".join(f"{version.evaluator.name} v{version.number}" for version in taken.versions)
    before = ",".join(f"{evaluator}:{number}" for evaluator, number in taken.before.items())
    undo = f"{reverse('experiment-reading-undo', args=[pk])}?{urlencode({'versions': before})}"
    notices.done(request, f"{names}: scoring {numerals.plural(len(taken.runs), 'run')}.", undo)
    return redirect("experiment-detail", pk)


@require_POST
def experiment_reading_undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Use the versions before the step again (`?versions=evaluator:number,…`)."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    pairs = [pair.partition(":") for pair in _field(request, "versions").split(",")]
    numbers = [(whole(pk), whole(number)) for pk, _, number in pairs]
    before = {pk: number for pk, number in numbers if pk is not None and number is not None}
    reading_steps.take_back(experiment, before)
    messages.success(request, "The evaluators read the whole answers again.")
    return redirect("experiment-detail", pk)


@require_POST
def experiment_baseline(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the default baseline for everyone; `?baseline=` sets that of a single view."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    before = next((run.variant for run in experiments.shown_runs(experiment)), "")
    experiments.set_baseline(experiment, _field(request, "variant"))
    undo = f"{reverse('experiment-baseline', args=[pk])}?{urlencode({'variant': before})}"
    notices.done(request, f"{experiment.baseline} is now the baseline for everyone.", undo)
    return redirect("experiment-detail", pk)


@require_POST
def experiment_primary(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the primary evaluator for everyone."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    by_id = _evaluators(experiment)
    chosen, before = _evaluator(request, by_id), experiment.primary_id
    experiments.set_primary(experiment, chosen)
    undo = f"{reverse('experiment-primary', args=[pk])}?evaluator={before}" if str(before) in by_id else ""
    notices.done(request, f"{chosen.name} is now the primary evaluator, for everyone.", undo)
    return redirect("experiment-detail", pk)


@require_POST
def experiment_raters(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the mean of several evaluators decide, for everyone."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    by_id, before = _evaluators(experiment), experiment.primary_id
    chosen = [_known(by_id, value) for value in request.POST.getlist("evaluators")]
    mean = raters.decide_together(experiment, request.user, chosen)
    undo = f"{reverse('experiment-primary', args=[pk])}?evaluator={before}" if str(before) in by_id else ""
    notices.done(request, f"{mean.name} is now the primary evaluator, for everyone.", undo)
    return redirect("experiment-detail", pk)


@require_POST
def experiment_margin(request: HttpRequest, pk: int) -> HttpResponse:
    """Set for everyone which differences by an evaluator matter, and which are ties; an empty field is the usual."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    evaluator = _evaluator(request, _evaluators(experiment))
    key = str(evaluator.pk)
    before = {"margin": experiment.margins.get(key, ""), "tie": experiment.ties.get(key, "")}
    back = way_back(request, reverse("experiment-detail", args=[pk]))
    form = MarginForm({name: _field(request, name) for name in (*before, "seen")}, initial=before)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect(back)
    margin, tie = form.cleaned_data["margin"], form.cleaned_data["tie"]
    form.do(lambda: experiments.set_differences(experiment, {evaluator.pk: margin}, {evaluator.pk: tie}))
    if form.refused:
        title, in_frame = f"Margin of {evaluator.name}", frame(request, experiment.project, "experiments")
        kept = {"evaluator": evaluator.pk, "next": back}
        return named.shown_again(request, in_frame, form, title=title, button="Save", back=back, sent=kept)
    now = "has no margin" if margin is None else f"has the margin {margin:g}"
    tied = "" if tie is None else f", and differences up to {tie:g} are ties"
    address = f"{reverse('experiment-margin', args=[pk])}?{urlencode({'evaluator': evaluator.pk} | before)}"
    notices.done(request, f"{evaluator.name} {now} now{tied}, for everyone.", address)
    return redirect(back)


def _evaluators(experiment: Experiment) -> dict[str, Evaluator]:
    """The evaluators of its comparison by id, as forms send it; also people's labels and scores that were sent."""
    used = Evaluator.objects.filter(pk__in=experiments.scored_by(experiment))
    return {str(evaluator.pk): evaluator for evaluator in used}


def _evaluator(request: HttpRequest, by_id: Mapping[str, Evaluator]) -> Evaluator:
    return _known(by_id, _field(request, "evaluator"))


def _known(by_id: Mapping[str, Evaluator], evaluator_id: str) -> Evaluator:
    if evaluator_id not in by_id:
        raise NotFound("not_found", "This experiment does not have this evaluator.")
    return by_id[evaluator_id]


def _field(request: HttpRequest, name: str) -> str:
    """A value from the form, or from the address (for undo)."""
    return request.POST.get(name) or request.GET.get(name, "")


@require_POST
def experiment_dataset(request: HttpRequest, pk: int) -> HttpResponse:
    """Move the experiment to a version of the dataset, by default the newest."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    before, number = experiment.dataset_version, _field(request, "version")
    again = earlier_version.move(experiment, whole(number, 9))
    version = f"{experiment.dataset.name} v{experiment.dataset_version}"
    notices.done(
        request,
        f"Now uses {version}. Scoring {numerals.plural(len(again), 'run')} again.",
        f"{reverse('experiment-dataset', args=[pk])}?version={before}",
    )
    return redirect("experiment-detail", pk)


@require_POST
def experiment_ask(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the examples that a newer dataset version added."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    lacking = launches.ask_added(experiment)
    messages.success(request, f"{numerals.plural(len(lacking), 'run')} will answer the added examples.")
    return redirect("experiment-detail", pk)


@require_POST
def experiment_rename(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    return named.rename(request, experiment, "experiments", partial(owned.rename, experiment))


urlpatterns = [
    path("p/<slug:slug>/experiments/", experiment_list, name="experiment-list"),
    path("p/<slug:slug>/experiments/new/", experiment_create, name="experiment-create"),
    path("experiments/<int:pk>/", experiment_detail, name="experiment-detail"),
    path("experiments/<int:pk>/export/", experiment_export, name="experiment-export"),
    path("experiments/<int:pk>/evaluators/", experiment_evaluators, name="experiment-evaluators"),
    path("experiments/<int:pk>/reading/", experiment_reading, name="experiment-reading"),
    path("experiments/<int:pk>/reading/undo/", experiment_reading_undo, name="experiment-reading-undo"),
    path("experiments/<int:pk>/baseline/", experiment_baseline, name="experiment-baseline"),
    path("experiments/<int:pk>/primary/", experiment_primary, name="experiment-primary"),
    path("experiments/<int:pk>/raters/", experiment_raters, name="experiment-raters"),
    path("experiments/<int:pk>/margin/", experiment_margin, name="experiment-margin"),
    path("experiments/<int:pk>/dataset/", experiment_dataset, name="experiment-dataset"),
    path("experiments/<int:pk>/ask/", experiment_ask, name="experiment-ask"),
    path("experiments/<int:pk>/rename/", experiment_rename, name="experiment-rename"),
    *named.deletion(visible.restorable_experiments(), experiments.delete),
]
