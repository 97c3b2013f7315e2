"""Drawings of repeated answers: right in k attempts, always or sometimes right, and beads for single attempts."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.numerals import fixed
from evaluations.short_texts import short_name

from .svg import join

WIDTH, HEIGHT = 560.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 420.0, 15.0, 165.0
LINE = 16.0  # the height of a name
MOST_BEADS, LONGEST_NAME = 10, 20

Line = Sequence[float | None]  # a value for each k from 1, from 0 to 1


def fan(variants: Sequence[tuple[str, Line, Line]], title: str) -> SafeString:
    """For each variant its name, pass@k and pass^k: two lines that part from k = 1. The last variant is solid."""
    values = [value for _, *lines in variants for line in lines for value in line if value is not None]
    low, high = _ends(values)
    ks = max((len(line) for _, line, _ in variants), default=1)
    parts, named = [_grid(low, high), _numbers(ks)], []
    for number, (name, at, every) in enumerate(variants, 1):
        is_main = number == len(variants)
        parts += [_drawn(line, ks, low, high, is_main=is_main) for line in (at, every)]
        named += [(name, _end(line, low, high), is_main) for line in (at, every)]
    parts += _names(named)
    return format_html(
        '<svg class="fan" viewBox="0 0 {} {}" width="100%" preserveAspectRatio="xMinYMid slice" role="img" '
        'aria-label="{}">{}</svg>',
        round(WIDTH),
        round(HEIGHT),
        title,
        join(parts),
    )


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Tenths around the values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    first, last = int(low * 10 - 1e-9), -int(-high * 10 - 1e-9) + 1
    return max(first, 0) / 10, min(max(last, first + 1), 10) / 10


def _x(k: int, ks: int) -> float:
    return 68.0 if ks < 2 else round(68.0 + (RIGHT - 68.0) * (k - 1) / (ks - 1), 1)


def _y(value: float, low: float, high: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (value - low) / ((high - low) or 1.0), 1)


def _grid(low: float, high: float) -> SafeString:
    tenths = range(round(low * 10), round(high * 10) + 1)
    step = max(len(tenths) // 5, 1)
    return join(
        format_html(
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text x="{}" y="{}" text-anchor="end">{} %</text>',
            LEFT,
            RIGHT + 10,
            _y(tenth / 10, low, high),
            _y(tenth / 10, low, high),
            LEFT - 8,
            _y(tenth / 10, low, high) + 4,
            tenth * 10,
        )
        for tenth in list(tenths)[::step]
    )


def _numbers(ks: int) -> SafeString:
    shown = range(1, ks + 1, max(ks // 10, 1))
    return join(
        format_html('<text x="{}" y="{}" text-anchor="middle">{}</text>', _x(k, ks), HEIGHT - 8, k)
        for k in shown
    )


def _drawn(line: Line, ks: int, low: float, high: float, *, is_main: bool) -> SafeString:
    points = [(_x(k, ks), _y(value, low, high)) for k, value in enumerate(line, 1) if value is not None]
    path = " ".join(f"{'L' if n else 'M'}{x} {y}" for n, (x, y) in enumerate(points))
    dots = join(
        format_html('<circle class="{}" cx="{}" cy="{}" r="3"/>', "dot-main" if is_main else "dot", x, y)
        for x, y in points
    )
    return join([format_html('<path class="{}" d="{}"/>', "main-line" if is_main else "dash", path), dots])


def _end(line: Line, low: float, high: float) -> float | None:
    """Where a line ends."""
    last = next((value for value in reversed(line) if value is not None), None)
    return None if last is None else _y(last, low, high)


def _names(named: Sequence[tuple[str, float | None, bool]]) -> list[SafeString]:
    """The names at the ends of their lines; each is said once where its two lines end together.

    The main variant's names stand at their lines, others move away from a name that is there already.
    """
    placed: list[tuple[float, str]] = []
    drawn = []
    for name, end, is_main in sorted(named, key=lambda one: not one[2]):
        if end is None or any(other == name and abs(y - end) < LINE for y, other in placed):
            continue
        y = _free(end, [y for y, _ in placed])
        placed.append((y, name))
        shown = short_name(name, LONGEST_NAME)
        drawn.append(
            format_html(
                '<text class="{}" x="{}" y="{}">{}</text>',
                "name" if is_main else "minor",
                RIGHT + 12,
                fixed(y + 4, 1),
                shown,
            )
        )
    return drawn


def _free(wanted: float, taken: Sequence[float]) -> float:
    """The height nearest to the wanted one that is a line away from the taken ones."""
    candidates = [wanted, *(y + sign * LINE for y in taken for sign in (-1, 1))]
    free = [y for y in candidates if all(abs(y - other) >= LINE for other in taken)]
    return min(free, key=lambda y: abs(y - wanted), default=wanted)


def thirds(always: int, sometimes: int, never: int) -> SafeString:
    """One bar: the shares of examples that are always, sometimes and never right."""
    total = (always + sometimes + never) or 1
    parts, start = [], 0.0
    for css, count in (("always", always), ("some", sometimes), ("never", never)):
        share = 100 * count / total
        parts.append(
            format_html(
                '<rect class="{}" x="{}%" width="{}%" height="18"/>', css, fixed(start, 2), fixed(share, 2)
            )
        )
        start += share
    return format_html('<svg width="100%" height="18" aria-hidden="true">{}</svg>', join(parts))


def shares(share: float) -> SafeString:
    """One bar: the part of repetition noise, and the rest."""
    noise = fixed(100 * share, 1)
    return format_html(
        '<svg class="width-bar" width="100%" height="20" aria-hidden="true"><rect class="examples" width="100%" '
        'height="20"/><rect class="noise" width="{}%" height="20"/></svg>',
        noise,
    )


def beads(right: int, of: int) -> SafeString:
    """Right and wrong attempts, ordered; above ten attempts in words."""
    words = f"{right} of {of} right"
    if of > MOST_BEADS:
        return format_html("{} of {}", right, of)
    width = 13 * of
    dots = join(
        format_html('<circle class="{}" cx="{}" cy="5" r="4"/>', "yes" if n < right else "no", 6 + 13 * n)
        for n in range(of)
    )
    return format_html(
        '<svg class="beads" width="{}" height="10" viewBox="0 0 {} 10" role="img" aria-label="{}">{}</svg>',
        width,
        width,
        words,
        dots,
    )
