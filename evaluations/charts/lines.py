"""A line chart of several series over one axis, up to 100 % in height, with the names where the lines end."""

import math
from collections.abc import Iterator, Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import fixed
from evaluations.short_texts import NARROW, short_names

from .svg import join, numbers, plain, px

WIDE, TALL = 1_000, 100
MOST_NAMES = 10
LINE_HEIGHT = 8  # in percent of the height
ROOM = 0.1  # below the lowest line, in values
DRAWING = (
    '<div class="lines"><svg class="area" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">'
    '{}</svg><svg class="marks" aria-hidden="true"><line class="floor" x1="0" x2="100%" y1="100%" y2="100%"/>'
    '<line class="threshold" x1="{}" x2="{}" y1="0" y2="100%"/>{}{}{}</svg></div>{}'
)


def lines(
    across: Sequence[float],
    series: Mapping[str, Sequence[float | None]],
    at: float,
    title: str,
    top: str = "100 %",
    across_name: str = "Threshold",
) -> SafeString:
    """Each series as a line over `across`, with a vertical line at `at`, and all numbers as a table.

    Values reach up to 1, whose label is `top`, from a tenth that is below all of them; values below 0 are drawn at 0,
    and None interrupts the line. Lines differ by their dashes, and wide windows show their names where they end;
    `swatch` draws one for a legend.
    """
    low, high = across[0], across[-1]
    floor = _floor(series)
    xs = [WIDE * (x - low) / (high - low) for x in across]
    grid = SafeString(f'<path class="grid" d="M0 0H{WIDE}M0 {TALL // 2}H{WIDE}"/>')
    paths = ((number % 6, _path(xs, values, floor)) for number, values in enumerate(series.values()))
    share = f"{100 * (at - low) / (high - low):.2f}%"
    return format_html(
        DRAWING,
        *(WIDE, TALL),
        grid + format_html_join("", '<path class="series-{}" d="{}"/>', paths),
        *(share, share),
        join(_heights(floor, top)),
        join(_quarters(low, high)),
        join(_names(series, floor)),
        numbers(title, [across_name, *series], _rows(across, series)),
    )


def _floor(series: Mapping[str, Sequence[float | None]]) -> float:
    """Where the drawing begins: at 0, or near the lowest line."""
    lowest = min((value for values in series.values() for value in values if value is not None), default=0.0)
    return max(0.0, min(0.8, math.floor(10 * (lowest - ROOM) + 1e-9) / 10))


def _height(value: float, floor: float) -> float:
    return TALL * (1 - max(value - floor, 0) / (1 - floor))


def _heights(floor: float, top: str) -> Iterator[SafeString]:
    """The values of the upper edge, of the middle, and of the lower edge unless it is 0."""
    for y, value in ((0, 1.0), (50, (1 + floor) / 2), *([(100, floor)] if floor else [])):
        label = top if value == 1 else f"{100 * value:.0f} %" if "%" in top else plain(value)
        yield format_html('<text x="0" y="{}%" dy="-4">{}</text>', y, label)


def _quarters(low: float, high: float) -> Iterator[SafeString]:
    for quarter, anchor in enumerate(("start", "middle", "middle", "middle", "end")):
        yield format_html(
            '<text x="{}%" y="100%" dy="14" text-anchor="{}">{}</text>',
            *(25 * quarter, anchor, plain(low + (high - low) * quarter / 4)),
        )


def _rows(across: Sequence[float], series: Mapping[str, Sequence[float | None]]) -> Iterator[list[str]]:
    for x, *ys in zip(across, *series.values(), strict=True):
        yield [plain(x), *("–" if y is None else fixed(y, 3) for y in ys)]


def _names(series: Mapping[str, Sequence[float | None]], floor: float) -> Iterator[SafeString]:
    """The names at the right of the lines' ends, none of many lines. They keep apart, in the order of the lines."""
    if len(series) > MOST_NAMES:
        return
    ends = {
        name: next((y for y in reversed(values) if y is not None), None) for name, values in series.items()
    }
    ordered = sorted((_height(y, floor), name) for name, y in ends.items() if y is not None)
    places: list[float] = []
    for height, _ in ordered:
        places.append(max([height, *(place + LINE_HEIGHT for place in places[-1:])]))
    for n in reversed(range(len(places))):
        places[n] = min([places[n], TALL if n == len(places) - 1 else places[n + 1] - LINE_HEIGHT])
    shown = short_names(series, NARROW)
    for place, (_, name) in zip(places, ordered, strict=True):
        yield format_html(
            '<text class="line-name" x="100%" y="{}%" dx="8" dy="4">{}</text>',
            *(px(place), shown[name]),
        )


def swatch(number: int) -> SafeString:
    """A short piece of a line, for a legend."""
    return format_html(
        '<svg class="lines-swatch" width="24" height="8" aria-hidden="true">'
        '<path class="series-{}" d="M0 4H24"/></svg>',
        number % 6,
    )


def _path(xs: Sequence[float], values: Sequence[float | None], floor: float) -> str:
    parts, step = [], "M"
    for x, y in zip(xs, values, strict=True):
        if y is None:
            step = "M"
            continue
        parts.append(f"{step}{px(x)} {px(_height(y, floor))}")
        step = "L"
    return "".join(parts)
