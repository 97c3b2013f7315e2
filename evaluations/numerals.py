"""Formats numbers for people: fixed decimals, a real minus sign, an en dash for no number."""

import math
from collections.abc import Iterable

from evaluations.linear import Pattern

NONE = "–"
MINUS = "−"
NEAREST = 1e-12  # a number nearer to 0 or 1 differs by rounding errors only
NOISE = 12  # decimals beyond which a number is a rounding error
SPACE = "\u202f"  # narrow and non-breaking, so that a number never wraps
NO_BREAK = "\N{NO-BREAK SPACE}"
INTEGER = Pattern("-?[0-9]{1,20}")
NUMBER = Pattern(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,9})?")


def fixed(value: float | None, decimals: int = 3) -> str:
    """A number with fixed decimals; one that rounds to zero has no sign.

    One figure computed in two ways is written once: a half is a half, also with rounding errors.

    >>> fixed(-0.0974), fixed(-0.0001), fixed(None), fixed(float("nan"))
    ('−0.097', '0.000', '–', '–')
    >>> fixed(0.2265), fixed(0.22649999999999987)
    ('0.227', '0.227')
    >>> fixed(1164.84, 1).replace(SPACE, "_")
    '1_164.8'
    """
    if value is None or math.isnan(value):
        return NONE
    text = f"{round(value, NOISE):,.{decimals}f}".replace(",", SPACE)
    if not any(digit in text for digit in "123456789"):
        return text.lstrip("-")
    return text.replace("-", MINUS)


def honest(value: float, decimals: int = 3) -> int:
    """The decimals with which a number does not look like 0 or 1 without being it; at least `decimals`.

    >>> honest(0.9996), honest(0.99996), honest(0.00002), honest(0.4), honest(1.0), honest(-0.0002)
    (4, 5, 5, 3, 3, 4)
    """
    for bound in (0.0, 1.0):
        away = abs(abs(value) - bound)
        if NEAREST < away < 0.5 * 10.0**-decimals:
            return max(decimals, -math.floor(math.log10(away) + 1e-9))
    return decimals


def signed(value: float | None, decimals: int = 3) -> str:
    """
    >>> signed(0.061), signed(-0.097), signed(0.0)
    ('+0.061', '−0.097', '0.000')
    """
    text = fixed(value, decimals)
    return (
        f"+{text}"
        if value is not None and value > 0 and any(digit in text for digit in "123456789")
        else text
    )


def column(values: Iterable[float | None]) -> int:
    """The decimals of all numbers of a column: as many as suit its largest one, so that they stand below each other.

    >>> column([9.85, 10.45, None]), column([0.2, 1.0]), column([]), column([250.0, 3.5])
    (2, 3, 3, 1)
    """
    largest = max(
        (abs(value) for value in values if value is not None and not math.isnan(value)), default=0.0
    )
    return 3 - (largest >= 10) - (largest >= 100)


def difference(value: float | None, *, is_share: bool = False) -> str:
    """A difference of means; of two shares in points (hundredths). It looks like no bound that it does not reach.

    Points have one decimal, more where they would look like zero.

    >>> difference(0.0434), difference(0.00002), difference(-0.0432, is_share=True), difference(None)
    ('+0.043', '+0.00002', '−4.3', '–')
    >>> difference(0.9996, is_share=True), difference(1.0, is_share=True)
    ('+99.96', '+100.0')
    >>> [difference(share, is_share=True) for share in (0.00005, -0.0003, 0.0)]
    ['+0.005', '−0.03', '0.0']
    """
    if value is None or math.isnan(value):
        return NONE
    if not is_share:
        return signed(value, honest(value))
    return signed(value * 100, honest(value) - 2)


def ends(interval: Iterable[float], *, is_share: bool = False) -> str:
    """Both ends of the interval of a difference, with equally many decimals: as many as its larger end needs.

    An end that would look like zero, without being it, has one decimal more, because its side of zero is the verdict;
    one that is nearer still has its sign alone.

    >>> ends((-0.007, 0.0003)), ends((-0.00001, 0.00005)), ends((-3.21, 12.345))
    ('−0.007 to +0.0003', '−0.00001 to +0.00005', '−3.21 to +12.35')
    >>> ends((-0.0001, 0.432), is_share=True), ends((-0.0002, 0.0004), is_share=True)
    ('−0.01 to +43.2', '−0.02 to +0.04')
    >>> ends((0.95, 0.9996), is_share=True), ends((0.0, 0.432), is_share=True), ends((-0.000004, 0.091), is_share=True)
    ('+95.00 to +99.96', '0.0 to +43.2', '−0.0 to +9.1')
    """
    both = [0.0 if abs(end) <= NEAREST else end for end in interval]
    told = [end for end in both if abs(end) >= 0.0005] or [max(both, key=abs)]
    least = 3 if is_share else column(both)
    decimals = max(honest(end, least) for end in told)
    factor, fewer = (100, 2) if is_share else (1, 0)
    return " to ".join(_end(end * factor, decimals - fewer) for end in both)


