"""Results as small SVG drawings: geometry in attributes, colour in charts.css, no script, no style.

Right and up are better, whatever the direction of the evaluator. Every drawing says its numbers twice:
also in its label, in an unseen text, or in a table that appears when it gets the focus.
"""

from .distribution import histogram, overlay
from .effect import Interval, interval_plot, intervals, outcomes, progress, shared_scale, sparkline, ticks
from .lines import lines, swatch
from .scatter import scatter

__all__ = [
    "Interval",
    "histogram",
    "interval_plot",
    "intervals",
    "lines",
    "outcomes",
    "overlay",
    "progress",
    "scatter",
    "shared_scale",
    "sparkline",
    "swatch",
    "ticks",
]
