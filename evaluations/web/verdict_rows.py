"""Experiments in a list: each with its verdict in a few words, and the difference that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Axis, axis_labels, range_plot
from evaluations.comparisons.overviews import Overview

from .verdict_tables import Change

HEIGHT = 48
REACH = 0.1  # The axis that all evaluators with scores from 0 to 1 share; an arrow marks what lies beyond.


@dataclass(frozen=True)
class Listed:
    """`change` is the best variant's against the default baseline; None where nothing is compared."""

    overview: Overview
    change: Change | None
    plot: SafeString
    has_own_scale: bool


def axis() -> SafeString:
    """The labels over the plots of a list."""
    return axis_labels(Axis(-REACH, REACH))


def listed(overviews: Sequence[Overview]) -> list[Listed]:
    return [_listed(overview) for overview in overviews]


def _listed(overview: Overview) -> Listed:
    entry, comparison, primary = overview.entry, overview.comparison, overview.primary
    if entry is None or comparison is None or primary is None:
        return Listed(overview, None, SafeString(""), has_own_scale=False)
    change, is_turned = Change.of(entry.paired), entry.paired.direction == "minimize"
    is_shared = comparison.bounds(primary.pk) == (0, 1)
    axis = Axis(-REACH, REACH, is_turned) if is_shared else Axis.of([change.range], is_turned=is_turned)
    plot = range_plot(axis, change.range, height=HEIGHT, grid=is_shared)
    return Listed(overview, change, plot, has_own_scale=not is_shared)
