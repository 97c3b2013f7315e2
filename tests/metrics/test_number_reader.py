"""Numbers as people and models write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.kinds.contracts.numbers import _numbers
from evaluations.metrics import number_reader

PIECES = ["1", "7", "50", "250", "000", ",", ".", " ", "-", "−", "$", "x", "’", "\u202f", "(", "%", "_", "0"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It fell to −3.", ["-3"]),
        ("The balance is -$5, then $-6 and −€7", ["-5", "-6", "-7"]),
        ("between 5-7", ["5", "7"]),
        ("GPT-4 and v.5", ["4", "5"]),
        ("the options 1,2,3", ["1", "2", "3"]),
        (
            "10\u202f000 and 10\u00a0000 and 1’250 and 12,345,678.90",
            ["10000", "10000", "1250", "12345678.90"],
        ),
        ("1,00,000 rupees", ["100000"]),
        ("1.234,56 and 3,14 and 0,125", ["1234.56", "3.14", "0.125"]),
        ("1.250 and 1.250.000", ["1.250", "1250000"]),
        ("3.0e5, 3 × 10^5", ["3.0E+5", "3E+5"]),
        ("3/4, 1 1/2, ½", ["0.75", "1.5", "0.5"]),
        ("192.168.0.1", ["192", "168", "0", "1"]),
        ("2026-03-01", ["2026", "3", "1"]),
        ("٣٫٥ and １２３", ["3.5", "123"]),
        ("The answer is –3, pages 5–7", ["-3", "5", "7"]),
        ("１，２３４ and １．５", ["1234", "1.5"]),
        ("3 × 10⁵, 2·10⁻², 10^5, 10³", ["3E+5", "0.02", "1E+5", "1E+3"]),
        ("5 m2, 20cm3, 9.8 m/s^2, 3 s^{-1}, H2", ["5", "20", "9.8", "3", "2"]),
        ("5 ± 0.2 kg, 7 ±0.1", ["5", "7"]),
        ("-€ 5", ["-5"]),
        ("no number", []),
    ],
)
def test_every_number_of_a_text_is_read(text, values):
    assert [number.value for number in number_reader.numbers(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\boxed{-\frac{3}{4}}", "-0.75"),
        (r"1\dfrac12", "1.5"),
        (r"1{,}234", "1234"),
        (r"-\$1\,234\,567.5", "-1234567.5"),
        (r"5 \pm 0.2", "5"),
        (r"3 \times 10^{5}", "3E+5"),
    ],
)
def test_numbers_of_tex_are_read(text, value):
    assert number_reader.last(number_reader.from_latex(text)).value == Decimal(value)


@pytest.mark.parametrize(("comma", "value"), [("auto", "1.250"), ("point", "1.250"), ("comma", "1250")])
def test_the_decimal_sign_can_be_chosen(comma, value):
    assert number_reader.whole("1.250", comma).value == Decimal(value)


@given(
    st.lists(st.sampled_from(PIECES), max_size=9).map("".join), st.sampled_from(["auto", "point", "comma"])
)
def test_two_readers_agree(text, comma):
    read = [float(number.value) for number in number_reader.numbers(text, comma)]

    assert read == pytest.approx([float(number) for _, number in _numbers(text, comma)])


@given(st.lists(st.sampled_from([*PIECES, "a ", "/"]), max_size=9).map("".join), st.integers(0, 200))
def test_the_last_number_of_a_long_text_is_that_of_the_whole(text, length):
    every = number_reader.numbers("x" * length + " " + text)

    assert number_reader.last("x" * length + " " + text) == (every[-1] if every else None)


@pytest.mark.parametrize("piece", ["1,", "1.", "9", "1 ", "1/", "1e", "-$", "½", "1,000"])
def test_a_long_text_is_read_at_once(piece):
    assert number_reader.numbers(piece * (20_000 // len(piece))) is not None


NEAR_THE_END = [
    "12",
    "1,234",
    "1.5",
    "−",
    "½",
    "3/4",
    " ",
    "  ",
    ".",
    "%",
    "$",
    "× 10^5",
    "e5",
    "\n",
    "\u00a0",
    "word",
    ")",
    "’",
    "五",
]


@given(st.lists(st.sampled_from(NEAR_THE_END), max_size=12), st.integers(0, 6))
def test_the_last_number_is_found_quickly_where_it_is_found_slowly(pieces, words):
    text = "".join(pieces) + " so we said." * words

    every = number_reader.numbers(text)

    quick = number_reader.last(text)
    assert (quick and quick[2:]) == (every[-1][2:] if every else None)
    assert (quick and quick.value) == (every[-1].value if every else None)
