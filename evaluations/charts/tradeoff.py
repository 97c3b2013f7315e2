"""A scatter plot of quality against cost, time or tokens, with both intervals. Up and left are better."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import NONE, fixed
from evaluations.short_texts import NARROW, short_names
from evaluations.statistics.intervals import PERCENT

from . import naming
from .ranges import Axis, Range, beyond, decimals, per_cent
from .svg import join, numbers, plain, px

HEIGHT = 170  # pixels between the top and the horizontal axis
MARGIN = 0.08  # share of both axes that stays empty at their ends
LABELS = 0.08  # share of the horizontal axis that the labels of the vertical one take besides
SAME = 1e-9  # Values that differ by less than this share are equal but for rounding.
WIDE = 10.0  # Above this ratio of the largest to the smallest value, the horizontal axis is logarithmic.
MOST_NAMES = 8


@dataclass(frozen=True)
class Point:
    """A variant: its cost, time or tokens (`across`, lower is better), and its quality (`up`)."""

    name: str
    across: Range
    up: Range
    is_baseline: bool = False

    @property
    def values(self) -> tuple[float, float]:
        return self.across.point or 0.0, self.up.point or 0.0


def tradeoff(
    points: Sequence[Point],
    across_name: str,
    up_name: str,
    *,
    lower_is_better: bool = False,
    is_share: bool = False,
) -> SafeString:
    """The variants, with a dashed line along the Pareto frontier; all numbers as a table.

    `lower_is_better` is about the quality, which is written in per cent if it `is_share`. If there are more than eight
    variants, only those on the frontier are named.
    """
    plot = _Plot(points, lower_is_better, is_share)
    return format_html(
        '<div class="tradeoff"><svg height="{}" width="100%" aria-hidden="true">{}{}{}{}</svg></div>{}',
        HEIGHT,
        join(plot.grid()),
        join(plot.frontier_lines()),
        join(plot.mark(point) for point in points),
        join(plot.names()),
        numbers(f"{up_name} and {across_name} in numbers", _heads(across_name, up_name), map(_row, points)),
    )


@dataclass(frozen=True)
class _Plot:
    points: Sequence[Point]
    lower_is_better: bool
    is_share: bool = False

    @cached_property
    def is_log(self) -> bool:
        xs = [point.values[0] for point in self.points]
        return min(xs) > 0 and max(xs) > WIDE * min(xs)

    @cached_property
    def across(self) -> Axis:
        lowest = min(point.values[0] for point in self.points)
        values = [
            self._scaled(max(value, lowest / 2)) for point in self.points for value in point.across.values
        ]
        axis = _axis(values)
        return Axis(axis.low - LABELS * (axis.high - axis.low), axis.high)

    @cached_property
    def up(self) -> Axis:
        return _axis([v for point in self.points for v in point.up.values], is_turned=self.lower_is_better)

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def _drawn(self, shown: Range) -> Range:
        """A range in the units of the horizontal axis, where a logarithm has no value for zero and below."""
        return Range(
            *(
                None if value is None else -math.inf if self.is_log and value <= 0 else self._scaled(value)
                for value in (shown.low, shown.point, shown.high)
            )
        )

    def x(self, value: float) -> str:
        if self.is_log and value <= 0:
            return "0%"
        return self.across.percent(self._scaled(value))

    def y(self, value: float) -> float:
        """The height of a quality, in pixels from the top."""
        return HEIGHT * (1 - float(self.up.percent(value).removesuffix("%")) / 100)

    # ---- parts of the drawing --------------------------------------------------------------------------------

    def grid(self) -> Iterator[SafeString]:
        for tick, written in zip(self.up.ticks, _alike(self.up.ticks), strict=True):
            line = '<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/><text x="0" y="{0}" dy="-3">{1}</text>'
            label = per_cent(tick, decimals(self.up)) if self.is_share else written
            yield format_html(line, px(self.y(tick)), label)
        ticks = self._ticks()
        for tick, written in zip(ticks, map(plain, ticks) if self.is_log else _alike(ticks), strict=True):
            line = (
                '<line class="grid" x1="{0}" x2="{0}" y1="0" y2="{1}"/>'
                '<text x="{0}" y="{1}" dy="14" text-anchor="middle">{2}</text>'
            )
            yield format_html(line, self.x(tick), HEIGHT, written)
        yield format_html('<text x="0" y="{}" dy="14">← less</text>', HEIGHT)

    def _ticks(self) -> list[float]:
        """The ticks of the horizontal axis, except where its label stands."""
        ticks = self._powers() if self.is_log else [tick for tick in self.across.ticks if tick >= 0]
        return [tick for tick in ticks if 14 < float(self.x(tick).removesuffix("%")) < 98]

    def _powers(self) -> list[float]:
        """Ticks of a logarithmic axis: powers of ten, with their doubles and halves if these are few."""
        first, last = math.floor(self.across.low), math.ceil(self.across.high)
        digits = (1, 2, 5) if last - first < 4 else (1,)
        powers = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
        return [tick for tick in powers if self.across.low <= math.log10(tick) <= self.across.high]

    @cached_property
    def frontier(self) -> list[Point]:
        """The Pareto frontier: the points that no other beats in both, the cheapest first."""
        sign = -1 if self.lower_is_better else 1
        chosen: list[Point] = []
        for point in sorted(self.points, key=lambda point: (point.values[0], -sign * point.values[1])):
            if not chosen or sign * point.values[1] > sign * chosen[-1].values[1]:
                chosen.append(point)
        return chosen

    def frontier_lines(self) -> Iterator[SafeString]:
        """The frontier as steps: the best quality at each cost."""
        below = float(HEIGHT)
        for index, point in enumerate(self.frontier):
            x, y = self.x(point.values[0]), self.y(point.values[1])
            next_x = self.x(self.frontier[index + 1].values[0]) if index + 1 < len(self.frontier) else "100%"
            yield _line("frontier", x, x, below, y)
            yield _line("frontier", x, next_x, y, y)
            below = y

    def mark(self, point: Point) -> SafeString:
        x, y = self.x(point.values[0]), self.y(point.values[1])
        whiskers = []
        if point.across.low is not None and point.across.high is not None:
            whiskers.append(_line("whisker", self.x(point.across.low), self.x(point.across.high), y, y))
            whiskers += map(SafeString, beyond(self.across, self._drawn(point.across), px(y)))
        if point.up.low is not None and point.up.high is not None:
            whiskers.append(_line("whisker", x, x, self.y(point.up.low), self.y(point.up.high)))
        drawn = '<circle class="{}" cx="{}" cy="{}" r="4"/>'
        square = '<rect class="{}" x="{}" y="{}" width="8" height="8" transform="translate(-4 -4)"/>'
        name = "on" if point in self.frontier else "off"
        dot = format_html(square if point.is_baseline else drawn, name, x, px(y))
        return format_html("<g><title>{}</title>{}{}</g>", point.name, join(whiskers), dot)

    def names(self) -> Iterator[SafeString]:
        """The names beside the points, from top to bottom, off each other and off what is drawn."""
        named = self.points if len(self.points) <= MOST_NAMES else self.frontier[-MOST_NAMES:]
        ordered = sorted(named, key=lambda point: self.y(point.values[1]))
        shown = short_names((point.name for point in self.points), NARROW)
        texts = [shown[point.name] for point in ordered]
        asked = [(*self._at(*point.values), text) for point, text in zip(ordered, texts, strict=True)]
        found = naming.places(asked, list(self._boxes()), HEIGHT)
        for point, text, place in zip(ordered, texts, found, strict=True):
            anchor, dx = ("end", -naming.BESIDE) if place.is_left else ("start", naming.BESIDE)
            drawn = '<text class="name" x="{}" y="{}" dx="{}" text-anchor="{}">{}</text>'
            yield format_html(drawn, self.x(point.values[0]), px(place.foot), dx, anchor, text)

    def _at(self, across: float, up: float) -> tuple[float, float]:
        """A place in pixels of a narrow drawing."""
        return naming.NARROW * float(self.x(across).removesuffix("%")) / 100, self.y(up)

    def _boxes(self) -> Iterator[naming.Box]:
        """What names should not cover: points, whiskers and the steps of the frontier."""
        for point in self.points:
            x, y = self._at(*point.values)
            yield naming.Box(x - 5, y - 5, x + 5, y + 5, naming.POINT)
            if point.across.low is not None and point.across.high is not None:
                (left, _), (right, _) = self._at(point.across.low, 0.0), self._at(point.across.high, 0.0)
                yield naming.Box(left, y - 1, right, y + 1, naming.WHISKER)
            if point.up.low is not None and point.up.high is not None:
                top, bottom = sorted((self.y(point.up.low), self.y(point.up.high)))
                yield naming.Box(x - 1, top, x + 1, bottom, naming.WHISKER)
        steps = [self._at(*point.values) for point in self.frontier]
        for (x, y), (next_x, _) in pairwise([*steps, (naming.NARROW, 0.0)]):
            yield naming.Box(x, y - 1, next_x, y + 1, naming.STEP)


def _alike(ticks: Sequence[float]) -> list[str]:
    """The labels of one axis, with equally many decimals.

    >>> _alike([0.15, 0.152]), _alike([1.0, 2.0]), _alike([1e-9, 2e-9])
    (['0.150', '0.152'], ['1', '2'], ['1e−09', '2e−09'])
    """
    written = [plain(tick) for tick in ticks]
    if any("e" in one for one in written):
        return written
    places = max((len(one.partition(".")[2]) for one in written), default=0)
    return [fixed(tick, places) for tick in ticks]


def _axis(values: Sequence[float], *, is_turned: bool = False) -> Axis:
    low, high = min(values), max(values)
    if high - low <= SAME * max(abs(low), abs(high)):
        low = high
    margin = MARGIN * ((high - low) or abs(high) or 1.0)
    return Axis(low - margin, high + margin, is_turned)


def _line(name: str, x1: str, x2: str, y1: float, y2: float) -> SafeString:
    line = '<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>'
    return format_html(line, name, x1, x2, px(y1), px(y2))


def _heads(across_name: str, up_name: str) -> tuple[str, ...]:
    ends = f"{PERCENT} interval"
    return "Variant", up_name, ends, across_name, ends


def _row(point: Point) -> tuple[str, ...]:
    return point.name, *_figures(point.up), *_figures(point.across)


def _figures(shown: Range) -> tuple[str, str]:
    mean = NONE if shown.point is None else plain(shown.point)
    if shown.low is None or shown.high is None:
        return mean, NONE
    return mean, f"{plain(shown.low)} to {plain(shown.high)}"
