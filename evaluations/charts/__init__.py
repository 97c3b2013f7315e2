"""Results as small SVG drawings: geometry in attributes, colours in charts.css, no scripts, no inline styles.

Right and up are better, whatever the direction of the evaluator. Every drawing has its numbers
as text too: in its label, in a hidden text, or in a table that appears when it gets the focus.
"""

from .attempts import beads, fan, shares, thirds
from .caterpillar import caterpillar
from .counts import outcomes, progress, ticks
from .criterion import criteria, criterion
from .distribution import histogram, overlay, proportion
from .lines import lines, swatch
from .ranges import Axis, Range, axis_labels, baseline_plot, per_cent, points, range_plot, track
from .scatter import pair, scatter
from .sequence import sequence
from .sparkline import sparkline
from .tradeoff import Point, tradeoff
from .trend import trend, trend_table

__all__ = [
    "Axis",
    "Point",
    "Range",
    "axis_labels",
    "baseline_plot",
    "beads",
    "caterpillar",
    "criteria",
    "criterion",
    "fan",
    "histogram",
    "lines",
    "outcomes",
    "overlay",
    "pair",
    "per_cent",
    "points",
    "progress",
    "proportion",
    "range_plot",
    "scatter",
    "sequence",
    "shares",
    "sparkline",
    "swatch",
    "thirds",
    "ticks",
    "track",
    "tradeoff",
    "trend",
    "trend_table",
]
