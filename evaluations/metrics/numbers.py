"""Finds numbers in texts and compares them exactly."""

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from evaluations.values import JSON

NUMBER = r"-?\d[\d,]*\.?\d*"
LAST = re.compile(NUMBER)
WHOLE = re.compile(rf"\s*\+?({NUMBER})\s*")
TAIL = 64

# precise enough to subtract and multiply the longest texts without rounding
EXACT = Context(prec=400_000, Emax=MAX_EMAX, Emin=MIN_EMIN)


def of_value(value: JSON) -> Decimal | None:
    """A JSON number; None for any other value (true is not a number), for NaN and infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Decimal(repr(value))
    return number if number.is_finite() else None


def last(text: str) -> str | None:
    """The last number written in a text, with its sign.

    >>> last("17 - 1,242. Done"), last("3-2")
    ('1,242.', '-2')
    """
    # Numbers contain no blanks, so the part after a blank can be searched separately.
    numbers = LAST.findall(text[-TAIL:].partition(" ")[2]) or LAST.findall(text)
    return numbers[-1] if numbers else None


def whole(text: str) -> str | None:
    """The stripped text if it is one number, else None."""
    match = WHOLE.fullmatch(text)
    return match[1] if match else None


def decimal(written: str) -> Decimal | None:
    """The exact value of a written number; thousands commas and a trailing point are understood.

    >>> decimal("1,242") == decimal("1242.00")
    True
    """
    match = WHOLE.fullmatch(written)
    return Decimal(match[1].replace(",", "")) if match else None


def close(actual: Decimal, expected: Decimal, tolerance: Decimal, *, relative: bool = False) -> bool:
    """Whether two numbers differ by at most the tolerance (with `relative`, times the expected one), exactly."""
    if not tolerance:
        return actual == expected
    allowed = EXACT.multiply(tolerance, EXACT.abs(expected)) if relative else tolerance
    return EXACT.abs(EXACT.subtract(actual, expected)) <= allowed
