"""Numbers in texts."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.metrics import numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,242 apples", "1,242"),
        ("first 3, then 4.", "4."),
        ("no number", None),
        ("10-5", "-5"),
        ("v1.2.3", "3"),
        ("١٢", "١٢"),
        ("", None),
    ],
)
def test_the_last_number_of_a_text(text, number):
    assert numbers.last(text) == number


@given(st.text(st.sampled_from("12,.- x\n"), max_size=200))
def test_the_last_number_is_the_last_that_reading_from_the_start_finds(text):
    numbers_found = re.findall(numbers.NUMBER, text)

    assert numbers.last(text) == (numbers_found[-1] if numbers_found else None)


@pytest.mark.parametrize(
    ("text", "number"), [(" 42 ", "42"), ("+42", "42"), ("42 apples", None), ("4 2", None), ("-", None)]
)
def test_a_text_that_is_a_number(text, number):
    assert numbers.whole(text) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,242", 1242), ("1242.00", 1242), ("42.", 42), ("-0.50", Decimal("-0.5")), ("١٢", 12), ("x", None)],
)
def test_the_value_of_a_written_number(text, value):
    assert numbers.decimal(text) == value


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5),
        (0.1, Decimal("0.1")),
        (1e22, 10**22),
        (True, None),
        ("5", None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_a_json_number_is_itself(value, number):
    assert numbers.of_value(value) == number


def test_long_numbers_differ_in_their_last_digit():
    digits = "1" * 50_000

    assert not numbers.close(Decimal(digits), Decimal(digits[:-1] + "2"), Decimal(0))
    assert not numbers.close(Decimal(digits), Decimal(digits[:-1] + "2"), Decimal("0.5"))
    assert numbers.close(Decimal(digits), Decimal(digits[:-1] + "2"), Decimal(1))
