"""The looks at a variant of a launch that stops early: the interval of its difference narrows with each look."""

from collections.abc import Callable, Iterator, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.models import Interim
from evaluations.numerals import grouped, signed

from .ranges import Axis, decimals
from .svg import join, numbers, plain

HEIGHT = 160  # pixels


def sequence(
    looks: Sequence[Interim], size: int, margin: float, *, lower_is_better: bool = False
) -> SafeString:
    """A vertical interval for each look, over the number of examples up to `size`, with the zone of ±`margin`."""
    last = looks[-1]
    reach = max(1.5 * margin, abs(last.low), abs(last.high)) * 1.25
    up = Axis(-reach, reach, lower_is_better)

    def height(difference: float) -> str:
        return f"{100 - float(up.percent(difference)[:-1]):.2f}%"

    zone = sorted([height(margin), height(-margin)], key=lambda share: float(share[:-1]))
    tall = float(zone[1][:-1]) - float(zone[0][:-1])
    return format_html(
        '<div class="sequence"><svg width="100%" height="{}" aria-hidden="true">'
        '<rect class="zone" width="100%" y="{}" height="{}%"/>{}{}'
        '<text x="100%" y="{}" dx="-4" dy="13" text-anchor="end">±δ</text>'
        '<text x="0" y="100%" dy="16">0</text>'
        '<text x="100%" y="100%" dy="16" text-anchor="end">{} examples</text></svg></div>{}',
        *(HEIGHT, zone[0], f"{tall:.2f}", join(_grid(up, height)), join(_marks(looks, size, height))),
        *(zone[0], grouped(size)),
        numbers("Looks in numbers", ("Examples", "Difference", "Low", "High"), map(_row, looks)),
    )


def _grid(up: Axis, height: Callable[[float], str]) -> Iterator[SafeString]:
    """A horizontal line with its number for each round difference."""
    digits = decimals(up)
    for tick in up.ticks:
        yield format_html(
            '<line class="{0}" x1="0" x2="100%" y1="{1}" y2="{1}"/>'
            '<text x="0" y="{1}" dx="-8" dy="4" text-anchor="end">{2}</text>',
            *("grid" if tick else "interval-zero", height(tick), signed(tick, digits) if tick else "0"),
        )


def _marks(looks: Sequence[Interim], size: int, height: Callable[[float], str]) -> Iterator[SafeString]:
    for look in looks:
        x = f"{100 * look.n / size:.2f}%"
        yield format_html(
            '<line class="interval-range" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
            '<circle class="interval-point" cx="{0}" cy="{3}" r="2.5"/>',
            *(x, height(look.low), height(look.high), height(look.difference or 0)),
        )


def _row(look: Interim) -> list[str]:
    difference = "–" if look.difference is None else plain(look.difference)
    return [grouped(look.n), difference, plain(look.low), plain(look.high)]
