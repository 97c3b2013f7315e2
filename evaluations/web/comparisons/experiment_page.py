"""The parts of the context that the pages of an experiment and of a comparison share."""

from collections.abc import Sequence
from typing import Any, get_args
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from evaluations.comparisons import notes
from evaluations.comparisons.alignment.sides import MOST_REPEATS, MOST_RUNS, newest_comparable
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.figures import Estimate
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.comparisons.warnings import ADDED
from evaluations.datasets import splits
from evaluations.experiments import edited_outputs
from evaluations.gates import newest
from evaluations.judges import at_work
from evaluations.launches.following import STOPPED
from evaluations.models import Dataset, Experiment, FailedImport, Run
from evaluations.results import filter_params
from evaluations.results.shown import scorings_by_run
from evaluations.values import Missing

from ..page_tools import api_names, url_values
from ..page_tools.calls import curl
from ..page_tools.frame import Context
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from . import pair, so_far
from .example_selection import ExampleSelection
from .in_progress import in_progress
from .new_since import new_since
from .page import comparison_page
from .sent_for_gates import sent_for_gates
from .stopped_launch import told_now


def runs_page(
    in_frame: Context,
    experiment: Experiment,
    shown: list[Run],
    compared: list[Run],
    every: Sequence[Run] = (),
    *,
    repeated: bool,
) -> Context:
    """What is known of the runs; work in progress is counted in `every` one, by default in the compared ones."""
    going = [run for run in every or compared if run.status in Run.OPEN]
    ended = [run.finished_at for run in compared if run.finished_at and run.status not in Run.OPEN]
    early = so_far.of_runs(shown)
    listed, stopped_launch = told_now(shown, early)
    work, judges = in_progress(going), at_work.of_runs(shown)
    since = [*([work.since] if work else []), *(judge.since for judge in judges)]
    return {
        **in_frame,
        "dataset": experiment.dataset,
        "dataset_version": experiment.dataset_version,
        "runs": shown,
        "compared": compared,
        "going": going,
        "in_progress": work,
        "judges_at_work": judges,
        "at_work_since": max(since, default=None),
        "left_out": _left_out(experiment.dataset),
        "listed": listed,
        "stopped_launch": stopped_launch,
        "so_far": early,
        "variant_heads": f"{', So far:number' if early else ''}, Created, Actions:unseen",
        "all_failed": bool(shown) and all(run.status == Run.Status.FAILED for run in shown),
        "all_stopped": bool(shown) and all(run.status in STOPPED for run in shown),
        "ended_at": max(ended, default=None),
        "copying": edited_outputs.of_experiment(experiment),
        "repeated": repeated,
        "gate_checks": newest.of_experiment(experiment),
        "sent_for_gates": sent_for_gates(experiment, shown),
        "new_since": new_since(experiment) if shown else [],
    }


def _left_out(dataset: Dataset) -> int:
    """How many rows of the dataset's last file were left out, while its others were imported."""
    if not dataset.error_count or FailedImport.objects.filter(dataset=dataset).exists():
        return 0
    return dataset.error_count


def wants_means(request: HttpRequest) -> bool:
    """Whether the runs of a variant are averaged into one column (`?repeats=mean`)."""
    return request.GET.get("repeats") == "mean"


def example_filter_of(request: HttpRequest, dataset: Dataset) -> ExampleFilter:
    """The metadata filters and the split in the address."""
    metadata = filter_params.parse(url_values.parameters(request), (), strict=False).metadata
    return ExampleFilter(metadata, splits.chosen(dataset, request.GET.get("split", "")))


def compare(request: HttpRequest, runs: list[Run], *, is_chosen: bool = False) -> Comparison | None:
    """Compare the scored runs; the first is the baseline unless `?baseline=` names one. None if nothing is scored."""
    scorings = scorings_by_run(runs)
    scored = newest_comparable([run for run in runs if scorings[run.pk]])
    if not scored:
        return None
    baseline = number(request, "baseline")
    return Comparison(
        scored,
        next((run for run in scored if run.pk == baseline), scored[0]),
        scorings,
        cluster=request.GET.get("cluster", ""),
        repeats=wants_means(request),
        missing=url_values.choice(request, "missing", get_args(Missing), "worst"),
        example_filter=example_filter_of(request, scored[0].experiment.dataset),
        estimate=url_values.choice(request, "estimate", get_args(Estimate), "helped"),
        is_chosen=is_chosen,
    )


