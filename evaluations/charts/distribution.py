"""Histograms: the distribution of one run's scores, or of two runs in one drawing."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import grouped, plural
from evaluations.statistics.histogram import Histogram

from .svg import anchor, join, mark, numbers, plain

TOP, FLOOR, FOOT, BELOW = 4, 26, 14, 16  # pixels: highest bar, base line, labels and the edge below it
OVERLAY_FLOOR = 104  # the base line of two distributions in one drawing
DRAWING = '<svg class="histogram" width="100%" height="{}" aria-hidden="true">{}</svg>{}'


def histogram(
    summary: Mapping[str, Any],
    threshold: float | None = None,
    direction: str = "maximize",
    links: Callable[[float, float], str] | None = None,
    *,
    of: str = "",
    axis: tuple[float, float] | None = None,
) -> SafeString:
    """The histogram of a summary; bins that fail the threshold are marked.

    `summary["histogram"]` has "edges" and "counts", one edge more than counts. `links` gives the address that
    filters by a bin, from its lower and upper edge. Its table is called by the evaluator that it is `of`. The `axis`
    has the bins within its ends, if it is not as long as they are: several drawings with one can be laid side by side.
    """
    edges, counts = summary["histogram"]["edges"], summary["histogram"]["counts"]
    (low, high), maximum = axis or (edges[0], edges[-1]), max(counts)
    bars, rows = [], []
    for a, b, n in zip(edges, edges[1:], counts, strict=False):
        if not n:
            continue
        kind = "bin below" if _fails(a, b, edges[-1], threshold, direction) else "bin"
        tall = max(2, round((FLOOR - TOP) * n / maximum))
        ends = _share(a, low, high), _share(b, low, high)
        link = links(a, b) if links else ""
        bar = _bar(kind, *ends, tall)
        if link:
            bar = _bar("reach", *ends, FLOOR + FOOT, FLOOR + FOOT) + bar
        bars.append(mark(bar, f"{grouped(n)} from {plain(a)} to {plain(b)}", link))
        rows.append((plain(a), plain(b), anchor(grouped(n), link)))
    floor = format_html('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>', FLOOR)
    about = f"{of}: histogram" if of else "Histogram"
    title = f"{about} of {plural(sum(counts), 'score')} in {plural(len(counts), 'bin')}"
    table = numbers(title, ("From", "To", "Scores"), rows)
    return format_html(DRAWING, FLOOR + BELOW, join([*bars, floor, _axis(low, high, threshold)]), table)


def proportion(passed: int, failed: int, links: tuple[str, str], as_wrong: int = 0) -> SafeString:
    """How many of the answers pass, as one line that is divided; `links` lead to those that pass and that fail.

    Answers without a score that count `as_wrong` are hatched. The numbers are written beside it.
    """
    total = passed + failed + as_wrong
    box = '<rect class="{}" x="{:.2f}%" y="0" width="{:.2f}%" height="100%"/>'
    marks, start = [], 0.0
    for kind, n, word, link in (("bin", passed, "pass", links[0]), ("bin below", failed, "fail", links[1])):
        if n:
            rect = SafeString(box.format(kind, start, 100 * n / total))
            marks.append(mark(rect, f"{grouped(n)} {word}", link))
        start += 100 * n / total
    if as_wrong:
        line = SafeString(f'<line class="as-wrong" x1="{start:.2f}%" x2="100%" y1="5" y2="5"/>')
        marks.append(mark(line, f"{grouped(as_wrong)} without a score, as wrong", ""))
    return format_html(
        '<svg class="histogram proportion" width="100%" height="10" aria-hidden="true">{}</svg>', join(marks)
    )


def _bar(kind: str, start: float, end: float, tall: int, floor: int = FLOOR) -> SafeString:
    """A bar between two points, in percent of the width."""
    box = (kind, f"{start + 0.2:.2f}%", floor - tall, f"{end - start - 0.4:.2f}%", tall)
    return format_html('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>', *box)


def _fails(a: float, b: float, high: float, threshold: float | None, direction: str) -> bool:
    """Whether all scores fail. The last bin includes its upper edge, so a score in it may equal the threshold."""
    if threshold is None:
        return False
    return a > threshold if direction == "minimize" else b <= threshold and b < high


def _axis(low: float, high: float, threshold: float | None, floor: int = FLOOR) -> SafeString:
    """Labels of both ends and of the threshold, which replaces the label of an end that is near."""
    marks = {"start": ("0", plain(low)), "end": ("100%", plain(high))}
    line = SafeString("")
    if threshold is not None and low <= threshold <= high:
        share = _share(threshold, low, high)
        anchor = "start" if share < 30 else "end" if share > 70 else "middle"
        marks[anchor] = (marks.get(anchor, (f"{share:.2f}%",))[0], f"pass {plain(threshold)}")
        line = format_html(
            '<line class="threshold" x1="{0}%" x2="{0}%" y1="0" y2="{1}"/>', f"{share:.2f}", FLOOR
        )
    labels = ((x, floor + FOOT, anchor, text) for anchor, (x, text) in marks.items())
    return line + format_html_join("", '<text x="{}" y="{}" text-anchor="{}">{}</text>', labels)


def overlay(baseline: Histogram, variant: Histogram) -> SafeString:
    """Two distributions in the same bins: the baseline as an outline, the variant as bars."""
    edges = variant.edges
    maximum = max(*baseline.counts, *variant.counts, 1)
    low, high = edges[0], edges[-1]
    bars, steps, rows = [], [], []
    for a, b, baseline_count, variant_count in zip(
        edges, edges[1:], baseline.counts, variant.counts, strict=False
    ):
        start, end = _share(a, low, high), _share(b, low, high)
        title = f"{grouped(variant_count)} against {grouped(baseline_count)} from {plain(a)} to {plain(b)}"
        tall, line = (round((OVERLAY_FLOOR - TOP) * n / maximum) for n in (variant_count, baseline_count))
        bars.append(mark(_bar("bin", start, end, tall, OVERLAY_FLOOR), title, ""))
        ends = (f"{start:.2f}%", f"{end:.2f}%", OVERLAY_FLOOR - line)
        steps.append(format_html('<line class="outline" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>', *ends))
        rows.append((plain(a), plain(b), grouped(baseline_count), grouped(variant_count)))
    floor = format_html('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>', OVERLAY_FLOOR)
    table = numbers(f"Both in {plural(len(rows), 'bin')}", ("From", "To", "Baseline", "Variant"), rows)
    return format_html(
        DRAWING,
        OVERLAY_FLOOR + BELOW,
        join([*bars, *steps, floor, _axis(low, high, None, OVERLAY_FLOOR)]),
        table,
    )


def _share(value: float, low: float, high: float) -> float:
    return 100 * (value - low) / (high - low)
