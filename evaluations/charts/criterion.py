"""The drawing of a gate's criterion: the interval of a difference, and the limit that it is compared with."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import signed

from .ranges import Axis, Range, axis_labels, points, range_plot

HEIGHT = 20  # that of a line of text, so that both stand on one line
FREE = 0.06  # share of the axis that is added at each end, so that the label of a limit stands below its line


def criterion(result: Mapping[str, Any]) -> SafeString | None:
    """The interval of a stored result on its own scale, with the margin as a line; None without an interval."""
    [plot], axis = criteria([result])
    return None if plot is None else format_html("{}{}", plot, axis)


def criteria(results: Sequence[Mapping[str, Any]]) -> tuple[list[SafeString | None], SafeString]:
    """The same of several runs by one criterion, on one scale, and the labels of that scale."""
    drawn = [result for result in results if result["interval"] is not None]
    if not drawn:
        return [None] * len(results), SafeString("")
    is_turned = drawn[0]["direction"] == "minimize"
    limits = [Range(_limit(result), None, None) for result in drawn]
    axis = Axis.covering([*map(_range, drawn), *limits], is_turned=is_turned).widened(FREE)
    plots = [
        None
        if result["interval"] is None
        else range_plot(axis, _range(result), height=HEIGHT, limit=_limit(result) or None)
        for result in results
    ]
    return plots, _labels(axis, drawn[-1])


def _limit(result: Mapping[str, Any]) -> float | None:
    """The difference that a run must not fall below; None where it must be better than 0."""
    margin: float | None = result["margin"]
    return margin if margin is None or result["direction"] == "minimize" else -margin


def _range(result: Mapping[str, Any]) -> Range:
    low, high = result["interval_90"] if result["margin"] is not None else result["interval"]
    return Range(low, result["difference"], high)


def _labels(axis: Axis, result: Mapping[str, Any]) -> SafeString:
    # the unit of a result is stored only in words, and those of one without a figure lack it
    is_in_points = " points" in result["words"] or result["title"].endswith((" points worse", " point worse"))
    return axis_labels(axis, written=points if is_in_points else signed)