def answer(request: HttpRequest, page: Context, comparison: Comparison | None) -> HttpResponse:
    """The whole page, or the part that htmx requests."""
    target = request.htmx.target
    parts = ("live", "subsets", "examples", "variants") if comparison else ("live", "variants")
    part = f"#{target}" if target in parts else ""
    context: dict[str, Any] = {**page, "comparison": None}
    if comparison:
        if page_address := api_names.of_examples(request, comparison.evaluators.every):
            return redirect(page_address)
        _say_other_baseline(request, comparison)
        _say_most_runs(request, page)
        query = _query(request, comparison)
        shown = comparison_page(request, comparison)
        context |= {
            **shown,
            "api_call": curl(request, f"/api/v1/comparisons/{_call(request, comparison, shown)}"),
            "table_address": f"{reverse('compare-export')}?{query}",
            "report_address": f"{reverse('compare-report')}?{query}",
            "share_address": f"{reverse('share-create')}?{query}" if comparison.sides.others else "",
        }
        if page.get("added"):
            context["warnings"] = [one for one in context["warnings"] if one["code"] != ADDED]
        if page.get("reading_offers") and comparison.sides.others:
            context |= _under_the_offer(comparison, context["whole_references"], context["also_folded"])
    return render(request, f"experiments/experiment_detail.html{part}", context)


def _under_the_offer(
    comparison: Comparison, messages_on_texts: Sequence[str], folded: Sequence[str]
) -> Context:
    """What is folded where the page offers to read the answers in another way: remarks with the same cause."""
    return {
        "notes": SimpleLazyObject(
            lambda: notes.of(comparison, elsewhere=("fit", "whole", "form"), without=("costs",))
        ),
        "also_folded": [*messages_on_texts, *folded],
        "whole_references": [],
    }


def _say_most_runs(request: HttpRequest, page: Context) -> None:
    """Say that an experiment has more variants or runs than can be compared."""
    if not request.htmx and len(newest_comparable(page["compared"])) < len(page["compared"]):
        text = "At most %s variants and %s runs are compared: here the baseline and the newest others."
        messages.info(request, text % (MOST_RUNS, MOST_REPEATS))


def _say_other_baseline(request: HttpRequest, comparison: Comparison) -> None:
    """Say that the baseline of the address, perhaps of an old link, is not compared here, and another one is used."""
    baseline = number(request, "baseline")
    if baseline and not request.htmx and baseline not in [run.pk for run in comparison.sides.runs]:
        used = comparison.sides.label(comparison.sides.baseline.run)
        text = "Run %s, the baseline in this address, is not compared here: the baseline is %s."
        messages.warning(request, text % (baseline, used))


def _call(request: HttpRequest, comparison: Comparison, shown: Context) -> str:
    """The address of the examples that the page lists, if it chooses among them, else that of the comparison.

    Under a ranking it lists the examples of two variants, whose second is their baseline.
    """
    named = _examples(shown["selection"])
    if not named:
        return f"?{_query(request, comparison)}"
    options = urlencode({"evaluator": shown["selection"].evaluator.pk} | named)
    listed = pair.compare(comparison, *shown["pair"]) if shown["pair"] else comparison
    return f"examples/?{options}&{_query(request, listed)}"


def _examples(selection: ExampleSelection) -> dict[str, str]:
    """How a page chooses among the examples."""
    chosen = {
        "outcome": selection.show if selection.show != "all" else "",
        "order": "improvements" if selection.order == "gain" else "",
        "search": selection.search,
        "different": "true" if selection.different else "",
        "least_difference": selection.least or "",
    }
    return {name: str(value) for name, value in chosen.items() if value}


def _query(request: HttpRequest, comparison: Comparison) -> str:
    """The query string of this page's comparison."""
    ids = ",".join(str(run.pk) for run in comparison.sides.runs)
    options: dict[str, Any] = {
        name: request.GET[name] for name in ("cluster", "missing", "repeats") if request.GET.get(name)
    }
    metadata = [(f"metadata[{column}]", value) for column, value in comparison.example_filter.metadata]
    named = {"split": comparison.example_filter.split.pk} if comparison.example_filter.split else {}
    options = {"baseline": comparison.sides.baseline.run.pk} | options | named
    return f"runs={ids}&" + urlencode([*options.items(), *metadata])
