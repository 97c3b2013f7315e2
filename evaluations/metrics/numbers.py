"""Finds numbers in texts and compares them exactly."""

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from evaluations.values import JSON

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")  # never tries again: what follows the first digit may be empty
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
    numbers = NUMBER.findall(text[-TAIL:].partition(" ")[2]) or NUMBER.findall(text)
    return numbers[-1] if numbers else None


def whole(text: str) -> str | None:
    """The stripped text if it is one number, else None."""
    written = text.strip().removeprefix("+")
    integer, _, fraction = written.removeprefix("-").partition(".")
    digits = integer.replace(",", "") + fraction
    return written if integer[:1].isdecimal() and digits.isdecimal() and "," not in fraction else None


def decimal(written: str) -> Decimal | None:
    """The exact value of a written number; thousands commas and a trailing point are understood.

    >>> decimal("1,242") == decimal("1242.00")
    True
    """
    number = whole(written)
    return None if number is None else Decimal(number.replace(",", ""))


def close(actual: Decimal, expected: Decimal, tolerance: Decimal, *, relative: bool = False) -> bool:
    """Whether two numbers differ by at most the tolerance (with `relative`, times the expected one), exactly."""
    if not tolerance:
        return actual == expected
    allowed = EXACT.multiply(tolerance, EXACT.abs(expected)) if relative else tolerance
    return EXACT.abs(EXACT.subtract(actual, expected)) <= allowed
