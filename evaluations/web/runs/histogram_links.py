"""Histograms whose bins link to their rows: drawn once per summary, then completed with each page's addresses."""

import math
from collections.abc import Hashable
from urllib.parse import urlencode

from django.utils.html import escape
from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Scoring
from evaluations.process_cache import ProcessCache
from evaluations.results.filter_params import pairs_of
from evaluations.results.filters import Filters, ScoreFilter
from evaluations.scoring.summaries import Figures

MOST_DRAWINGS = 1_000  # about ten kilobytes each
ADDRESS = "\0"  # placeholder for the address in a cached drawing; no text of a page contains it

process_cache: ProcessCache[Hashable, str] = ProcessCache("histograms", MOST_DRAWINGS)


def drawn(scoring: Scoring, recipe: Recipe, summary: Figures, all_bins: str) -> SafeString:
    """The histogram of a summary; each bin links to its rows, under the other filters of `all_bins`."""
    bins = summary["histogram"]
    numbers = (tuple(bins["edges"]), tuple(bins["counts"]), recipe.threshold, recipe.direction)
    evaluator = scoring.evaluator_version.evaluator
    key = (evaluator.pk, evaluator.name, *numbers)
    if (cached := process_cache.get(key)) is None:
        cached = _with_address_placeholder(scoring, recipe, summary)
        process_cache.put(key, cached)
    return SafeString(cached.replace(ADDRESS, escape(f"{all_bins}{'&' if '?' in all_bins else '?'}")))


def _with_address_placeholder(scoring: Scoring, recipe: Recipe, summary: Figures) -> str:
    lowest, highest = summary["histogram"]["edges"][0], summary["histogram"]["edges"][-1]

    def bin_address(low: float, high: float) -> str:
        """The address of a bin's rows; the end bins include values outside."""
        below = None if high == highest else math.nextafter(high, -math.inf)
        score_filter = ScoreFilter(scoring, low=None if low == lowest else low, high=below)
        return ADDRESS + urlencode(pairs_of(Filters(scores=(score_filter,))))

    name = scoring.evaluator_version.evaluator.name
    return charts.histogram(summary, recipe.threshold, recipe.direction, bin_address, of=name)
