"""Small drawings of counts: better, worse and tied examples, a stroke per evaluator, progress."""

from collections.abc import Callable, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import compact, grouped
from evaluations.process_cache import remembered

from .svg import join, picture

SIGNS = {
    name: format_html(
        '<svg class="icon icon-solid" viewBox="0 0 8 8" aria-hidden="true"><path d="{}"/></svg>', path
    )
    for name, path in {
        "better": "M4 .8 7.6 7.2H.4z",
        "worse": "M4 7.2.4.8h7.2z",
        "same": "M.5 2h7v1.4h-7zM.5 4.7h7v1.4h-7z",
    }.items()
}
STROKES = {"better": "7.5v-6.5", "worse": "8.5v6.5", "same": "7v2", "none": "7v2"}
WORDS = {"better": "better", "worse": "worse", "same": "tied"}


def outcomes(wins: int, losses: int, ties: int, links: Callable[[str], str] | None = None) -> SafeString:
    """A stacked bar of the examples that are better, worse and tied. `links` has an address for each of these words."""
    counts = {"better": wins, "worse": losses, "same": ties}
    total = max(1, sum(counts.values()))
    sentences, bars, before = [], [], 0
    for word, n in counts.items():
        href = format_html(' href="{}"', links(word)) if links else ""
        title = format_html(' title="{}"', grouped(n)) if n >= 10_000 else ""
        inner = (word, href, title, SIGNS[word], compact(n), WORDS[word])
        sentences.append(format_html('<a class="{}"{}{}>{}{}<span class="unseen"> {}</span></a>', *inner))
        box = (word, f"{100 * before / total:.2f}%", f"{100 * n / total:.2f}%")
        bars.append(format_html('<rect class="bar-{}" x="{}" width="{}" height="2"/>', *box))
        before += n
    return format_html(
        '<span class="outcomes">{}<svg width="100%" height="2" aria-hidden="true">{}</svg></span>',
        join(sentences),
        join(bars),
    )


def ticks(deltas: Sequence[float | None]) -> SafeString:
    """A stroke for each evaluator, up for better, down for worse; `deltas` are improvements or None."""
    return _strokes(
        tuple("none" if d is None else "better" if d > 0 else "worse" if d < 0 else "same" for d in deltas)
    )


@remembered("bars of better, worse and tied", 10_000)
def _strokes(kinds: tuple[str, ...]) -> SafeString:
    label = f"{kinds.count('better')} better, {kinds.count('worse')} worse, {kinds.count('same')} tied"
    if unscored := kinds.count("none"):
        label += f", {unscored} without a score"
    lines = ((kind, 2 + 5 * i, STROKES[kind]) for i, kind in enumerate(kinds))
    strokes = format_html_join("", '<path class="tick-{}" d="M{} {}"/>', lines)
    return picture("ticks", max(4, 5 * len(kinds) - 1), 16, label, strokes)


def progress(done: int, total: int, label: str = "Examples scored") -> SafeString:
    """A progress bar, indeterminate while the total is unknown."""
    if not total:
        return format_html('<progress aria-label="{}"></progress>', label)
    return format_html(
        '<progress max="{}" value="{}" aria-label="{}">{} of {}</progress>',
        *(total, done, label, grouped(done), grouped(total)),
    )
