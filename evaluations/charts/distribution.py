"""Drawings of many scores: how they are distributed, and how two runs' scores lie to each other."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import grouped, plural
from evaluations.statistics.histogram import Histogram, grid

from .svg import anchor, join, mark, numbers, plain

TOP, FLOOR, FOOT = (
    6,
    44,
    58,
)  # Of a histogram, in pixels: highest bar, ground, labels.
MOST_POINTS = 1_500
CELLS = 20
GROUND = SafeString(
    '<line class="floor" x1="0" y1="100%" x2="100%" y2="100%"/>'
    '<line class="floor" x1="0" y1="0" x2="0" y2="100%"/>'
    '<line class="diagonal" x1="0" y1="100%" x2="100%" y2="0"/>'
)
ENDS = '<text x="0" y="100%" dy="14">{0}</text><text x="100%" y="100%" dy="14" text-anchor="end">{1}</text>'


def histogram(
    summary: Mapping[str, Any],
    threshold: float | None = None,
    direction: str = "maximize",
    links: Callable[[float, float], str] | None = None,
) -> SafeString:
    """The bins of a summary over the whole width; those that fail the threshold are marked.

    `summary["histogram"]` has "edges" and "counts", one edge more than counts. `links` gives the address that
    filters by a bin, from its lower and upper edge.
    """
    edges, counts = summary["histogram"]["edges"], summary["histogram"]["counts"]
    low, high, most = edges[0], edges[-1], max(counts)
    bars, rows = [], []
    for a, b, n in zip(edges, edges[1:], counts, strict=False):
        if not n:
            continue
        tall = max(2, round((FLOOR - TOP) * n / most))
        left, right = _share(a, low, high), _share(b, low, high)
        kind = "bin below" if _fails(a, b, high, threshold, direction) else "bin"
        box = (kind, f"{left + 0.2:.2f}%", FLOOR - tall, f"{right - left - 0.4:.2f}%", tall)
        bar = format_html('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>', *box)
        link = links(a, b) if links else ""
        bars.append(mark(bar, f"{grouped(n)} from {plain(a)} to {plain(b)}", link))
        rows.append((plain(a), plain(b), anchor(grouped(n), link)))
    floor = format_html('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>', FLOOR)
    title = f"Histogram of {plural(sum(counts), 'score')} in {plural(len(counts), 'bin')}"
    drawn = join([*bars, floor, _axis(low, high, threshold)])
    return format_html(
        '<svg class="histogram" width="100%" height="60" aria-hidden="true">{}</svg>{}',
        drawn,
        numbers(title, ("From", "To", "Scores"), rows),
    )


def _fails(a: float, b: float, high: float, threshold: float | None, direction: str) -> bool:
    """Whether no score of a bin passes. The last bin has its upper edge, so a score there meets a threshold there."""
    if threshold is None:
        return False
    return a > threshold if direction == "minimize" else b <= threshold and b < high


def _axis(low: float, high: float, threshold: float | None) -> SafeString:
    """The ends and the pass mark; near an end the mark takes that end's place."""
    marks = {"start": ("0", plain(low)), "end": ("100%", plain(high))}
    line = SafeString("")
    if threshold is not None and low <= threshold <= high:
        share = _share(threshold, low, high)
        anchor = "start" if share < 20 else "end" if share > 80 else "middle"
        marks[anchor] = (marks.get(anchor, (f"{share:.2f}%",))[0], f"pass {plain(threshold)}")
        line = format_html(
            '<line class="threshold" x1="{0}%" x2="{0}%" y1="0" y2="{1}"/>', f"{share:.2f}", FLOOR
        )
    labels = ((x, FOOT, anchor, text) for anchor, (x, text) in marks.items())
    return line + format_html_join("", '<text x="{}" y="{}" text-anchor="{}">{}</text>', labels)


