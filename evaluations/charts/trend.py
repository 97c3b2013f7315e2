"""A line chart of means over time, dashed between scores that are not comparable. Up is better.

Dots of a single day are as far apart as their order says, with clock times below them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import fixed
from evaluations.short_texts import short_names, shortened
from evaluations.statistics.intervals import PERCENT

from . import naming
from .moments import moments
from .ranges import Axis
from .svg import anchor, join, mark, numbers, plain, px

HEIGHT = 280  # pixels
MARGIN = 0.08
MOST_NAMES, LONGEST_NAME, SHORT_NAME, LINE = 8, 30, 15, 14
STEPS = 24  # of a line, as names are placed off it
# rows above the dots for the labels of changes close to each other; pixels of a row
MARK_LINES, MARK_LINE, MOST_OF_MARK = 3, 16, 64
FAR = 10  # percent of the width between the ends of lines
# percent of the width between dots that are no step of a line, such as versions of one experiment
TOGETHER = 2
DAY_APART = 16  # percent of the width between dates
SHORTEST = 86_400  # seconds that the chart spans at least: runs of one experiment differ by chance


@dataclass(frozen=True)
class Dot:
    """One mean with its interval. Dots with equal `epoch` are comparable; `is_current`: of the newest versions.

    `name` is the variant's, which the newest dot of each variant has beside it; the others have their `label`.
    """

    at: datetime
    mean: float
    interval: tuple[float, float] | None
    label: str
    title: str
    address: str
    epoch: object
    is_current: bool
    name: str = ""


@dataclass(frozen=True)
class Line:
    name: str
    dots: Sequence[Dot]


@dataclass(frozen=True)
class Change:
    """A change after which scores are not comparable with earlier ones; narrow windows show its `short` name alone."""

    at: datetime
    text: str
    short: str


def trend(
    lines: Sequence[Line], changes: Sequence[Change], title: str, *, lower_is_better: bool
) -> SafeString:
    """The lines with the names of their variants, and a vertical line for each change; all numbers as a table.

    A name stands at the right of the newest dot of its variant. Narrow screens show a number there instead, and the
    names in a list below.
    """
    plot = _Plot(lines, changes, lower_is_better)
    return format_html(
        '<div class="trend-chart{}{}"><svg height="{}" width="100%" aria-hidden="true">{}{}{}{}{}{}</svg></div>{}{}',
        " short-names" if plot.has_short_names else " long-names" if plot.has_long_names else "",
        " two-times" if len(plot.order) == 2 else "",
        HEIGHT,
        join(plot.grid()),
        join(plot.uprights()),
        join(plot.segments()),
        join(plot.dots()),
        join(plot.names()),
        join(plot.near_numbers()),
        plot.key(),
        _table(title, plot),
    )


def trend_table(lines: Sequence[Line], title: str) -> SafeString:
    """The numbers alone, for runs of a single moment, which make no line."""
    return _table(title, _Plot(lines, (), False))


def _table(title: str, plot: "_Plot") -> SafeString:
    return numbers(title, ("Variant", "Run", "Mean", f"{PERCENT} interval", "Compared on"), plot.rows())


@dataclass(frozen=True)
class _Plot:
    lines: Sequence[Line]
    changes: Sequence[Change]
    lower_is_better: bool

    @cached_property
    def all_dots(self) -> list[Dot]:
        return [dot for line in self.lines for dot in line.dots]

    @cached_property
    def up(self) -> Axis:
        values = [value for dot in self.all_dots for value in (dot.mean, *(dot.interval or ()))]
        low, high = min(values), max(values)
        margin = MARGIN * ((high - low) or abs(high) or 1.0)
        return Axis(low - margin, high + margin, self.lower_is_better)

    @cached_property
    def across(self) -> tuple[float, float]:
        times = [dot.at.timestamp() for dot in self.all_dots]
        last = max(times)
        first = min(*times, last - SHORTEST)
        free = MARGIN / 2 * (last - first)
        return first - free, last + free

    @cached_property
    def order(self) -> list[datetime]:
        """The moments of dots that are all of one day; else none, and places follow the time."""
        found = moments((dot.at for dot in self.all_dots), [change.at for change in self.changes])
        return found if len(found) > 1 and _day(found[0]) == _day(found[-1]) else []

    def x(self, at: datetime) -> str:
        if self.order:
            place = bisect_right(self.order, at) - 0.5
            is_between = all(dot.at != at for dot in self.all_dots)  # a change, before the next runs
            return f"{100 * (place + is_between / 2) / len(self.order):.2f}%"
        first, last = self.across
        return f"{100 * (at.timestamp() - first) / (last - first):.2f}%"

    def when(self, at: datetime) -> str:
        return f"{at:%H:%M}" if self.order else _day(at)

    def y(self, value: float) -> float:
        """The height of a mean, in pixels from the top."""
        top = MARK_LINE * min(len(self.changes), MARK_LINES)
        return top + (HEIGHT - top) * (1 - float(self.up.percent(value).removesuffix("%")) / 100)

    def grid(self) -> Iterator[SafeString]:
        for tick in self.up.ticks:
            line = (
                '<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/>'
                '<text x="0" y="{0}" dx="-8" dy="4" text-anchor="end">{1}</text>'
            )
            yield format_html(line, px(self.y(tick)), plain(tick))
        first, last = (choose(dot.at for dot in self.all_dots) for choose in (min, max))
        ends = ((last, "end"), (first, "start"))
        for at, side in ends if self.when(first) != self.when(last) else ends[:1]:
            told = f"{at.day} {at:%b}, {self.when(at)}" if self.order and at == first else self.when(at)
            text = '<text x="{}" y="{}" dy="16" text-anchor="{}">{}</text>'
            yield format_html(text, self.x(at), HEIGHT, "middle" if self.order else side, told)
        yield from self._days_between(first, last)

    def _days_between(self, first: datetime, last: datetime) -> Iterator[SafeString]:
        """The other days or times with dots, as far as they have room in a wide window."""
        before, end = float(self.x(first)[:-1]), float(self.x(last)[:-1])
        for at in sorted(dot.at for dot in self.all_dots):
            x = float(self.x(at)[:-1])
            is_told = self.when(at) in (self.when(first), self.when(last))
            if x - before < DAY_APART or end - x < DAY_APART or is_told:
                continue
            before = x
            text = '<text class="day-between" x="{}" y="{}" dy="16" text-anchor="middle">{}</text>'
            yield format_html(text, self.x(at), HEIGHT, self.when(at))

    def uprights(self) -> Iterator[SafeString]:
        """A line begins at its label; labels are stacked so that none of the rows lies over another line."""
        places = [float(self.x(change.at)[:-1]) > 50 for change in self.changes]
        for number, (change, is_left) in enumerate(zip(self.changes, places, strict=True)):
            x, row = self.x(change.at), (-1 - number if is_left else number) % MARK_LINES
            y = MARK_LINE * row + 12
            yield format_html(
                '<line class="mark-line" x1="{0}" x2="{0}" y1="{1}" y2="100%"/>'
                '<text class="mark-text" x="{0}" dx="{2}" y="{3}" text-anchor="{4}">{5}</text>'
                '<text class="mark-text near" x="{0}" dx="{2}" y="{3}" text-anchor="{4}">{6}</text>',
                *(x, y - 10, -6 if is_left else 6, y, "end" if is_left else "start"),
                shortened(change.text, MOST_OF_MARK),
                change.short,
            )

    def segments(self) -> Iterator[SafeString]:
        """From each dot to the last one before it; dots of about one time are not joined with each other."""
        for line in self.lines:
            for number, after in enumerate(line.dots):
                earlier = (dot for dot in reversed(line.dots[:number]) if self._gap(dot, after) >= TOGETHER)
                before = next(earlier, None)
                if before is not None:
                    yield format_html(
                        '<line class="trend-line{}" x1="{}" y1="{}" x2="{}" y2="{}"/>',
                        "" if before.epoch == after.epoch else " broken",
                        *(
                            self.x(before.at),
                            px(self.y(before.mean)),
                            self.x(after.at),
                            px(self.y(after.mean)),
                        ),
                    )

    def _gap(self, first: Dot, second: Dot) -> float:
        """Between two dots, in percent of the width."""
        return abs(float(self.x(first.at)[:-1]) - float(self.x(second.at)[:-1]))

    def dots(self) -> Iterator[SafeString]:
        labels = self._labels()
        for dot in self.all_dots:
            x, y = self.x(dot.at), px(self.y(dot.mean))
            ends = [px(self.y(end)) for end in dot.interval or (dot.mean, dot.mean)]
            drawn = format_html(
                '<line class="whisker" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
                '<circle cx="{0}" cy="{3}" r="3.5"{4}/><text class="label" x="{0}" y="{3}" dx="7" dy="{5}">{6}</text>',
                *(x, *ends, y, "" if dot.is_current else SafeString(' class="older"')),
                -6 if self._has_one_below(dot) else 14,
                labels.get(id(dot), ""),
            )
            yield mark(drawn, dot.title, dot.address)

    def _labels(self) -> dict[int, str]:
        """The labels of dots without a name, but none that would lie on a name or on the label of another dot."""
        named = {id(dot) for dot, _ in self.named}
        heights = [
            (dot, self.y(dot.mean) + (-10 if self._has_one_below(dot) else 10))
            for dot in self.all_dots
            if dot.label and id(dot) not in named
        ]
        taken = [*self.placed, *heights]
        return {
            id(dot): dot.label
            for dot, y in heights
            if not any(
                other is not dot and self._gap(other, dot) < TOGETHER and abs(other_y - y) < LINE - 2
                for other, other_y in taken
            )
        }

    def _has_one_below(self, dot: Dot) -> bool:
        """Whether another dot lies right below this one, where its label would stand."""
        y = self.y(dot.mean)
        return any(
            0 < self.y(one.mean) - y < 2 * LINE for one in self.all_dots if self._gap(one, dot) < TOGETHER
        )

    @property
    def has_short_names(self) -> bool:
        """Whether all names are short enough to need little room beside the lines."""
        return all(len(name) <= SHORT_NAME for _, name in self.named)

    @property
    def has_long_names(self) -> bool:
        return any(len(name) > LONGEST_NAME - 8 for _, name in self.named)

    @cached_property
    def named(self) -> list[tuple[Dot, str]]:
        """The newest dot of each variant, the highest first; of many variants only where lines end, or none at all."""
        last = {id(line.dots[-1]): line.name for line in self.lines}
        newest = {dot.name or last.get(id(dot), ""): dot for line in self.lines for dot in line.dots}
        newest.pop("", None)
        if len(newest) > MOST_NAMES:
            newest = {dot.name or line.name: dot for line in self.lines for dot in line.dots[-1:]}
        if len(newest) > MOST_NAMES:
            return []
        found = ((dot, name) for name, dot in newest.items())
        return sorted(found, key=lambda one: self.y(one[0].mean))

    def names(self) -> Iterator[SafeString]:
        """The names at the right of their dots, from top to bottom, without overlaps."""
        shown = short_names((name for _, name in self.named), LONGEST_NAME)
        for (dot, name), (_, y) in zip(self.named, self.placed, strict=True):
            text = '<text class="name" x="{}" dx="10" y="{}" dy="4">{}</text>'
            yield format_html(text, self.x(dot.at), px(y), shown[name])

    @cached_property
    def placed(self) -> list[tuple[Dot, float]]:
        """The height of each name: below a line that goes on from its dot, or from another one at the same place."""
        placed: list[tuple[Dot, float]] = []
        for dot, _ in self.named:
            near = [y for other, y in placed if self._gap(other, dot) < FAR]
            wanted = self.y(dot.mean) + (LINE if self._goes_on(dot) else 0)
            placed.append((dot, max([wanted, *(taken + LINE for taken in near)])))
        return placed

    def _goes_on(self, dot: Dot) -> bool:
        """Whether a line leads from the place of this dot to a later one."""
        return any(
            self._gap(one, dot) < TOGETHER <= self._gap(one, line.dots[-1])
            and (one is dot or abs(self.y(one.mean) - self.y(dot.mean)) < LINE / 2)
            for line in self.lines
            for one in line.dots
        )

    def near_numbers(self) -> Iterator[SafeString]:
        """Numbers beside the last points, off points, lines and each other: the key of a narrow window."""
        asked = [(*self._spot(dot), str(number)) for number, (dot, _) in enumerate(self.named, 1)]
        found = naming.places(asked, [*self._boxes()], HEIGHT)
        for (dot, _), (*_, number), place in zip(self.named, asked, found, strict=True):
            side, dx = ("end", -naming.BESIDE) if place.is_left else ("start", naming.BESIDE)
            text = '<text class="name near" x="{}" dx="{}" y="{}" text-anchor="{}">{}</text>'
            yield format_html(text, self.x(dot.at), dx, px(place.foot), side, number)

    def key(self) -> SafeString:
        """What the numbers of a narrow window stand for. Readers of screens have the table."""
        names = (format_html('<li><span class="two-lines">{}</span></li>', name) for _, name in self.named)
        return format_html('<ol class="trend-key" aria-hidden="true">{}</ol>', join(names))

    def _spot(self, dot: Dot) -> tuple[float, float]:
        """The place of a dot in a narrow window, in pixels."""
        return naming.NARROW * float(self.x(dot.at)[:-1]) / 100, self.y(dot.mean)

    def _boxes(self) -> Iterator[naming.Box]:
        """What numbers should not cover: points with their intervals, and the lines in steps."""
        for dot in self.all_dots:
            x, y = self._spot(dot)
            top, bottom = sorted(self.y(end) for end in dot.interval or (dot.mean, dot.mean))
            yield naming.Box(x - 5, y - 5, x + 5, y + 5, naming.POINT)
            yield naming.Box(x - 1, top, x + 1, bottom, naming.WHISKER)
        for line in self.lines:
            for before, after in pairwise(line.dots):
                (x, y), (next_x, next_y) = self._spot(before), self._spot(after)
                for part in range(STEPS):
                    left, right = (x + (next_x - x) * (part + end) / STEPS for end in (0, 1))
                    middle = y + (next_y - y) * (part + 0.5) / STEPS
                    yield naming.Box(left, middle - 2, right, middle + 2, naming.STEP)

    def rows(self) -> Iterator[Sequence[str]]:
        for line in self.lines:
            for dot in line.dots:
                ends = " to ".join(fixed(end, 3) for end in dot.interval) if dot.interval else "–"
                name = anchor(f"{line.name} {dot.label}".strip(), dot.address)
                when = f"{_day(dot.at)}, {self.when(dot.at)} UTC" if self.order else _day(dot.at)
                yield name, when, fixed(dot.mean, 3), ends, dot.title


def _day(at: datetime) -> str:
    return f"{at.day} {at:%b %Y}"
