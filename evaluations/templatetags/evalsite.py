"""General tags and filters of pages: numbers, times, states, icons (docs/pages.md)."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import cycle

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations import numerals, owned
from evaluations.labelling import comments, rating
from evaluations.linear import Pattern, literal
from evaluations.models import DatasetVersion
from evaluations.models.fields import longest as longest_of
from evaluations.prompts import money
from evaluations.statistics.intervals import ALPHA, PERCENT
from evaluations.values import JSON, LONGEST_NAME, LONGEST_SEARCH, written

register = template.Library()

LONGEST_LINES = 12
LONGEST = {
    "amount": money.LONGEST,
    "comment": comments.LONGEST,
    "comment of a version": longest_of(DatasetVersion, "comment"),
    "name": LONGEST_NAME,
    "note of a rater": rating.LONGEST_NOTE,
    "search": LONGEST_SEARCH,
    "tag": longest_of(DatasetVersion, "tag"),
}
SOLID = {"mark", "up", "down", "same", "unclear"}
STATES = {
    "draft": "dot",
    "queued": "waiting",
    "estimating": "running",
    "generating": "running",
    "running": "running",
    "importing": "running",
    "completed": "check",
    "decided": "check",
    "ready": "check",
    "delivered": "check",
    "failed": "cross",
    "cancelled": "stopped",
    "limit": "stopped",
    "stopped": "stopped",
    "not begun": "stopped",
    "waiting": "waiting",
}
UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


@register.simple_tag
@lru_cache(maxsize=1_000)
def icon(name: str, label: str = "") -> SafeString:
    """A symbol of static/icons.svg. Screen readers read its label; without one it is decoration.

    Cached, because a page has hundreds of a few different icons.
    """
    classes = "mark" if name == "mark" else "icon icon-solid" if name in SOLID else "icon"
    drawn = format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>', classes, static("icons.svg"), name
    )
    return drawn + format_html('<span class="unseen">{}</span>', label) if label else drawn


@register.simple_tag
def undo_days() -> str:
    """How long a deletion can be undone, as in "for 7 days"."""
    return f"{owned.UNDO.days} days"


@register.simple_tag
def longest(text: str) -> int:
    """How many characters a text may have that is typed in a field written out in a template."""
    return LONGEST[text]


@register.simple_tag
def level() -> str:
    """The confidence level of every interval, as in "95 % interval"."""
    return PERCENT


@register.simple_tag
def most_p() -> float:
    """The largest corrected p with which a difference is better or worse."""
    return ALPHA


@register.simple_tag
def copy(text: object = "", *, element: str = "", label: str = "Copy", named: bool = False) -> SafeString:
    """A button that copies `text`, or the content of the element with this id; `named` shows its label."""
    source = format_html('data-copy-of="{}"', element) if element else format_html('data-copy="{}"', text)
    if named:
        return format_html(
            '<button type="button" class="button button-bare copy copy-named with-script" {}>{} {}</button>',
            source,
            icon("copy"),
            label,
        )
    return format_html(
        '<button type="button" class="button button-bare copy with-script"'
        ' {} aria-label="{}" title="{}">{}</button>',
        source,
        label,
        label,
        icon("copy"),
    )


@register.filter
def number(value: float | None, decimals: int = 3) -> str:
    """Fixed decimals, more where a number would look like 0 or 1 without being it; an en dash for None."""
    if value is None or math.isnan(value):
        return numerals.NONE
    return numerals.fixed(value, numerals.honest(value, decimals) if decimals else 0)


@register.filter
def fixed(value: float | None, decimals: int) -> str:
    """As many decimals for every number of a column, such as κ beside κ."""
    return numerals.fixed(value, decimals)


@register.filter
def sentence_end(text: str) -> str:
    """A message of another program with a stop at its end, so that a sentence can follow.

    >>> sentence_end("The server is overloaded"), sentence_end("Cut …")
    ('The server is overloaded.', 'Cut …')
    """
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


@register.filter
def figure(value: float | None, decimals: int = 3) -> str:
    """A mean, with fewer decimals for large numbers, such as distances."""
    if value is None:
        return numerals.NONE
    decimals = max(1, decimals - (abs(value) >= 10) - (abs(value) >= 100))
    return numerals.fixed(value, numerals.honest(value, decimals))


@register.filter
def apart(size: float, is_share: bool) -> str:
    """A size of differences; of two shares in points.

    >>> apart(0.1014, True), apart(0.05, False)
    ('10.1 points', '0.050')
    """
    return f"{numerals.difference(size, is_share=True).lstrip('+')} points" if is_share else figure(size)


@register.filter
def ends(text: str, most: int) -> str:
    r"""A text of at most this many characters: of a longer one the beginning and the end, where answers stand.

    Words are left whole, but for long ones.

    >>> ends("The answer is (B).", 11)
    'The\xa0… (B).'
    >>> ends("You have fourteen days from the delivery", 32)
    'You have\xa0… the delivery'
    """
    if len(text) <= most:
        return text
    half = (most - 3) // 2
    start, end = text[: half + 1], text[-half - most % 2 - 1 :]
    cut_start, cut_end = start.rpartition(" ")[0], end.partition(" ")[2]
    start = cut_start if 2 * len(cut_start) > half else start[:-1]
    end = cut_end if 2 * len(cut_end) > half else end[1:]
    return f"{start.rstrip()}\N{NO-BREAK SPACE}… {end.lstrip()}"


@register.filter
def mean(value: float | None, is_share: bool = False) -> str:
    """A mean of scores as sentences write it; of scores that are only 0 and 1 as a percentage.

    >>> mean(0.30648), mean(1234.56).replace(numerals.SPACE, " ")
    ('0.306', '1 234.6')
    """
    return numerals.percent(value) if is_share else figure(value)


@register.simple_tag
def column_mean(value: float | None, decimals: int, *, is_share: bool = False) -> str:
    """A mean with the decimals of its column."""
    if is_share or value is None:
        return mean(value, is_share)
    return numerals.fixed(value, numerals.honest(value, decimals))


@register.filter
def signed(value: float | None, decimals: int = 3) -> str:
    """Fixed decimals with + or −."""
    return numerals.signed(value, decimals)


@register.filter
def difference(value: float | None, is_share: bool = False) -> str:
    """A difference of means; of two shares in points."""
    return numerals.difference(value, is_share=is_share)


@register.filter
def ends_of(interval: Sequence[float], is_share: bool = False) -> str:
    """Both ends of the interval of a difference, with equally many decimals."""
    return numerals.ends(interval, is_share=is_share)


@register.filter
def percent(share: float | None, decimals: int = 1) -> str:
    """A share from 0 to 1 as a percentage."""
    return numerals.percent(share, decimals)


@register.filter
def range_of(interval: tuple[float, float], is_share: bool = False) -> str:
    """Both ends of the interval of a mean; of shares as percentages.

    >>> range_of((0.833, 0.994), True).replace(numerals.SPACE, " "), range_of((0.833, 0.994))
    ('83.3 to 99.4 %', '0.833 to 0.994')
    """
    low, high = interval
    return numerals.percents(low, high) if is_share else f"{figure(low)} to {figure(high)}"


@register.filter
def count(value: int | None, form: str = "") -> str:
    """A number with spaces between thousands; with "compact" 12.4k above 9 999, and the exact number in the title."""
    if form != "compact":
        return numerals.grouped(value)
    return format_html(
        '<data value="{}" title="{}">{}</data>', value, numerals.grouped(value), numerals.compact(value)
    )


@register.filter
def counted(value: int, word: str) -> str:
    """The number with its noun: `3|counted:"run"`, or `…:"query,queries"` for irregular plurals."""
    return numerals.plural(value, *word.split(","))


ROUNDS_UP = 0.99995  # of a unit: what one decimal shows as 1.0


@register.filter
def marked(text: str, found: str) -> SafeString:
    """The text, with what was searched for in bold.

    >>> marked("<Rules> of rules", "rule")
    '&lt;<b>Rule</b>s&gt; of <b>rule</b>s'
    """
    if not found:
        return format_html("{}", text)
    pieces = Pattern(f"({literal(found)})", ignore_case=True).split(text)
    return format_html_join(
        "", "{}", ((format_html("<b>{}</b>" if n % 2 else "{}", piece),) for n, piece in enumerate(pieces))
    )


@register.filter(name="bytes")
def file_size(value: int) -> str:
    """A size in decimal units, as disks and browsers show them."""
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if value >= size * ROUNDS_UP:
            return f"{value / size:.1f}{numerals.SPACE}{unit}"
    return numerals.plural(value, "byte")


@register.filter
def as_text(value: JSON) -> str:
    """A value of an example: a text as it is, null as "", anything else as JSON."""
    return written(value)


@register.filter
def clamped(value: JSON, maximum: int = 700) -> str:
    """A value as text with its white space; a long one is cut, with a "Show all" that needs no script.

    What is a fifth longer at most is not cut.
    """
    text = as_text(value)
    if not text:
        return numerals.NONE
    whole = format_html('<span class="text">{}</span>', text)
    if len(text) <= maximum + maximum // 5 and text.count("\n") < LONGEST_LINES:
        return whole
    start = "\n".join(text[:maximum].split("\n")[:LONGEST_LINES])
    head = '<span class="text">{}…</span><span class="link">Show all {} characters</span>'
    less = SafeString('<span class="link less">Show less</span>')
    summary = format_html(head, start, numerals.grouped(len(text))) + less
    return format_html('<details class="clamped"><summary>{}</summary>{}</details>', summary, whole)


@register.filter
def duration(value: timedelta | float | None) -> str:
    """A duration in seconds or as timedelta, in its two largest units: "2 m 14 s", "320 ms"."""
    if value is None:
        return numerals.NONE
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if round(seconds * 1000) < 1000:
        return f"{seconds * 1000:.0f}{numerals.SPACE}ms"
    if round(seconds, 1) < 10:
        return f"{seconds:.1f}{numerals.SPACE}s"
    remaining_seconds, parts = round(seconds), list[str]()
    for size, unit in (*UNITS, (1, "s")):
        whole, remaining_seconds = divmod(remaining_seconds, size)
        if whole or parts:
            parts.append(f"{whole}{numerals.SPACE}{unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0"))


@register.filter
def seconds(value: int | None) -> str:
    """Milliseconds in a column, where "824 ms" above "2.3 s" could not be compared: all in seconds, none rounded.

    >>> seconds(824), seconds(2310), seconds(None)
    ('0.824\u202fs', '2.310\u202fs', '–')
    """
    return numerals.NONE if value is None else f"{numerals.fixed(value / 1000)}{numerals.SPACE}s"


@register.filter
def milliseconds(value: int | None) -> str:
    """A duration in milliseconds, formatted like `duration`."""
    return duration(None if value is None else value / 1000)


@register.filter
def about(seconds: float | None) -> str:
    """An approximate duration: "20 s", "3 min", "2 h"."""
    if seconds is None:
        return numerals.NONE
    for size, unit in ((3_600, "h"), (60, "min")):
        if seconds >= 0.9 * size:
            return f"{max(1, round(seconds / size))}{numerals.SPACE}{unit}"
    step = 1 if seconds < 10 else 5 if seconds < 20 else 10
    return f"{max(1, round(seconds / step)) * step}{numerals.SPACE}s"


@register.filter
def price(value: int | None) -> str:
    """A price per million tokens."""
    return numerals.NONE if value is None else money.price_text(value)


@register.filter
def rate(per_second: float) -> str:
    """Rows a second: one decimal below ten."""
    return numerals.fixed(per_second, 1) if per_second < 10 else numerals.grouped(round(per_second))


@register.filter
def probability(p: float | None) -> str:
    """A p value: three decimals, and nothing smaller than "< 0.001"."""
    return "< 0.001" if p is not None and p < 0.001 else numerals.fixed(p, 3)


@register.filter
def words(code: str) -> str:
    """A code as words: "missing expected" for missing_expected."""
    return code.replace("_", " ")


@register.filter
def by_steps(path: str) -> SafeString:
    """A path that a line breaks behind its slashes.

    >>> by_steps("/runs/{id}/")
    '/<wbr>runs/<wbr>{id}/<wbr>'
    """
    return SafeString(escape(path).replace("/", "/<wbr>"))


@register.filter
def by_parts(name: str) -> SafeString:
    """A name that a line breaks behind its underscores before it breaks inside a word.

    >>> by_parts("baseline_prompt <b>")
    'baseline_<wbr>prompt &lt;b&gt;'
    """
    return SafeString(escape(name).replace("_", "_<wbr>"))


@register.filter
def coded(text: str) -> SafeString:
    """A text with the parts between backticks marked as code.

    >>> coded("Such as `a<b`.")
    'Such as <code>a&lt;b</code>.'
    """
    markups = cycle(("{}", "<code>{}</code>"))
    parts = zip(markups, text.split("`"), strict=False)
    return SafeString("".join(format_html(markup, part) for markup, part in parts))


@register.filter
def ago(moment: datetime | None, now: datetime | None = None) -> str:
    """How long ago, as a <time> whose title is the moment in UTC; a date when it is more than a week."""
    if moment is None:
        return numerals.NONE
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        utc.strftime("%-d %b %Y, %H:%M:%S"),
        _distance(utc, now or timezone.now()),
    )


def _distance(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    minutes, hours, days = (round(seconds / unit) for unit in (60, 3_600, 86_400))
    if seconds < 45:
        return "just now"
    if minutes < 60:
        return f"{max(1, minutes)} min ago"
    if hours < 24:
        return f"{hours} h ago"
    if seconds < 7 * 86_400:
        return "yesterday" if days == 1 else f"{days} days ago"
    return moment.strftime("%-d %b" if moment.year == now.year else "%-d %b %Y")


@register.filter
def state(word: str) -> SafeString:
    """The state of a run, job or import, with an icon."""
    return format_html(
        '<span class="state" data-state="{}">{}{}</span>', word, icon(STATES.get(word, "dot")), word
    )
