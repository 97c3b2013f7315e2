"""Results as small SVG drawings: geometry in attributes, colour in charts.css, no script, no style.

Right and up are better, whatever the direction of the evaluator. Every drawing says its numbers twice:
also in its label, in an unseen text, or in a table that appears when it gets the focus.
"""

from .distribution import histogram, overlay
from .effect import Interval, interval_plot, intervals, outcomes, progress, shared_scale, sparkline, ticks
from .lines import lines, swatch
from .ranges import Axis, Range, axis_labels, baseline_plot, range_plot, track
from .scatter import scatter

__all__ = [
    "Axis",
    "Interval",
    "Range",
    "axis_labels",
    "baseline_plot",
    "histogram",
    "interval_plot",
    "intervals",
    "lines",
    "outcomes",
    "overlay",
    "progress",
    "range_plot",
    "scatter",
    "shared_scale",
    "sparkline",
    "swatch",
    "ticks",
    "track",
]
