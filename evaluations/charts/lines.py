"""Several lines over one axis, from 0 to 100 % in height."""

from collections.abc import Mapping, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import fixed

from .svg import join, numbers, plain, px

WIDE, TALL = 1_000, 100


def lines(
    across: Sequence[float],
    series: Mapping[str, Sequence[float | None]],
    at: float,
    title: str,
    top: str = "100 %",
    across_name: str = "Threshold",
) -> SafeString:
    """Each series as a line over `across`, with an upright where `at` lies, and all numbers as a table.

    Values reach from 0 to 1, which `top` names; what is below 0 lies on the ground, and None interrupts the
    line. Lines differ by their dashes; `swatch` draws the sample of one for a legend.
    """
    low, high = across[0], across[-1]
    places = [WIDE * (x - low) / (high - low) for x in across]
    drawn = [
        format_html('<path class="series-{}" d="{}"/>', number % 6, _path(places, values))
        for number, values in enumerate(series.values())
    ]
    share = f"{100 * (at - low) / (high - low):.2f}%"
    rows = (
        [plain(x), *("–" if y is None else fixed(y, 3) for y in ys)]
        for x, *ys in zip(across, *series.values(), strict=True)
    )
    return format_html(
        '<div class="lines"><svg class="area" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">'
        '{}</svg><svg class="marks" aria-hidden="true"><line class="floor" x1="0" x2="100%" y1="100%" y2="100%"/>'
        '<line class="threshold" x1="{}" x2="{}" y1="0" y2="100%"/>'
        '<text x="0" y="0" dy="-4">{}</text><text x="0" y="100%" dy="14">{}</text>'
        '<text x="100%" y="100%" dy="14" text-anchor="end">{}</text>'
        "</svg></div>{}",
        *(WIDE, TALL, join(drawn), share, share, top, plain(low), plain(high)),
        numbers(title, [across_name, *series], rows),
    )


def swatch(number: int) -> SafeString:
    """The sample of a line, for a legend."""
    return format_html(
        '<svg class="lines-swatch" width="24" height="8" aria-hidden="true">'
        '<path class="series-{}" d="M0 4H24"/></svg>',
        number % 6,
    )


def _path(places: Sequence[float], values: Sequence[float | None]) -> str:
    parts, step = [], "M"
    for x, y in zip(places, values, strict=True):
        if y is None:
            step = "M"
            continue
        parts.append(f"{step}{px(x)} {px(TALL * (1 - max(y, 0)))}")
        step = "L"
    return "".join(parts)
