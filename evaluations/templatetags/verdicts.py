"""Renders verdicts and differences as words, signs and colours (docs/pages.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.gates import results
from evaluations.gates.results import Result
from evaluations.linear import Pattern
from evaluations.numerals import NO_BREAK
from evaluations.short_texts import short_names
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.sentences import Part
from evaluations.templatetags.evalsite import by_parts, icon

register = template.Library()

NAMES = ("name", "evaluator")  # roles of what people named
INTERVAL = Pattern(r"([−+]?\d[\d.]* to [−+]?\d[\d.]*|n = \d[\d\x{202F}]*)")
MOST_WHOLE = 24  # letters of a name that fits on a line of a phone

VERDICTS = {
    "better": ("up", "better"),
    "worse": ("down", "worse"),
    "same": ("same", "same"),
    "cannot_tell": ("unclear", "no clear difference"),
    "none": ("", "no verdict"),
}


@register.filter
def verdict_class(sentence: str) -> str:
    """The CSS class of a verdict's paragraph; long verdicts have smaller type."""
    return "verdict verdict-many" if len(sentence) > 100 else "verdict"


@register.simple_tag
def sentence(
    parts: Iterable[Part], subsets: Mapping[str, str] | None = None, beside: Iterable[str] = ()
) -> SafeString:
    """A verdict in words; `subsets` are the pages of the subsets that it may name.

    A long name is cut so that it looks like none of those `beside` it in the comparison.
    """
    said = list(parts)
    shown = short_names([*(text for role, text in said if role in NAMES), *beside])
    return format_html_join("", "{}", ([_part(role, text, subsets or {}, shown)] for role, text in said))


def _part(role: str, text: str, subsets: Mapping[str, str], shown: Mapping[str, str]) -> SafeString | str:
    if role == "subset" and text in subsets:
        return format_html(
            '<a class="subset" href="{}" title="Show only these examples"><i>{}</i></a>', subsets[text], text
        )
    if role in ("subset", "cluster"):
        return format_html("<i>{}</i>", text)
    if role in NAMES:
        if shown[text] != text:
            return format_html('<b title="{}">{}</b>', text, by_parts(shown[text]))
        whole = len(text) <= MOST_WHOLE
        return format_html(
            '<b class="whole">{}</b>' if whole else "<b>{}</b>", text if whole else by_parts(text)
        )
    if role == "limit":
        return format_html('<em class="limit">{}</em>', text)
    if role == "number" and text.endswith(")"):
        figure, _, interval = text.partition(" (")  # an interval is not broken over two lines
        return format_html('{} <span class="unbroken">({}</span>', figure, interval)
    if role in ("", "number"):
        return whole_intervals(text)
    return format_html('<b class="word" data-verdict="{}">{}</b>', role, text)


@register.filter
def whole_intervals(text: str) -> str:
    """A sentence in which no interval, scale or “n = 36” is broken over two lines.

    >>> whole_intervals("on rating (1 to 5), by Anna")
    'on rating (1\xa0to\xa05), by Anna'
    """
    ends = INTERVAL.split(text)
    return "".join(one.replace(" ", NO_BREAK) if at % 2 else one for at, one in enumerate(ends))


@register.filter
def lacking(row: Result | Mapping[str, Any]) -> str:
    """What a criterion of a gate, open as it is, lacks."""
    found = row.as_dict() if isinstance(row, Result) else row
    return results.lacking(str(found["rule"]), found["examples_needed"], found["n"])


@register.filter
def sign(verdict: str) -> SafeString:
    """The symbol of a verdict, with its word for screen readers."""
    drawing, word = VERDICTS[verdict]
    drawn = icon(drawing, word) if drawing else format_html('<span class="unseen">{}</span>', word)
    return format_html('<span class="change" data-verdict="{}">{}</span>', verdict, drawn)


@register.simple_tag
def change(
    difference: float | None,
    verdict: str,
    decimals: int | str | None = None,
    *,
    interval: Iterable[float] = (),
    is_share: bool = False,
) -> SafeString:
    """A difference with its sign, and an arrow for its verdict; without `decimals`, or with "", with as many as it
    needs."""

    def written(value: float | None) -> str:
        if not isinstance(decimals, int):
            return numerals.difference(value, is_share=is_share)
        return numerals.signed(value, decimals)

    drawing, word = VERDICTS[verdict]
    if bounds := [*interval]:
        both = (
            numerals.ends(bounds, is_share=is_share)
            if not isinstance(decimals, int)
            else " to ".join(map(written, bounds))
        )
        word += f", {PERCENT} interval {both}"
    return format_html(
        '<span class="change" data-verdict="{}">{}{}<span class="unseen"> {}</span></span>',
        verdict,
        icon(drawing) if drawing else "",
        written(difference),
        word,
    )
