"""The table of experiments and the legend of its drawings."""

from typing import Any

from evaluations.charts import Interval, intervals, shared_scale, sparkline
from evaluations.comparisons.overviews import Overview


def table(overviews: list[Overview]) -> list[dict[str, Any]]:
    """Rows of the table of experiments; evaluators of the same range share one scale."""
    drawn = [(overview, shown_intervals(overview), bounds(overview)) for overview in overviews]
    by_bounds: dict[Any, list[Interval]] = {}
    for _, shown, key in drawn:
        by_bounds.setdefault(key, []).extend(shown)
    scales = {key: shared_scale(shown) for key, shown in by_bounds.items()}
    return [
        {
            "overview": overview,
            "plot": intervals(shown, scales[key]) if shown else "",
            "trend": sparkline(overview.course),
            "best": overview.course[-1] if overview.course else None,
        }
        for overview, shown, key in drawn
    ]


def shown_intervals(overview: Overview) -> list[Interval]:
    """The interval of the best variant."""
    entry = overview.entry
    if entry is None:
        return []
    low, high = entry.paired.interval or (None, None)
    verdict = entry.paired.verdict or "cannot_tell"
    return [Interval(low, entry.paired.difference, high, verdict, entry.paired.direction, entry.run.variant)]


def bounds(overview: Overview) -> Any:
    """What rows must have in common to share a scale: the range; without an upper end, a row stands alone."""
    if overview.comparison is None or overview.primary is None:
        return None
    low, high = overview.comparison.bounds(overview.primary.pk)
    return (low, high) if high is not None else overview.experiment.pk


LEGEND = [
    (
        intervals([Interval(0.21, 0.41, 0.61, "better")], 1.0),
        (
            "better",
            "Better.",
            "The whole interval is right of the line: better than the baseline.",
        ),
    ),
    (
        intervals([Interval(-0.59, -0.37, -0.14, "worse")], 1.0),
        ("worse", "Worse.", "The whole interval is left of the line."),
    ),
    (
        intervals([Interval(-0.15, 0.12, 0.39, "cannot_tell")], 1.0),
        (
            "cannot_tell",
            "No clear difference.",
            "The interval includes the line. More examples make it narrower.",
        ),
    ),
]