def overlay(baseline: Histogram, variant: Histogram) -> SafeString:
    """Two distributions in the same bins: the baseline as an outline, the variant as bars."""
    edges = variant.edges
    most = max(*baseline.counts, *variant.counts, 1)
    low, high = edges[0], edges[-1]
    bars, steps, rows = [], [], []
    for a, b, ours, theirs in zip(edges, edges[1:], baseline.counts, variant.counts, strict=False):
        left, right = _share(a, low, high), _share(b, low, high)
        said = f"{grouped(theirs)} against {grouped(ours)} from {plain(a)} to {plain(b)}"
        tall, line = (round((FLOOR - TOP) * n / most) for n in (theirs, ours))
        box = ("bin", f"{left + 0.2:.2f}%", FLOOR - tall, f"{right - left - 0.4:.2f}%", tall)
        bar = format_html('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>', *box)
        bars.append(mark(bar, said, ""))
        ends = (f"{left:.2f}%", f"{right:.2f}%", FLOOR - line)
        steps.append(format_html('<line class="outline" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>', *ends))
        rows.append((plain(a), plain(b), grouped(ours), grouped(theirs)))
    floor = format_html('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>', FLOOR)
    drawn = join([*bars, *steps, floor, _axis(low, high, None)])
    return format_html(
        '<svg class="histogram" width="100%" height="60" aria-hidden="true">{}</svg>{}',
        drawn,
        numbers(f"Both in {plural(len(rows), 'bin')}", ("From", "To", "Baseline", "Variant"), rows),
    )


def scatter(
    baseline: Sequence[float],
    variant: Sequence[float],
    direction: str = "maximize",
    bounds: tuple[float, float | None] = (0.0, None),
    point_link: Callable[[int], str] | None = None,
    cell_link: Callable[[float, float, float, float], str] | None = None,
) -> SafeString:
    """Each example by its two scores: the baseline's across, the variant's up, the same on the diagonal.

    Both axes reach from `bounds` or further, where scores do. Pairs without both scores are left out.
    More than 1 500 are counted in 20 by 20 cells. `point_link` gets the index of an example, `cell_link` a
    cell's lower and upper edge across, then up.
    """
    across, up = np.asarray(baseline, float), np.asarray(variant, float)
    both = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    if not both.size:
        return SafeString("")
    across, up = across[both], up[both]
    low = min(bounds[0], float(across.min()), float(up.min()))
    high = max(low if bounds[1] is None else bounds[1], float(across.max()), float(up.max()))
    high = high if high > low else low + 1
    better = (up - across) * (-1 if direction == "minimize" else 1)
    if both.size > MOST_POINTS:
        marks = _cells(across, up, grid(low, high, CELLS), direction, cell_link)
    else:
        rows = zip(both.tolist(), across.tolist(), up.tolist(), better.tolist(), strict=True)
        marks = (
            mark(
                _point(_share(x, low, high), _share(y, low, high), side),
                f"{plain(x)} and {plain(y)}",
                point_link(i) if point_link else "",
            )
            for i, x, y, side in rows
        )
    return format_html(
        '<svg class="scatter" aria-hidden="true">{}{}{}</svg>'
        '<p class="unseen">Of {}, {} better, {} worse, {} the same.</p>',
        *(GROUND, join(marks), format_html(ENDS, plain(low), plain(high)), plural(both.size, "example")),
        *(grouped(int(part.sum())) for part in (better > 0, better < 0, better == 0)),
    )


def _point(x: float, y: float, better: float) -> SafeString:
    place = (_side(better), f"{x:.2f}%", f"{100 - y:.2f}%")
    return format_html('<circle data-verdict="{}" cx="{}" cy="{}" r="2.5"/>', *place)


def _cells(
    across: np.ndarray,
    up: np.ndarray,
    edges: np.ndarray,
    direction: str,
    link: Callable[[float, float, float, float], str] | None,
) -> Iterable[SafeString]:
    counts = np.histogram2d(across, up, (edges, edges))[0].astype(int)
    size = 100 / CELLS
    for i, j in zip(*np.nonzero(counts), strict=True):
        n, better = int(counts[i, j]), int(j - i) * (-1 if direction == "minimize" else 1)
        shade = f"{0.15 + 0.85 * math.log1p(n) / math.log1p(counts.max()):.2f}"
        box = (_side(better), f"{i * size}%", f"{100 - (j + 1) * size}%", f"{size}%", f"{size}%", shade)
        cell = format_html(
            '<rect class="cell" data-verdict="{}" x="{}" y="{}" width="{}" height="{}" fill-opacity="{}"/>',
            *box,
        )
        bounds = (float(edges[i]), float(edges[i + 1]), float(edges[j]), float(edges[j + 1]))
        said = "{} from {} to {}, and from {} to {}".format(grouped(n), *map(plain, bounds))
        yield mark(cell, said, link(*bounds) if link else "")


def _side(better: float) -> str:
    return "better" if better > 0 else "worse" if better < 0 else "same"


def _share(value: float, low: float, high: float) -> float:
    return 100 * (value - low) / (high - low)
