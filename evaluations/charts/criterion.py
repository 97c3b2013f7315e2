"""The drawing of a gate's criterion: the interval of a difference, and the limit that it is compared with."""

from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import signed

from .ranges import Axis, Range, axis_labels, points, range_plot

HEIGHT = 20  # that of a line of text, so that both stand on one line
FREE = 0.06  # share of the axis that is added at each end, so that the label of a limit stands below its line


def criterion(result: Mapping[str, Any]) -> SafeString | None:
    """The interval of a stored result on its own scale, with the margin as a line; None without an interval."""
    if result["interval"] is None:
        return None
    is_turned = result["direction"] == "minimize"
    margin = result["margin"]
    limit = None if margin is None else margin if is_turned else -margin
    low, high = result["interval_90"] if margin is not None else result["interval"]
    shown = Range(low, result["difference"], high)
    axis = Axis.covering([shown, Range(limit, None, None)], is_turned=is_turned).widened(FREE)
    # the unit of a result is stored only in words, and those of one without a figure lack it
    is_in_points = " points" in result["words"] or result["title"].endswith((" points worse", " point worse"))
    labels = axis_labels(axis, written=points if is_in_points else signed)
    return format_html("{}{}", range_plot(axis, shown, height=HEIGHT, limit=limit), labels)
