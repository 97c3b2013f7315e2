"""Formats ranges of estimates (docs/pages.md)."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone

from evaluations import numerals
from evaluations.launches.causes import in_a_row, told
from evaluations.launches.estimates import Range
from evaluations.numerals import rounded
from evaluations.templatetags.evalsite import about

register = template.Library()

FIRST_MINUTE = timedelta(minutes=1)
HUNDREDTH = 10**10  # of the currency, in millionths of millionths


register.filter(told)
register.filter(in_a_row)


@register.filter
def between(ends: Range) -> str:
    """A range of whole numbers, abbreviated if both are above 9 999; a single number if both ends look alike."""
    low, high = round(ends.low), round(ends.high)
    written = numerals.compact if low >= 10_000 or high >= 1_000_000 else _in_three_digits
    return _joined(written(low), written(high))


def _in_three_digits(number: int) -> str:
    """
    >>> _in_three_digits(21_432), _in_three_digits(4_110)
    ('21\u202f400', '4\u202f110')
    """
    return numerals.grouped(round(number, -2) if number >= 10_000 else number)


@register.filter
def between_costs(ends: Range) -> str:
    """A range of costs, without the currency; of less than a hundredth nobody needs the digits."""
    if round(ends.high) < HUNDREDTH:
        return "below 0.01" if ends.high else "0"
    return _joined(rounded(ends.low / 10**12), rounded(ends.high / 10**12))


@register.filter
def about_costs(ends: Range) -> str:
    """The same as an estimate: “about 0.02 to 0.03”, “below 0.01”."""
    written = between_costs(ends)
    return written if written.startswith("below") else f"about {written}"


@register.filter
def between_minutes(ends: Range) -> str:
    return _joined(about(60 * ends.low), about(60 * ends.high))


def _joined(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


@register.filter
def polling(since: datetime | None) -> str:
    """How often a page asks for its work: each second in the first minute, when people watch, then every other one."""
    is_new = since and timezone.now() - since < FIRST_MINUTE
    return "every 1s" if is_new else "every 2s"
