"""A line chart of several series over one axis, from 0 to 100 % in height."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from evaluations.numerals import fixed

from .svg import join, numbers, plain, px

WIDE, TALL = 1_000, 100
MOST_NAMES = 6
LINE_HEIGHT = 8  # in percent of the drawing
LOWEST = 86  # the height of a line in percent, below which its name would touch the numbers of the axis
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
    crossings = {name: values[_nearest(across, at)] for name, values in series.items()}
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
        join(_names(crossings, share)),
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


def _names(crossings: Mapping[str, float | None], share: float) -> Iterator[SafeString]:
    """The names beside the vertical line, without overlaps; none of many lines. Equal lines share a text.

    The highest name stands above its line, and the others below theirs, where falling lines leave room. A name stands
    to the right of the vertical line if it fits there on a phone, which has a character for two percent of the width;
    else on the side with more room.
    """
    crossing_values = {name: value for name, value in crossings.items() if value is not None}
    if len(crossing_values) > MOST_NAMES:
        return
    sharing: dict[float, list[str]] = {}
    for name, value in sorted(crossing_values.items(), key=lambda item: -item[1]):
        sharing.setdefault(value, []).append(name)
    height, room = float(-LINE_HEIGHT), (100 - share) / 2
    longest = int(max(room, 50 - room))
    for number, (value, names) in enumerate(sharing.items()):
        text = Truncator(" = ".join(names)).chars(longest)
        height = max(height + LINE_HEIGHT, TALL * (1 - max(value, 0)))
        lowest = LOWEST - LINE_HEIGHT * (len(sharing) - 1 - number) if number else TALL
        anchor, dx = ("start", 6) if len(text) <= room or share < 50 else ("end", -6)
        yield format_html(
            '<text x="{}%" y="{}%" dx="{}" dy="{}" text-anchor="{}">{}</text>',
            *(f"{share:.2f}", px(min(height, lowest)), dx, 14 if number else -6, anchor, text),
        )


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
