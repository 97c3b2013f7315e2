"""Amounts of money, built into all templates (docs/pages.md). They are millionths of millionths of the currency."""

from django import template
from django.utils.html import format_html

from evaluations import numerals
from evaluations.prompts.money import cost_text

register = template.Library()

TEN_THOUSANDTH = 10**8


def cost_read(value: int | None) -> str:
    """An amount rounded for reading: 9.20, 0.44, 0.028, and nothing smaller than "< 0.0001"."""
    if value is not None and 0 < value < TEN_THOUSANDTH:
        return "< 0.0001"
    return numerals.NONE if value is None else numerals.rounded(value / 10**12)


@register.filter
def cost(value: int | None) -> str:
    """The same in a page, where the title has the digits that were left out."""
    read = cost_read(value)
    return format_html('<span title="{}">{}</span>', cost_text(value or 0), read) if read[0] == "<" else read


@register.filter
def limit(value: int | None) -> str:
    """A limit as it was typed, with all digits: a text alone, which a field can have."""
    return numerals.NONE if value is None else cost_text(value)
