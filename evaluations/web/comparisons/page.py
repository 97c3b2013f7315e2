"""The context of a comparison's page: verdict, table, and examples with the largest regressions first."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from evaluations.access.addresses import public_address
from evaluations.comparisons import labels_alike, notes, same_scale
from evaluations.comparisons import subsets as searching
from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.warnings import ON_TEXTS, Warning, besides_notes, is_aside
from evaluations.labelling.columns import lack_labels
from evaluations.models import Evaluator, Run
from evaluations.numerals import fixed
from evaluations.short_texts import with_short_names
from evaluations.statistics.sentences import seeing_more

from ..page_tools.frame import Context
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from .examples import Listing
from .statistics_page import statistics
from .verdicts.active_filter import active_filter, split_choices
from .verdicts.agreement import agreement
from .verdicts.averages import averages
from .verdicts.corpus import corpus
from .verdicts.cost_and_latency import CostAndLatency, cost_and_latency
from .verdicts.differing import differing
from .verdicts.duel import duel
from .verdicts.fourfold import fourfold
from .verdicts.ranking import ranking
from .verdicts.subsets import Subsets, named_addresses, subsets
from .verdicts.to_read import to_read

# by what sentences call the examples that "exclude" leaves out, the segment that lists them
LEFT_OUT = {"unanswered examples": "unanswered", "unreadable answers": "unread"}
MOST_LINKED = 3  # variants whose statistics have a link each


@dataclass(frozen=True)
class Baselines:
    """The baseline of this view, and the choices as name, address and whether each is the current one."""

    current: str
    variant: str
    is_default: bool
    choices: list[tuple[str, str, bool]]


def _treatments(request: HttpRequest, comparison: Comparison) -> Context:
    """The addresses of the page with the other treatment of unanswered examples, and of groups."""
    few = comparison.sentence.few_groups
    return {
        "missing_address": address(request, missing=None if comparison.missing == "exclude" else "exclude"),
        "cluster_address": address(request, cluster=None if comparison.cluster == "none" else "none"),
        "sample_address": address(request, cluster=few.column) if few else "",
    }


def comparison_page(request: HttpRequest, comparison: Comparison) -> Context:
    listing = Listing.from_request(request, comparison)
    link = public_address(request, address(request, **_pinned(comparison, listing)))
    variants = len(comparison.sides)
    runs = [side.run for side in comparison.sides]
    details = statistics(request, comparison)
    pair = duel(request, comparison) if variants == 2 else None
    corners = fourfold(request, comparison) if pair else None
    # the open statistics of the primary have the table themselves
    is_open = details is not None and details.evaluator == comparison.evaluators.primary
    is_beside = corners is not None and corners.is_changed and not is_open
    taken = cost_and_latency(request, comparison) if variants > 1 else None
    found = _subsets(request, comparison)
    return {
        "comparison": comparison,
        **_remarks(comparison, link),
        "asked_pair": comparison.sentence.of_pair(listing.chosen[1], listing.chosen[0])
        if {"variant", "with"} <= request.GET.keys() and listing.chosen
        else [],
        "warnings": _warnings(comparison),
        "also_folded": _asides(comparison),
        "lacks_labels": "people" in comparison.figures.standings.values() and lack_labels(runs),
        "whole_references": _on_texts(comparison),
        "details": details,
        "ranking": ranking(request, comparison) if variants > 2 else None,
        "duel": pair,
        "fourfold": corners,
        "fourfold_beside": is_beside,
        "has_outcomes": pair is not None and not is_beside,
        "averages": averages(request, comparison) if variants == 1 else [],
        "cost_and_latency": taken,
        "is_banded": _is_banded(found["subsets"], taken),
        "differing": differing(request, comparison) if variants > 1 else None,
        "agreement": agreement(request, comparison),
        "corpus": corpus(request, comparison),
        "active_filter": active_filter(request, comparison),
        "split_choices": split_choices(request, comparison),
        **found,
        "named_subsets": named_addresses(request, comparison),
        "baselines": _baselines(request, comparison),
        "run_statistics": _run_statistics(comparison),
        "left_out_shown": LEFT_OUT.get(comparison.sentence.left_out, "missing"),
        **_treatments(request, comparison),
        "link": link,
        "view_path": address(request, **_pinned(comparison, listing), after=None, before=None).removeprefix(
            settings.PATH
        ),
        **listing.examples(),  # last, because it reuses scores that the tables have loaded
    }


def _remarks(comparison: Comparison, link: str) -> Context:
    """What stands below the verdict: a click on a filter draws no verdict, and must not wait for it."""
    return {
        "raters": SimpleLazyObject(lambda: same_scale.raters(comparison.figures)),
        "notes": SimpleLazyObject(lambda: notes.of(comparison, without=("costs",))),
        "seeing": SimpleLazyObject(lambda: _seeing(comparison)),
        "to_read": SimpleLazyObject(lambda: to_read([side.run for side in comparison.sides])),
        "quotation": SimpleLazyObject(lambda: _quotation(comparison, link)),
    }


def _on_texts(comparison: Comparison) -> list[str]:
    """The warnings about texts that are compared as a whole, but those that stand in the fold."""
    return [
        one["message"]
        for one in comparison.warnings
        if one["code"] in ON_TEXTS and not is_aside(comparison.figures, one)
    ]


def _seeing(comparison: Comparison) -> Evaluator | None:
    """The first secondary evaluator that tells apart what the primary gives the same score."""
    facts = comparison.sentence.all_facts
    names = seeing_more(facts) if facts else []
    return next((one for one in comparison.evaluators.secondary if one.name in names), None)


def _quotation(comparison: Comparison, link: str) -> str:
    """The verdict with its address, for a mail or a chat."""
    return f"{notes.quotation(comparison)}\n{link}"


def _pinned(comparison: Comparison, listing: Listing) -> dict[str, int]:
    """What a link or a saved view names, so that later variants change neither the baseline nor what is shown."""
    pinned = {"baseline": comparison.sides.baseline.run.pk}
    if len(comparison.sides) == 2:
        return pinned | {"variant": comparison.sides[1].run.pk, "with": pinned["baseline"]}
    chosen = listing.chosen
    return pinned | ({"variant": chosen[0].pk, "with": chosen[1].pk} if chosen else {})


def _is_banded(found: Subsets | None, taken: CostAndLatency | None) -> bool:
    """Whether findings in subsets, and the drawing of cost or latency, stand side by side, each in short."""
    return bool(found and found.folded and taken and taken.picture and taken.is_open == found.is_open)


def _subsets(request: HttpRequest, comparison: Comparison) -> Context:
    """The subsets if they are computed, or requested now; else the address that computes them."""
    is_asked = request.htmx.target == "subsets" or "subsets" in request.GET
    search = (
        searching.search(comparison.figures, comparison.evaluators.primary)
        if is_asked
        else searching.cached_search(comparison.figures)
    )
    may_wait = (
        search is None
        and comparison.sides.others
        and not any(run.status in Run.OPEN for run in comparison.sides.runs)
    )
    return {
        "subsets": subsets(request, comparison, search),
        "subsets_address": address(request, subsets="search") if may_wait else "",
    }


def _warnings(comparison: Comparison) -> list[Warning]:
    """The warnings that neither the sentences mention nor a notice of their own."""
    found = [
        warning
        for warning in besides_notes(comparison.figures, comparison.warnings)
        if warning["code"] not in ON_TEXTS and not is_aside(comparison.figures, warning)
    ]
    return [{**warning, "message": _with_cut_names(comparison, warning["message"])} for warning in found]


def _asides(comparison: Comparison) -> list[str]:
    """What is folded: remarks about secondary evaluators alone, on which the verdict does not rest."""
    asides = [one["message"] for one in comparison.warnings if is_aside(comparison.figures, one)]
    return [_with_cut_names(comparison, message) for message in asides]


def _with_cut_names(comparison: Comparison, sentence: str) -> str:
    """A sentence whose long names are cut, as in the verdict: the table below has the whole of them."""
    names = {comparison.sides.dataset.name, *comparison.sides.labels}
    names |= {dataset.name for dataset, _ in comparison.aligner.matched_datasets}
    names |= {evaluator.name for evaluator in comparison.evaluators}
    return with_short_names(sentence, names)


def _run_statistics(comparison: Comparison) -> list[tuple[str, str, str]]:
    """By variant, the page of the statistics that the primary evaluator has of a run, and the macro-F1 of labels.

    It is of the whole run, and so not said beside figures of a part of it.
    """
    primary = comparison.figures.primary
    if len(comparison.sides) > MOST_LINKED or not comparison.evaluators.has_statistics(primary.pk):
        return []
    is_part = comparison.figures.size < comparison.figures.full_size
    return [
        (
            comparison.sides.label(side.run),
            f"{reverse('run-statistics', args=[side.run.pk])}?evaluator={primary.pk}",
            "" if is_part else _macro_f1(comparison, side, primary),
        )
        for side in comparison.sides
    ]


def _baselines(request: HttpRequest, comparison: Comparison) -> Baselines:
    current = comparison.sides.baseline.run
    return Baselines(
        current=comparison.sides.label(current),
        variant=current.variant,
        is_default=current.variant == comparison.sides.experiment.baseline,
        choices=[
            (
                comparison.sides.label(side.run),
                address(request, **(RESET | {"baseline": side.run.pk, "variant": None, "with": None})),
                side is comparison.sides.baseline,
            )
            for side in comparison.sides
        ],
    )


def _macro_f1(comparison: Comparison, side: Side, primary: Evaluator) -> str:
    scorings = [] if side.is_averaged else side.scorings.get(primary.pk, [])
    ended = [scoring for scoring in scorings if scoring.summary]
    is_counted = bool(ended) and comparison.figures.size <= labels_alike.MOST
    value = labels_alike.macro_f1(ended[0]) if is_counted else None
    return "" if value is None else f"macro-F1 {fixed(value, 2)}"
