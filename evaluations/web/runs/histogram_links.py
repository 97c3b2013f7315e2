"""Histograms whose bins link to their rows: drawn once per summary, then completed with each page's addresses."""

import math
from collections.abc import Collection, Hashable
from typing import TypeAlias
from urllib.parse import urlencode

from django.utils.html import escape
from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.evaluators.recipe import Recipe
from evaluations.models import EvaluatorVersion, Run, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.results.filter_params import pairs_of
from evaluations.results.filters import Filters, ScoreFilter
from evaluations.scoring.summaries import Figures

MOST_DRAWINGS = 1_000  # about ten kilobytes each
ADDRESS = "\0"  # placeholder for the address in a cached drawing; no text of a page contains it

process_cache: ProcessCache[Hashable, str] = ProcessCache("histograms", MOST_DRAWINGS)


Axis: TypeAlias = tuple[float, float]


def axes(run: Run, versions: Collection[EvaluatorVersion]) -> dict[int, Axis]:
    """By evaluator version, the ends of the histograms of all runs of the experiment, where its scores have no bound.

    So the same place in the histograms of two runs is the same score.
    """
    open_ended = [version for version in versions if None in Recipe.from_version(version).bounds]
    if not open_ended:
        return {}
    of_all = Scoring.objects.filter(run__experiment=run.experiment_id, run__deleted_at=None)
    known: dict[int, list[Axis]] = {}
    for scoring in of_all.filter(evaluator_version__in=open_ended, summary__isnull=False):
        if edges := (scoring.summary or {}).get("histogram", {}).get("edges"):
            known.setdefault(scoring.evaluator_version_id, []).append((edges[0], edges[-1]))
    return {pk: (min(low for low, _ in ends), max(high for _, high in ends)) for pk, ends in known.items()}


def drawn(
    scoring: Scoring, recipe: Recipe, summary: Figures, all_bins: str, axis: Axis | None = None
) -> SafeString:
    """The histogram of a summary; each bin links to its rows, under the other filters of `all_bins`."""
    bins = summary["histogram"]
    own = bins["edges"][0], bins["edges"][-1]
    ends = (min(axis[0], own[0]), max(axis[1], own[1])) if axis else own  # its own may be newer
    numbers = (tuple(bins["edges"]), tuple(bins["counts"]), recipe.threshold, recipe.direction, ends)
    evaluator = scoring.evaluator_version.evaluator
    key = (evaluator.pk, evaluator.name, *numbers)
    if (cached := process_cache.get(key)) is None:
        cached = _with_address_placeholder(scoring, recipe, summary, ends)
        process_cache.put(key, cached)
    return SafeString(cached.replace(ADDRESS, escape(f"{all_bins}{'&' if '?' in all_bins else '?'}")))


def _with_address_placeholder(scoring: Scoring, recipe: Recipe, summary: Figures, ends: Axis) -> str:
    lowest, highest = summary["histogram"]["edges"][0], summary["histogram"]["edges"][-1]

    def bin_address(low: float, high: float) -> str:
        """The address of a bin's rows; the end bins include values outside."""
        below = None if high == highest else math.nextafter(high, -math.inf)
        score_filter = ScoreFilter(scoring, low=None if low == lowest else low, high=below)
        return ADDRESS + urlencode(pairs_of(Filters(scores=(score_filter,))))

    name = scoring.evaluator_version.evaluator.name
    return charts.histogram(summary, recipe.threshold, recipe.direction, bin_address, of=name, axis=ends)
