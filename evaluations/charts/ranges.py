"""Differences with their intervals on one axis per column of a table, scaled to the data, with a zero line.

Distances are in percent, so that a drawing fills its cell at any width. Right is better, whatever the direction of the
scores.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import SPACE, fixed, signed
from evaluations.process_cache import remembered

from .svg import join

MARGIN = 0.05  # share of the range that stays empty at each end
ROOM = 0.2  # share of the axis on one side of zero that needs a tick
TICKS = 4  # on a labelled axis; there may be one more
NARROW = 250  # pixels of a narrow axis, on which centred labels must fit
LONG = 6  # letters of a label, such as −0.075, of which four do not fit a narrow axis
ROOMY = 272  # pixels of an axis that has all labels, if they fit
SMALLEST = 96  # pixels of the smallest axis with labels
LETTER = 7  # pixels: the width of a letter of a label


@dataclass(frozen=True)
class Range:
    """A difference with the bounds of its interval; None for figures that could not be computed."""

    low: float | None
    point: float | None
    high: float | None

    @property
    def values(self) -> list[float]:
        return [x for x in (self.low, self.point, self.high) if x is not None and math.isfinite(x)]


@dataclass(frozen=True)
class Axis:
    """An axis from a lowest to a highest value, with empty space at its ends."""

    low: float
    high: float
    is_turned: bool = False  # lower is better: smaller values are further right

    @classmethod
    def covering(cls, ranges: Iterable[Range], *, is_turned: bool = False) -> "Axis":
        """An axis that covers these ranges and zero.

        >>> Axis.covering([Range(0.2, 0.3, 0.4)])
        Axis(low=-0.02, high=0.42, is_turned=False)
        """
        values = [0.0, *(value for span in ranges for value in span.values)]
        low, high = min(values), max(values)
        margin = MARGIN * ((high - low) or 2.0)
        return cls(*_rounded(low - margin, high + margin), is_turned)

    @classmethod
    def around(cls, values: Sequence[float], *, is_turned: bool = False, is_share: bool = False) -> "Axis":
        """An axis that covers these values; unlike `covering`, it includes zero only if zero lies between them.

        One of shares ends at 0 and at 1, beyond which there are none.

        >>> Axis.around([0.5, 0.7])
        Axis(low=0.49, high=0.71, is_turned=False)
        >>> Axis.around([])
        Axis(low=-0.05, high=0.05, is_turned=False)
        >>> Axis.around([1.0], is_share=True)
        Axis(low=0.95, high=1.0, is_turned=False)
        """
        low, high = min(values, default=0.0), max(values, default=0.0)
        margin = MARGIN * ((high - low) or abs(high) or 1.0)
        low, high = low - margin, high + margin
        if is_share:
            low, high = max(low, 0.0), min(high, 1.0)
        return cls(*_rounded(low, high), is_turned)

    def widened(self, share: float) -> "Axis":
        """The axis with this share of its length more at each end.

        >>> Axis(0.0, 1.0).widened(0.1)
        Axis(low=-0.1, high=1.1, is_turned=False)
        """
        more = share * (self.high - self.low)
        return Axis(*_rounded(self.low - more, self.high + more), self.is_turned)

    def percent(self, value: float) -> str:
        """Where a value is on the axis, in percent of the width, from 0 to 100."""
        width = self.high - self.low
        share = min(max((value - self.low) / width, 0.0), 1.0) if width > 0 else 0.5
        return f"{100 * (1 - share if self.is_turned else share):.2f}%"

    @property
    def ticks(self) -> list[float]:
        """Round values on the axis, zero among them, and one on each side of it that has some room.

        >>> Axis(-0.02, 0.33).ticks, Axis(-0.33, 0.68).ticks
        ([0.0, 0.1, 0.2, 0.3], [-0.2, 0.0, 0.2, 0.4, 0.6])
        """
        sides = [side for side in (-self.low, self.high) if side >= ROOM * (self.high - self.low)]
        step = _round_step((self.high - self.low) / TICKS)
        if self.low < 0 < self.high and 0 < step < math.inf and step > min(sides):
            step = _round_step(min(sides) / 2)
        if not step or math.isinf(step):
            return [0.0] if self.low <= 0 <= self.high else []
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(n * step, _digits(step)) for n in range(first, last + 1)]


def _rounded(low: float, high: float) -> tuple[float, float]:
    """Two ends without rounding errors, however near to each other they are."""
    digits = _digits(high - low)
    return round(low, digits), round(high, digits)


def _digits(size: float) -> int:
    """The decimals at which rounding changes nothing that is visible at this size."""
    return max(12, 12 - math.floor(math.log10(size))) if 0 < size < math.inf else 12


def _round_step(least: float) -> float:
    """The round number at or above `least`; 0 if it is 0."""
    if not 0 < least < math.inf:
        return least
    power = 10.0 ** math.floor(math.log10(least))
    return float(next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= least * (1 - 1e-9)))


def axis_labels(
    axis: Axis, ticks: Sequence[float] = (), *, written: Callable[[float, int], str] = signed
) -> SafeString:
    """Labels at `ticks` (by default those of the axis), for the head of a column; none extends beyond its ends.

    One that would is left out, because beside its line it would be misread; if fewer than two are left, or `ticks` are
    named, it moves inwards.
    """
    digits = decimals(axis)
    labels = [(tick, "0" if tick == 0 else written(tick, digits)) for tick in ticks or axis.ticks]
    below = [] if ticks else [one for one in labels if _anchor(axis, *one) == "middle"]
    shown = below if len(below) > 1 else labels
    minor = "" if ticks else _minor(axis, shown)
    inner = _inner(axis, [one for one in shown if not (minor and _is_second(axis, one[0]))])
    texts = (
        format_html(
            '<text{} x="{}" y="12" text-anchor="{}">{}</text>',
            SafeString(' class="inner"') if tick in inner else minor if _is_second(axis, tick) else "",
            axis.percent(tick),
            _anchor(axis, tick, label),
            label,
        )
        for tick, label in shown
    )
    return format_html('<svg class="axis" width="100%" height="16" aria-hidden="true">{}</svg>', join(texts))


def points(value: float, decimals: int) -> str:
    """A label for a difference of two shares, which is written in points.

    >>> points(-0.05, 2), points(0.025, 3)
    ('−5', '+2.5')
    """
    return signed(100 * value, max(0, decimals - 2))


def per_cent(value: float, decimals: int) -> str:
    """A label for a share.

    >>> per_cent(0.75, 2).replace(SPACE, "_")
    '75_%'
    """
    return f"{fixed(100 * value, max(0, decimals - 2))}{SPACE}%"


def _minor(axis: Axis, shown: Sequence[tuple[float, str]]) -> SafeString:
    """The class of every second label if there are many, or long ones; narrow columns hide these labels.

    Where labels would touch each other on an axis of `ROOMY` pixels, wider columns hide them too.
    """
    letters = max((len(label) for _, label in shown), default=0)
    if len(shown) <= TICKS - (letters >= LONG):
        return SafeString("")
    return SafeString(' class="minor crowded"' if _touch(axis, shown, ROOMY) else ' class="minor"')


def _inner(axis: Axis, shown: Sequence[tuple[float, str]]) -> set[float]:
    """The ticks between the first and the last, if their labels touch on the smallest axis, which then hides them."""
    if not _touch(axis, shown, SMALLEST):
        return set()
    return {tick for tick, _ in shown[1:-1]}


def _touch(axis: Axis, shown: Sequence[tuple[float, str]], pixels: int) -> bool:
    """Whether labels come nearer to each other than a letter on an axis of this width."""
    spans = sorted(_span(axis, tick, label, pixels) for tick, label in shown)
    return any(after[0] - before[1] < LETTER for before, after in pairwise(spans))


def _is_second(axis: Axis, tick: float) -> bool:
    ticks = axis.ticks
    return len(ticks) > 1 and round(tick / (ticks[1] - ticks[0])) % 2 == 1


def _span(axis: Axis, tick: float, label: str, pixels: int) -> tuple[float, float]:
    """From where to where the label of a tick goes on an axis of this width."""
    at, width = pixels * _share(axis, tick) / 100, LETTER * len(label)
    start = at - {"start": 0, "middle": 0.5, "end": 1}[_anchor(axis, tick, label)] * width
    return start, start + width


def _share(axis: Axis, tick: float) -> float:
    return float(axis.percent(tick).removesuffix("%"))


def _anchor(axis: Axis, tick: float, label: str) -> str:
    """Centred at its tick, unless it would extend beyond an end."""
    share = _share(axis, tick)
    room = 100 * LETTER / 2 * len(label) / NARROW
    return "start" if share < room else "end" if share > 100 - room else "middle"


def decimals(axis: Axis) -> int:
    """The fewest decimals that write the distance of two ticks exactly."""
    ticks = axis.ticks
    step = ticks[1] - ticks[0] if len(ticks) > 1 else axis.high - axis.low
    return next((n for n in range(6) if math.isclose(round(step, n), step, rel_tol=1e-6)), 6)


def range_plot(
    axis: Axis,
    shown: Range,
    *,
    height: int,
    grid: bool = False,
    radius: float = 3.25,
    limit: float | None = None,
    zero: bool = True,
) -> SafeString:
    """A point with its interval, the zero line and a `limit`; the numbers stand beside the drawing as text."""
    parts: list[str] = [_grid(axis)] if grid else []
    if zero:
        parts.append(_line("interval-zero", axis.percent(0.0)))
    if limit is not None:
        parts.append(_line("limit", axis.percent(limit)))
    if shown.low is not None and shown.high is not None:
        left, right = sorted(map(axis.percent, (shown.low, shown.high)), key=lambda text: float(text[:-1]))
        parts.append(f'<line class="interval-range" x1="{left}" x2="{right}" y1="50%" y2="50%"/>')
        parts += beyond(axis, shown)
    if shown.point is not None:
        parts.append(_point(axis, shown.point, radius))
    return _drawing(parts, height)


def beyond(axis: Axis, shown: Range, y: str = "50%") -> list[str]:
    """Open arrows where an interval goes on beyond an end of the axis, except where its point has an arrow there.

    >>> [len(beyond(Axis(-0.1, 0.1), Range(*ends))) for ends in ((-0.2, 0.0, 0.2), (0.0, 0.05, 0.1), (-0.2, 0.2, 0.3))]
    [2, 0, 1]
    """
    ends = {_end(axis, end) for end in (shown.low, shown.high) if end is not None and _is_off(axis, end)}
    if shown.point is not None and _is_off(axis, shown.point):
        ends -= {_end(axis, shown.point)}
    return [
        f'<svg class="beyond" x="{tip}" y="{y}" overflow="visible"><path d="M{6 * sign} -4L0 0l{6 * sign} 4"/></svg>'
        for tip, sign in sorted(ends)
    ]


def _is_off(axis: Axis, value: float) -> bool:
    return not axis.low <= value <= axis.high


def _end(axis: Axis, value: float) -> tuple[str, int]:
    """The end of the axis beyond which a value is, and the sign of the way back from there."""
    return ("100%", -1) if (value > axis.high) != axis.is_turned else ("0%", 1)


def _point(axis: Axis, value: float, radius: float) -> str:
    """A dot, or an arrow at the end of the axis for a value beyond it."""
    if not _is_off(axis, value):
        return f'<circle class="interval-point" cx="{axis.percent(value)}" cy="50%" r="{radius}"/>'
    tip, sign = _end(axis, value)
    arrow = f'<svg class="arrow" x="{tip}" y="50%" overflow="visible" aria-hidden="true">'
    return arrow + f'<path d="M0 0l{7 * sign} -4v8z"/></svg>'


def baseline_plot(axis: Axis, *, height: int, grid: bool = False) -> SafeString:
    """The baseline: a small square on the zero line, because an interval of zero width would be misread."""
    parts: list[str] = [_grid(axis)] if grid else []
    zero = axis.percent(0.0)
    parts += [
        _line("interval-zero", zero),
        f'<rect class="baseline-point" x="{zero}" y="50%" width="7" height="7" transform="translate(-3.5 -3.5)"/>',
    ]
    return _drawing(parts, height)


def track(axis: Axis, value: float | None) -> SafeString:
    """One score as a dot on a thin line, to compare the scores of all variants on one example."""
    dot = "" if value is None else f'<circle cx="{axis.percent(value)}" cy="50%" r="3"/>'
    return SafeString(
        '<svg class="track-plot" width="100%" height="12" aria-hidden="true">'
        f'<line class="track" x1="0" x2="100%" y1="50%" y2="50%"/>{dot}</svg>'
    )


@remembered("grids of charts", 100)
def _grid(axis: Axis) -> SafeString:
    """A line at each tick; cached, because all rows of a table draw the same."""
    return join(_line("grid", axis.percent(tick)) for tick in axis.ticks)


def _line(name: str, x: str) -> SafeString:
    return SafeString(f'<line class="{name}" x1="{x}" x2="{x}" y1="0" y2="100%"/>')


def _drawing(parts: Sequence[str], height: int) -> SafeString:
    """The parts have numbers only, so nothing needs to be escaped, which would take most of the time."""
    drawn = "".join(parts)
    return SafeString(
        f'<svg class="interval" width="100%" height="{height}" aria-hidden="true">{drawn}</svg>'
    )
