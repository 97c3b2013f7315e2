"""The decoration beside the sign-in form: 46 invented intervals around a baseline."""

import math
from collections.abc import Iterator
from functools import cache
from statistics import NormalDist

from django.utils.html import format_html
from django.utils.safestring import SafeString

from .svg import join, px

ROWS, WIDTH, FOOT = 46, 560, 542
MIDDLE, SPREAD = WIDTH / 2, 92


@cache
def caterpillar() -> SafeString:
    return format_html(
        '<svg class="caterpillar" viewBox="0 0 {0} {0}" aria-hidden="true">'
        '<path class="interval-zero" d="M{1} 0v{2}"/>{3}'
        '<text x="{4}" y="557" text-anchor="end">worse</text>'
        '<text x="{1}" y="557" text-anchor="middle">baseline</text>'
        '<text x="{5}" y="557">better</text></svg>',
        *(WIDTH, px(MIDDLE), FOOT, join(_intervals()), px(MIDDLE - 58), px(MIDDLE + 58)),
    )


def _intervals() -> Iterator[SafeString]:
    """Intervals at normal quantiles, best on top, with slightly different widths."""
    for n in range(ROWS):
        point = MIDDLE + SPREAD * NormalDist().inv_cdf((ROWS - n - 0.5) / ROWS)
        half = 50 + 9 * math.sin(2.3 * n)
        low, high, y = point - half, point + half, 10 + 516 * n / (ROWS - 1)
        verdict = "better" if low > MIDDLE else "worse" if high < MIDDLE else "cannot_tell"
        yield format_html(
            '<g data-verdict="{}"><path d="M{} {}H{}"/><circle cx="{}" cy="{}" r="2.5"/></g>',
            *(verdict, px(low), px(y), px(high), px(point), px(y)),
        )
