"""The looks at a variant of a launch that stops early: its difference from the baseline, narrower with each look."""

from collections.abc import Callable, Iterator, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.models import Interim
from evaluations.numerals import grouped

from .svg import join, numbers, plain

HEIGHT = 160  # pixels


def sequence(
    looks: Sequence[Interim], size: int, margin: float, *, lower_is_better: bool = False
) -> SafeString:
    """Upright intervals over the number of examples, of `size` in all; ±`margin` is the zone of no difference."""
    last = looks[-1]
    reach = max(1.5 * margin, abs(last.low), abs(last.high)) * 1.25
    toward = -1 if lower_is_better else 1

    def height(difference: float) -> str:
        share = 50 - 50 * toward * max(-reach, min(reach, difference)) / reach
        return f"{share:.2f}%"

    zone = sorted([height(margin), height(-margin)], key=lambda share: float(share[:-1]))
    tall = float(zone[1][:-1]) - float(zone[0][:-1])
    return format_html(
        '<svg class="sequence" width="100%" height="{}" aria-hidden="true">'
        '<rect class="zone" width="100%" y="{}" height="{}%"/>'
        '<line class="interval-zero" x1="0" x2="100%" y1="50%" y2="50%"/>{}'
        '<text x="0" y="{}" dy="12">±δ</text>'
        '<text x="0" y="100%" dy="14">0</text><text x="100%" y="100%" dy="14" text-anchor="end">{}</text></svg>{}',
        *(HEIGHT, zone[0], f"{tall:.2f}", join(_marks(looks, size, height)), zone[0], grouped(size)),
        numbers("Looks in numbers", ("Examples", "Difference", "Low", "High"), map(_row, looks)),
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
