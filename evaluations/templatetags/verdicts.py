"""Verdicts and the differences behind them, in words, signs and colours (docs/pages.md)."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.templatetags.evalsite import icon

register = template.Library()

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
    length = len(sentence)
    return "verdict" + (" verdict-most" if length > 180 else " verdict-many" if length > 100 else "")


@register.filter
def sign(verdict: str) -> SafeString:
    """The symbol of a verdict, with its word for screen readers."""
    drawing, word = VERDICTS[verdict]
    drawn = icon(drawing, word) if drawing else format_html('<span class="unseen">{}</span>', word)
    return format_html('<span class="change" data-verdict="{}">{}</span>', verdict, drawn)


@register.simple_tag
def change(
    difference: float | None, verdict: str, decimals: int = 3, *, interval: Iterable[float] = ()
) -> SafeString:
    """A difference with plus or minus by its number, and an arrow by its verdict."""
    drawing, word = VERDICTS[verdict]
    if bounds := [numerals.signed(bound, decimals) for bound in interval]:
        word += f", 95 % interval {bounds[0]} to {bounds[1]}"
    return format_html(
        '<span class="change" data-verdict="{}">{}{}<span class="unseen"> {}</span></span>',
        verdict,
        icon(drawing) if drawing else "",
        numerals.signed(difference, decimals),
        word,
    )
