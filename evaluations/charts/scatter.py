"""A scatter plot of examples: one run's score on the horizontal axis, the other's on the vertical one."""

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from numpy.typing import NDArray

from evaluations.numerals import grouped, plural
from evaluations.short_texts import NARROW, short_names
from evaluations.statistics.squares import MOST_POINTS, Squares

from .svg import anchor, join, mark, numbers, plain

FRAME = SafeString(
    '<line class="floor" x1="0" y1="100%" x2="100%" y2="100%"/>'
    '<line class="floor" x1="0" y1="0" x2="0" y2="100%"/>'
)
GROUND = FRAME + SafeString('<line class="diagonal" x1="0" y1="100%" x2="100%" y2="0"/>')
ENDS = (
    '<text x="0" y="0" dy="-6">{top}<tspan class="axis-name" dx="8">{up}</tspan></text>{bottom}'
    '<text x="0" y="100%" dy="14">{low}</text><text x="100%" y="100%" dy="14" text-anchor="end">'
    '<tspan class="axis-name">{across}</tspan><tspan dx="8">{high}</tspan></text>'
)
BOTTOM = '<text x="6" y="100%" dy="-6">{}</text>'
Link = Callable[[int, int], str]
Square = tuple[int, int, int]  # index on the horizontal axis, index on the vertical axis, number of examples


def scatter(
    squares: Squares,
    baseline: NDArray[np.float64],
    variant: NDArray[np.float64],
    direction: str = "maximize",
    link: Link | None = None,
    names: tuple[str, str] = ("baseline", "variant"),
    tie: float = 0.0,
) -> SafeString:
    """The baseline's scores on the horizontal axis, the variant's on the vertical; equal scores lie on the diagonal.

    The `names` of both stand at the ends of their axes. Points of pairs that differ by at most `tie` are the same.
    Incomplete pairs are left out. Up to 1 500 are drawn as points, joined in a few paths because a page holds several
    drawings; more are counted in squares. `link` returns the address of the examples in a square, by its indices.
    """
    across, up = (scores[squares.across >= 0] for scores in (baseline, variant))
    if not across.size:
        return SafeString("")
    sign = -1 if direction == "minimize" else 1
    better = (up - across) * sign
    better[np.abs(better) <= tie] = 0.0
    filled = _filled(squares)
    if across.size > MOST_POINTS:
        drawn = join(_square(squares, square, _shade(square, filled), sign, link) for square in filled)
    else:
        links = join(_square(squares, square, "", sign, link) for square in filled if link)
        drawn = _points(squares, across, up, better) + links
    along = squares.edges[0], squares.edges[-1]
    ends = _ends(along, along, names)
    return format_html(
        '<svg class="scatter" aria-hidden="true">{}{}{}</svg>'
        '<p class="unseen">Of {}, {} better, {} worse, {} the same.</p>{}',
        *(GROUND, drawn, ends, plural(across.size, "example")),
        *(grouped(int(part.sum())) for part in (better > 0, better < 0, better == 0)),
        _table(squares, filled, link),
    )


def pair(across: NDArray[np.float64], up: NDArray[np.float64], names: tuple[str, str]) -> SafeString:
    """The scores of outputs by two evaluators, whose `names` stand at the axes; each axis has its own range, from the
    smallest score.

    Of many outputs a part is drawn, every few of them. The coefficients beside it say the same in numbers.
    """
    has_both = np.isfinite(across) & np.isfinite(up)
    step = 1 + int(has_both.sum()) // MOST_POINTS
    xs, ys = (scores[has_both][::step] for scores in (across, up))
    if not xs.size:
        return SafeString("")
    (left, right), (bottom, top) = (_reach(one) for one in (xs, ys))
    dots = "".join(
        f"M{x:.1f} {100 - y:.1f}h0"
        for x, y in zip(100 * (xs - left) / (right - left), 100 * (ys - bottom) / (top - bottom), strict=True)
    )
    return format_html(
        '<svg class="scatter" aria-hidden="true">{}'
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none"><path d="{}"/></svg>{}</svg>',
        FRAME,
        dots,
        _ends((left, right), (bottom, top), names),
    )


def _reach(scores: NDArray[np.float64]) -> tuple[float, float]:
    """From the tenth below the smallest score to the largest or 1; from 0 where no room is left between."""
    low, high = float(scores.min()), max(1.0, float(scores.max()))
    begin = math.floor(low * 10) / 10
    return (begin if begin < high else 0.0), high


def _ends(xs: tuple[float, float], ys: tuple[float, float], names: tuple[str, str]) -> SafeString:
    """The ends of both axes with their names; where both begin at one number, it stands below the corner alone."""
    shown = short_names(names, NARROW)
    across, up = (shown[name] for name in names)
    low, high = (plain(end) for end in xs)
    bottom = "" if xs[0] == ys[0] else format_html(BOTTOM, plain(ys[0]))
    return format_html(ENDS, low=low, high=high, top=plain(ys[1]), across=across, up=up, bottom=bottom)


def _filled(squares: Squares) -> list[Square]:
    counts = squares.counts()
    return [(i, j, int(counts[i, j])) for i, j in np.argwhere(counts).tolist()]


def _points(
    squares: Squares, across: NDArray[np.float64], up: NDArray[np.float64], better: NDArray[np.float64]
) -> SafeString:
    """A dot for each pair, in one path each for better, worse and equal pairs."""
    low, high = squares.edges[0], squares.edges[-1]
    xs, ys = (100 * (values - low) / (high - low) for values in (across, up))
    paths = (
        (side, "".join(f"M{x:.1f} {100 - y:.1f}h0" for x, y in zip(xs[where], ys[where], strict=True)))
        for side, where in (("same", better == 0), ("worse", better < 0), ("better", better > 0))
        if where.any()
    )
    drawn = format_html_join("", '<path data-verdict="{}" d="{}"/>', paths)
    return format_html('<svg viewBox="0 0 100 100" preserveAspectRatio="none">{}</svg>', drawn)


def _square(squares: Squares, square: Square, shade: str, sign: int, link: Link | None) -> SafeString:
    """A square shaded by the number of its examples; without a shade it is only a link."""
    i, j, n = square
    size = 100 / squares.parts
    side = "better" if (j - i) * sign > 0 else "worse" if j != i else "same"
    box = (side, *(f"{x:g}%" for x in (i * size, 100 - (j + 1) * size, size, size)), shade or "0")
    drawn = format_html(
        '<rect class="cell" data-verdict="{}" x="{}" y="{}" width="{}" height="{}" fill-opacity="{}"/>', *box
    )
    title = f"{grouped(n)} from {_range(squares, i)}, and from {_range(squares, j)}"
    return mark(drawn, title, link(i, j) if link else "")


def _shade(square: Square, filled: Iterable[Square]) -> str:
    maximum = max(n for *_, n in filled)
    return f"{0.15 + 0.85 * math.log1p(square[2]) / math.log1p(maximum):.2f}"


def _table(squares: Squares, filled: Iterable[Square], link: Link | None) -> SafeString:
    return numbers(
        "Both scores in numbers", ("Baseline", "Variant", "Examples"), _rows(squares, filled, link)
    )


def _rows(squares: Squares, filled: Iterable[Square], link: Link | None) -> Iterator[tuple[str, str, str]]:
    for i, j, n in filled:
        yield _range(squares, i), _range(squares, j), anchor(grouped(n), link(i, j) if link else "")


def _range(squares: Squares, index: int) -> str:
    return f"{plain(squares.edges[index])} to {plain(squares.edges[index + 1])}"