def _end(value: float, decimals: int) -> str:
    """An end with `decimals`, one more, or its sign before the zero that it looks like."""
    if value == 0 or abs(value) >= 0.5 * 10.0**-decimals:
        return signed(value, decimals)
    needed = honest(value, decimals)
    if needed <= decimals + 1:
        return signed(value, needed)
    return f"{'+' if value > 0 else MINUS}{fixed(0.0, decimals)}"


def grouped(count: int | None) -> str:
    """
    >>> grouped(1234567).replace(SPACE, "_"), grouped(999)
    ('1_234_567', '999')
    """
    return NONE if count is None else f"{count:,}".replace(",", SPACE).replace("-", MINUS)


def rounded(amount: float) -> str:
    """An amount of money: two decimals, or two significant digits below 0.10.

    >>> rounded(9.2), rounded(0.4412), rounded(0.02849), rounded(0.00000471), rounded(0), rounded(1234.5)
    ('9.20', '0.44', '0.028', '0.0000047', '0.00', '1\u202f234.50')
    """
    decimals = 2 if amount == 0 or abs(amount) >= 0.1 else 1 - math.floor(math.log10(abs(amount)))
    return f"{amount:,.{decimals}f}".replace(",", SPACE).replace("-", MINUS)


def compact(count: int | None) -> str:
    """A count, abbreviated above 9 999; rounded down, so that "1M" is never shown for less.

    >>> compact(9999).replace(SPACE, "_"), compact(12_449), compact(999_999), compact(2_000_000)
    ('9_999', '12.4k', '999k', '2M')
    """
    if count is None or count < 10_000:
        return grouped(count)
    size, unit = (1_000_000, "M") if count >= 1_000_000 else (1_000, "k")
    tenths = count * 10 // size
    return f"{tenths // 10}{unit}" if tenths >= 1000 or tenths % 10 == 0 else f"{tenths / 10:.1f}{unit}"


def percent(share: float | None, decimals: int = 1) -> str:
    """A share from 0 to 1 as a percentage; 0 and 100 % only if it is that.

    >>> percent(0.504).replace(SPACE, "_"), percent(None), percent(1.0, 0).replace(SPACE, "_")
    ('50.4_%', '–', '100_%')
    >>> percent(0.9996).replace(SPACE, "_"), percent(0.0004).replace(SPACE, "_"), percent(0.9996, 0).replace(SPACE, "_")
    ('>_99.9_%', '<_0.1_%', '>_99_%')
    """
    if share is None or math.isnan(share):
        return NONE
    least = 10.0**-decimals
    text = fixed(share * 100, decimals)
    if share > NEAREST and text == fixed(0.0, decimals):
        text = f"<{SPACE}{fixed(least, decimals)}"
    elif share < 1 - NEAREST and text == fixed(100.0, decimals):
        text = f">{SPACE}{fixed(100 - least, decimals)}"
    return f"{text}{SPACE}%"


def percents(low: float, high: float, decimals: int = 1) -> str:
    """A range of shares as percentages, with the sign once.

    >>> percents(0.833, 0.994).replace(SPACE, "_")
    '83.3 to 99.4_%'
    """
    return f"{percent(low, decimals).removesuffix(f'{SPACE}%')} to {percent(high, decimals)}"


def plural(count: int, single: str, many: str = "") -> str:
    """
    >>> plural(1, "example"), plural(0, "example"), plural(2, "query", "queries")
    ('1 example', '0 examples', '2 queries')
    """
    return f"{grouped(count)} {single if count == 1 else many or single + 's'}"


def whole(text: str, digits: int = 18) -> int | None:
    """A whole number of at most 18 digits, which every database accepts, or 9 as positions have; None for other texts.

    Texts of users never meet `int` otherwise: it raises for more than 4 300 digits, and for “²”.

    >>> whole("12"), whole("-1"), whole("²"), whole("9" * 19)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def is_integer(text: str) -> bool:
    """Whether a text is an integer of up to 20 digits."""
    return INTEGER.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number as JSON writes it, with up to 400 digits on each side of the point."""
    return NUMBER.fullmatch(text) is not None
