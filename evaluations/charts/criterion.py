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
    return criteria([result])[0]


def criteria(results: Sequence[Mapping[str, Any]]) -> list[SafeString | None]:
    """The same of several runs by one criterion, below each other on one scale, which the last of them labels."""
    drawn = [result for result in results if result["interval"] is not None]
    if not drawn:
        return [None] * len(results)
    is_turned = drawn[0]["direction"] == "minimize"
    limits = [Range(_limit(result), None, None) for result in drawn]
    axis = Axis.covering([*map(_range, drawn), *limits], is_turned=is_turned).widened(FREE)
    plots: list[SafeString | None] = []
    for result in results:
        if result["interval"] is None:
            plots.append(None)
            continue
        plot = range_plot(axis, _range(result), height=HEIGHT, limit=_limit(result))
        plots.append(format_html("{}{}", plot, _labels(axis, result) if result is drawn[-1] else ""))
    return plots


def _limit(result: Mapping[str, Any]) -> float | None:
    margin: float | None = result["margin"]
    return margin if margin is None or result["direction"] == "minimize" else -margin


def _range(result: Mapping[str, Any]) -> Range:
    low, high = result["interval_90"] if result["margin"] is not None else result["interval"]
    return Range(low, result["difference"], high)


def _labels(axis: Axis, result: Mapping[str, Any]) -> SafeString:
    # the unit of a result is stored only in words, and those of one without a figure lack it
    is_in_points = " points" in result["words"] or result["title"].endswith((" points worse", " point worse"))
    return axis_labels(axis, written=points if is_in_points else signed)
