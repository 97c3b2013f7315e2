"""Money as integers, so that both databases add it exactly.

Prices are in millionths of the currency per million tokens, costs in millionths of millionths of the currency: tokens
times a price is a cost, without rounding. Texts are decimal numbers, such as "0.10".
"""

from decimal import Decimal

from evaluations.errors import Invalid
from evaluations.linear import Pattern

PRICE_DECIMALS = 6
COST_DECIMALS = 12
LONGEST = 20  # characters of an amount in a form
WRITTEN = r"[0-9]{1,6}(\.[0-9]{1,6})?"
DECIMAL = Pattern(WRITTEN)


def amount(text: str, field: str, decimals: int) -> int:
    """Parse an amount below a million with up to six decimals; raises `Invalid` naming the field."""
    if not DECIMAL.fullmatch(text):
        message = "Write an amount like 0.10: below a million, with up to six decimals."
        raise Invalid("invalid_amount", message, fields={field: [message]})
    return int(Decimal(text).scaleb(decimals))


def price(text: str, field: str) -> int:
    return amount(text, field, PRICE_DECIMALS)


def cost(text: str, field: str) -> int:
    return amount(text, field, COST_DECIMALS)


def limit(text: str | None, field: str) -> int | None:
    """A cost that may be left out: None for none or an empty text."""
    return cost(text, field) if text else None


def price_text(value: int) -> str:
    return _text(value, PRICE_DECIMALS)


def cost_text(value: int) -> str:
    return _text(value, COST_DECIMALS)


def _text(value: int, digits: int) -> str:
    """Format an amount with at least two decimals, and without further trailing zeros.

    >>> _text(100_000, 6), _text(12_500_000, 6), _text(20_000_001, 12)
    ('0.10', '12.50', '0.000020000001')
    """
    whole, _, decimals = f"{Decimal(value).scaleb(-digits):.{digits}f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"
