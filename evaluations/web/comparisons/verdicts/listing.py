"""Rows of lists of experiments: the short verdict, and the difference behind it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from evaluations.charts import Axis, axis_labels, range_plot
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.overviews import Overview
from evaluations.models import Experiment

from ...page_tools.paging import extended
from .changes import Change, common_axis

HEIGHT = 48
REACHES = (0.1, 0.2, 0.5, 1.0)  # half the axis for scores from 0 to 1
COVERED = 0.75  # share of the rows that it covers; an arrow marks differences beyond it


@dataclass(frozen=True)
class Row:
    """`change` is the best variant's difference from the default baseline; None without a comparison.

    If the baseline itself is the best of several, `change` is that of the second best, named by `next`.
    """

    overview: Overview
    change: Change | None
    next: str
    plot: SafeString
    has_own_scale: bool
    named_subsets: dict[str, str]


def drawn_axis(overviews: Sequence[Overview]) -> SafeString:
    """The axis labels above the plots of a list."""
    end = reach(overviews)
    return axis_labels(Axis(-end, end), (-end, 0.0, end))


def rows(overviews: Sequence[Overview]) -> list[Row]:
    end = reach(overviews)
    return [_row(overview, end) for overview in overviews]


def reach(overviews: Sequence[Overview]) -> float:
    """Half of the shared axis, so that most rows fit on it, however far the others are."""
    sizes = sorted(
        max(map(abs, Change.from_paired(overview.entry.paired).range.values), default=0.0)
        for overview in overviews
        if overview.entry and _is_shared(overview)
    )
    covered = sizes[math.ceil(COVERED * len(sizes)) - 1] if sizes else 0.0
    return next((end for end in REACHES if covered <= end), REACHES[-1])


def _is_shared(overview: Overview) -> bool:
    comparison, primary = overview.comparison, overview.primary
    return bool(comparison and primary and comparison.bounds(primary.pk) == (0, 1))


def _row(overview: Overview, end: float) -> Row:
    entry, comparison, primary = overview.entry, overview.comparison, overview.primary
    if entry is None or comparison is None or primary is None:
        return Row(overview, None, "", SafeString(""), has_own_scale=False, named_subsets={})
    change = Change.from_paired(entry.paired)
    is_shared = _is_shared(overview)
    shared = Axis(-end, end, entry.paired.direction == "minimize")
    axis = shared if is_shared else common_axis(comparison, primary, [change])
    plot = range_plot(axis, change.range, height=HEIGHT, grid=is_shared)
    baseline_is_best = (
        len(comparison.ranking) > 2 and comparison.ranking[0].side.run == comparison.baseline.run
    )
    following = comparison.label(entry.run) if baseline_is_best else ""
    return Row(
        overview, change, following, plot, not is_shared, _named_subsets(overview.experiment, comparison)
    )


def _named_subsets(experiment: Experiment, comparison: Comparison) -> dict[str, str]:
    page = reverse("experiment-detail", args=[experiment.pk])
    return {
        label: extended(page, **{f"metadata[{column}]": value})
        for label, (column, value) in comparison.named_subsets.items()
    }
