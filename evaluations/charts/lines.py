"""A line chart of several series over one axis, from 0 to 100 % in height."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from evaluations.numerals import fixed

from .svg import join, numbers, plain, px

WIDE, TALL = 1_000, 100
MOST_NAMES = 6
LINE_HEIGHT = 8  # in percent of the drawing
OFF = 6.5  # in percent of the height, between a line and the middle of a name
NEAR = 25  # in percent of the height, between a line and its name
LOWEST = 94  # the height in percent below which a name would touch the numbers of the axis
DRAWING = (
    '<div class="lines"><svg class="area" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">'
    '{}</svg><svg class="marks" aria-hidden="true"><line class="floor" x1="0" x2="100%" y1="100%" y2="100%"/>'
    '<line class="threshold" x1="{}" x2="{}" y1="0" y2="100%"/>'
    '<text x="0" y="0" dy="-4">{}</text><text x="0" y="50%" dy="-4">{}</text><text x="0" y="100%" dy="14">{}</text>'
    "{}"
    '<text x="100%" y="100%" dy="14" text-anchor="end">{}</text>'
    "{}</svg></div>{}"
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

    Values reach from 0 to 1, whose label is `top`; values below 0 are drawn at 0, and None interrupts the line.
    Lines differ by their dashes, and are named where they cross the vertical line; `swatch` draws one for a legend.
    """
    low, high = across[0], across[-1]
    xs = [WIDE * (x - low) / (high - low) for x in across]
    grid = SafeString(f'<path class="grid" d="M0 0H{WIDE}M0 {TALL // 2}H{WIDE}"/>')
    paths = ((number % 6, _path(xs, values)) for number, values in enumerate(series.values()))
    drawn = grid + format_html_join("", '<path class="series-{}" d="{}"/>', paths)
    share = 100 * (at - low) / (high - low)
    x_of_threshold = f"{share:.2f}%"
    return format_html(
        DRAWING,
        *(
            WIDE,
            TALL,
            drawn,
            x_of_threshold,
            x_of_threshold,
            top,
            "50 %" if "%" in top else "0.5",
            plain(low),
        ),
        join(_quarters(low, high)),
        plain(high),
        join(_names(series, _nearest(across, at), share)),
        numbers(title, [across_name, *series], _rows(across, series)),
    )


def _quarters(low: float, high: float) -> Iterator[SafeString]:
    for quarter in (1, 2, 3):
        yield format_html(
            '<text x="{}%" y="100%" dy="14" text-anchor="middle">{}</text>',
            25 * quarter,
            plain(low + (high - low) * quarter / 4),
        )


def _rows(across: Sequence[float], series: Mapping[str, Sequence[float | None]]) -> Iterator[list[str]]:
    for x, *ys in zip(across, *series.values(), strict=True):
        yield [plain(x), *("–" if y is None else fixed(y, 3) for y in ys)]


def _nearest(across: Sequence[float], at: float) -> int:
    return min(range(len(across)), key=lambda index: abs(across[index] - at))


def _names(series: Mapping[str, Sequence[float | None]], nearest: int, share: float) -> Iterator[SafeString]:
    """The names beside the vertical line, none of many lines. Lines that cross it at one height share a text.

    A name stands on the side where no line runs through it nearest to its own; on a phone it must fit there. Where
    lines are too crowded for that, the legend alone names them.
    """
    crossings = {name: values[nearest] for name, values in series.items()}
    sharing: dict[float, list[str]] = {}
    for name, value in sorted(crossings.items(), key=lambda item: -(item[1] or 0)):
        if value is not None:
            sharing.setdefault(value, []).append(name)
    if sum(map(len, sharing.values())) > MOST_NAMES:
        return
    room = {
        "start": (100 - share) / 2,
        "end": share / 2,
    }  # characters on a phone: two percent of the width each
    lowest = dict.fromkeys(room, -float(LINE_HEIGHT))  # the highest place that is left, by side
    crossed = [TALL * (1 - max(value, 0)) for value in sharing]
    for value, names in sharing.items():
        text = Truncator(" = ".join(names)).chars(int(max(room.values())))
        wanted = TALL * (1 - max(value, 0))
        others = [height for height in crossed if height != wanted]
        places = []
        for side in (side for side in room if len(text) <= room[side]):
            ends = (share, share + len(text)) if side == "start" else (share - len(text), share)
            found = _place(wanted, lowest[side], list(_heights(series.values(), *ends)), others)
            if found is not None:
                is_cut, place = found
                places.append((is_cut, abs(place - wanted), side == "end", place, side))
        if not places:
            continue
        *_, place, side = min(places)
        lowest[side] = place + LINE_HEIGHT
        yield format_html(
            '<text x="{}%" y="{}%" dx="{}" dy="4" text-anchor="{}">{}</text>',
            *(f"{share:.2f}", px(place), 6 if side == "start" else -6, side, text),
        )


def _heights(
    series: Iterable[Sequence[float | None]], start: float, end: float
) -> Iterator[tuple[float, float]]:
    """The highest and the lowest place of each line between two percents of the width."""
    for values in series:
        last = len(values) - 1
        first, final = max(last * start / 100, 0.0), min(last * end / 100, float(last))
        inner = values[math.ceil(first) : math.floor(final) + 1]
        part = [_between(values, first), *inner, _between(values, final)]
        heights = [TALL * (1 - max(value, 0)) for value in part if value is not None]
        if heights:
            yield min(heights), max(heights)
    yield 0.0, 0.0  # the upper edge, which is a line too


def _between(values: Sequence[float | None], index: float) -> float | None:
    """The value of a line between two of its points."""
    before, after = values[math.floor(index)], values[math.ceil(index)]
    return None if before is None or after is None else before + (after - before) * (index % 1)


def _place(
    wanted: float, highest: float, taken: Sequence[tuple[float, float]], others: Sequence[float]
) -> tuple[bool, float] | None:
    """The place nearest to the wanted one, from the highest allowed, and whether a steep line cuts it, or None.

    A line along a name hides it, and so do two that cut it. No other line lies between a name and its own crossing.
    """
    found = []
    for y in range(math.ceil(highest), LOWEST + 1):
        if abs(y - wanted) > NEAR or any(min(y, wanted) <= other <= max(y, wanted) for other in others):
            continue
        through = {(top, bottom) for top, bottom in taken if top - OFF < y < bottom + OFF}
        if len(through) < 2 and all(bottom - top > 2 * LINE_HEIGHT for top, bottom in through):
            found.append((bool(through), abs(y - wanted), float(y)))
    if not found:
        return None
    is_cut, _, place = min(found)
    return is_cut, place


def swatch(number: int) -> SafeString:
    """A short piece of a line, for a legend."""
    return format_html(
        '<svg class="lines-swatch" width="24" height="8" aria-hidden="true">'
        '<path class="series-{}" d="M0 4H24"/></svg>',
        number % 6,
    )


def _path(xs: Sequence[float], values: Sequence[float | None]) -> str:
    parts, step = [], "M"
    for x, y in zip(xs, values, strict=True):
        if y is None:
            step = "M"
            continue
        parts.append(f"{step}{px(x)} {px(TALL * (1 - max(y, 0)))}")
        step = "L"
    return "".join(parts)
