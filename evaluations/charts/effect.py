"""Drawings of differences: intervals on one zero line, outcomes, ticks per evaluator, a mean's course."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import compact, fixed, grouped, plural, signed

from .svg import join, picture, px

NICE = (1, 1.5, 2, 3, 5, 7, 10)
SIGNS = {
    name: format_html(
        '<svg class="icon icon-solid" viewBox="0 0 8 8" aria-hidden="true"><path d="{}"/></svg>', path
    )
    for name, path in {
        "better": "M4 .8 7.6 7.2H.4z",
        "worse": "M4 7.2.4.8h7.2z",
        "same": "M.5 2h7v1.4h-7zM.5 4.7h7v1.4h-7z",
    }.items()
}
STROKES = {"better": "7.5v-6.5", "worse": "8.5v6.5", "same": "7v2", "none": "7v2"}
WORDS = {"better": "better", "worse": "worse", "same": "the same", "cannot_tell": "no clear difference"}


class Interval(NamedTuple):
    """A difference to the baseline in the evaluator's own numbers; None for what could not be computed."""

    low: float | None
    point: float | None
    high: float | None
    verdict: str
    direction: str = "maximize"
    name: str = ""


def shared_scale(intervals: Iterable[Interval]) -> float:
    """The largest bound rounded up: what half the width of each plot in one table stands for.

    >>> shared_scale([Interval(-0.138, -0.1, -0.056, "worse"), Interval(0.018, 0.061, 0.104, "better")])
    0.15
    """
    bounds = [abs(x) for i in intervals for x in i[:3] if x is not None and math.isfinite(x)]
    largest = max(bounds, default=0.0)
    if not largest:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(round(n * power, 12) for n in NICE if n * power >= largest * (1 - 1e-9))


def interval_plot(
    low: float | None,
    point: float | None,
    high: float | None,
    scale: float,
    direction: str,
    verdict: str,
    *,
    width: int = 72,
    height: int = 25,
) -> SafeString:
    """One difference on the zero line that it shares with the rows above and below."""
    return intervals([Interval(low, point, high, verdict, direction)], scale, width=width, height=height)


def intervals(shown: Sequence[Interval], scale: float, *, width: int = 144, height: int = 0) -> SafeString:
    """Several differences on one zero line, the first on top."""
    height = height or max(28, 9 * len(shown) + 4)
    top = height / 2 - 4.5 * (len(shown) - 1)
    zero = format_html('<path class="interval-zero" d="M{} 0v{}"/>', px(width / 2), height)
    drawn = join(_interval(interval, scale, width, top + 9 * i) for i, interval in enumerate(shown))
    return picture(
        "interval", width, height, "; ".join(_spoken(interval) for interval in shown), zero + drawn
    )


def _spoken(interval: Interval) -> str:
    words = f"{interval.name} {WORDS[interval.verdict]}".strip()
    if interval.point is None:
        return words
    words += f", {signed(interval.point)}"
    if interval.low is None or interval.high is None:
        return words
    return f"{words}, 95 % interval {signed(interval.low)} to {signed(interval.high)}"


def _interval(interval: Interval, scale: float, width: int, y: float) -> SafeString:
    half = width / 2 if interval.direction != "minimize" else -width / 2
    left, centre, right = (None if v is None else width / 2 + half * v / scale for v in interval[:3])
    if half < 0:
        left, right = right, left
    parts = [SafeString("")]
    if left is not None and right is not None:
        ends = (px(_inside(left, width)), px(y), px(_inside(right, width)))
        parts.append(format_html('<path class="interval-range" d="M{} {}H{}"/>', *ends))
        if left < 0:
            parts.append(_arrow(0, 3, y))
        if right > width:
            parts.append(_arrow(width, -3, y))
    if centre is not None:
        place = (px(_inside(centre, width)), px(y))
        parts.append(format_html('<circle class="interval-point" cx="{}" cy="{}" r="2.5"/>', *place))
    return format_html('<g data-verdict="{}">{}</g>', interval.verdict, join(parts))


def _inside(x: float, width: int) -> float:
    return min(max(x, 1), width - 1)


def _arrow(tip: float, back: float, y: float) -> SafeString:
    """The head at the end of an interval that goes on outside the plot."""
    places = (px(tip + back), px(y - 3), px(tip), px(y), px(tip + back), px(y + 3))
    return format_html('<path class="interval-more" d="M{} {}L{} {}L{} {}"/>', *places)


def outcomes(wins: int, losses: int, ties: int, links: Callable[[str], str] | None = None) -> SafeString:
    """Examples better, worse and the same over one bar. `links` gives the address for each of these words."""
    counts = {"better": wins, "worse": losses, "same": ties}
    total = max(1, sum(counts.values()))
    said, bars, before = [], [], 0
    for word, n in counts.items():
        href = format_html(' href="{}"', links(word)) if links else ""
        title = format_html(' title="{}"', grouped(n)) if n >= 10_000 else ""
        inner = (word, href, title, SIGNS[word], compact(n), WORDS[word])
        said.append(format_html('<a class="{}"{}{}>{}{}<span class="unseen"> {}</span></a>', *inner))
        box = (word, f"{100 * before / total:.2f}%", f"{100 * n / total:.2f}%")
        bars.append(format_html('<rect class="bar-{}" x="{}" width="{}" height="2"/>', *box))
        before += n
    return format_html(
        '<span class="outcomes">{}<svg width="100%" height="2" aria-hidden="true">{}</svg></span>',
        join(said),
        join(bars),
    )


def ticks(deltas: Sequence[float | None]) -> SafeString:
    """A stroke per evaluator, up for better, down for worse; `deltas` are improvements or None."""
    return _strokes(
        tuple("none" if d is None else "better" if d > 0 else "worse" if d < 0 else "same" for d in deltas)
    )


@lru_cache(maxsize=10_000)
def _strokes(kinds: tuple[str, ...]) -> SafeString:
    label = f"{kinds.count('better')} better, {kinds.count('worse')} worse, {kinds.count('same')} the same"
    if lacking := kinds.count("none"):
        label += f", {lacking} without a score"
    places = ((kind, 2 + 5 * i, STROKES[kind]) for i, kind in enumerate(kinds))
    strokes = format_html_join("", '<path class="tick-{}" d="M{} {}"/>', places)
    return picture("ticks", max(4, 5 * len(kinds) - 1), 16, label, strokes)


def sparkline(values: Sequence[float | None], *, width: int = 88, height: int = 24) -> SafeString:
    """The course of a few numbers, the last one dotted. None is left out; fewer than two draw nothing."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if len(known) < 2:
        return SafeString("")
    low, span = min(known), (max(known) - min(known)) or 1.0
    step = (width - 4) / (len(known) - 1)
    points = [
        (px(2 + i * step), px(height - 3 - (height - 6) * (v - low) / span)) for i, v in enumerate(known)
    ]
    line = format_html('<path d="M{}"/>', "L".join(f"{x} {y}" for x, y in points))
    dot = format_html('<circle cx="{}" cy="{}" r="2.25"/>', *points[-1])
    label = f"from {fixed(known[0], 2)} to {fixed(known[-1], 2)} over {plural(len(known), 'run')}"
    return picture("sparkline", width, height, label, line + dot)


def progress(done: int, total: int, label: str = "Examples scored") -> SafeString:
    """A bar; while the total is not known it is without a value."""
    if not total:
        return format_html('<progress aria-label="{}"></progress>', label)
    return format_html(
        '<progress max="{}" value="{}" aria-label="{}">{} of {}</progress>',
        *(total, done, label, grouped(done), grouped(total)),
    )
