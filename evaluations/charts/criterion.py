"""The drawing of a gate's criterion: the interval of a difference, and the limit that it is compared with."""

from collections.abc import Mapping
from typing import Any

from django.utils.safestring import SafeString

from .ranges import Axis, Range, range_plot

HEIGHT = 34


def criterion(result: Mapping[str, Any]) -> SafeString | None:
    """The interval of a stored result on its own scale, with the margin as a line; None without an interval."""
    if result["interval"] is None:
        return None
    is_turned = result["direction"] == "minimize"
    margin = result["margin"]
    limit = None if margin is None else margin if is_turned else -margin
    low, high = result["interval_90"] if margin is not None else result["interval"]
    shown = Range(low, result["difference"], high)
    axis = Axis.covering([shown, Range(limit, None, None)], is_turned=is_turned)
    return range_plot(axis, shown, height=HEIGHT, limit=limit)
