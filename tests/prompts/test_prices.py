"""Costs of calls, computed by hand."""

from datetime import date

import pytest

from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid
from evaluations.models import Connection
from evaluations.prompts import money, prices
from evaluations.prompts.prices import Rates
from tests import factories

SPRING, AUTUMN = date(2026, 3, 1), date(2026, 9, 1)


@pytest.fixture
def connection(project, settings) -> Connection:
    return factories.connection(project, settings)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("0.10", 100_000), ("12.5", 12_500_000), ("0.000001", 1), ("999999.999999", 999_999_999_999)],
)
def test_a_price_is_kept_in_millionths(text, value):
    assert money.price(text, "input") == value


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1e3", "1,5", ".5", "1.", "0.0000001", "1000000", "NaN", " 1", "1\n", "\u0661"]
)
def test_an_invalid_amount_is_refused_by_field(text):
    with pytest.raises(Invalid) as refusal:
        money.price(text, "input")

    assert (refusal.value.code, list(refusal.value.fields)) == ("invalid_amount", ["input"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00"),
        (1, "0.000000000001"),
        (10**12, "1.00"),
        (123_456 * 10**10, "1234.56"),
        (5 * 10**11, "0.50"),
    ],
)
def test_a_cost_is_written_exactly(value, text):
    assert money.cost_text(value) == text


def test_a_call_costs_the_sum_of_its_tokens():
    """1 000 input tokens at $0.10, 200 of them cached at $0.025, and 500 output tokens at $0.40 per million:
    800 × 0.10 + 200 × 0.025 + 500 × 0.40 = 285 millionths of a dollar.
    """
    rates = Rates(100_000, 25_000, 400_000)

    assert money.cost_text(prices.cost(rates, Tokens(1_000, 500, cached=200, reasoning=300))) == "0.000285"


def test_too_many_cached_tokens_never_make_a_negative_cost():
    assert prices.cost(Rates(100, 10, 0), Tokens(5, 0, cached=9)) == 50


def test_the_price_of_a_day_is_the_last_one_before_it(connection):
    prices.set_price(connection, "m", 100, 400, None, SPRING)
    prices.set_price(connection, "m", 50, 200, 10, AUTUMN)
    prices.set_price(connection, "other", 1, 1, None, SPRING)

    assert prices.rates(connection, "m", date(2026, 2, 28)) is None
    assert prices.rates(connection, "m", SPRING) == Rates(100, 100, 400)
    assert prices.rates(connection, "m", date(2026, 8, 31)) == Rates(100, 100, 400)
    assert prices.rates(connection, "m", AUTUMN) == Rates(50, 10, 200)
    assert prices.rates(connection, "unknown", AUTUMN) is None


def test_the_price_of_the_same_day_is_replaced(connection):
    first, is_new = prices.set_price(connection, "m", 100, 400, None, SPRING)
    replacement, is_another = prices.set_price(connection, " m ", 1, 2, 3, SPRING)

    assert (is_new, is_another, replacement.pk) == (True, False, first.pk)
    assert prices.rates(connection, "m", SPRING) == Rates(1, 3, 2)


def test_a_deleted_price_restores_the_previous_one(connection):
    prices.set_price(connection, "m", 100, 400, None, SPRING)
    newer_price, _ = prices.set_price(connection, "m", 1, 1, None, AUTUMN)

    prices.remove(newer_price)

    assert prices.rates(connection, "m", AUTUMN) == Rates(100, 100, 400)


@pytest.mark.parametrize("currency", ["", "usd", "US", "USDT", "U$D", "ÄÖÜ", "EUR\n"])
def test_a_currency_has_three_capital_letters(project, currency):
    with pytest.raises(Invalid):
        prices.set_currency(project, currency)

    project.refresh_from_db()
    assert project.currency == "USD"
