"""What the program prints of an answer of the API."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalsite_client import lines
from evaluations import numerals
from evaluations.statistics import wording
from evaluations.templatetags.evalsite import figure

NUMBERS = st.one_of(
    st.floats(-2000, 2000),
    st.floats(-2, 2),
    st.integers(-99_999, 99_999).map(lambda n: n / 10_000),  # halves of the last decimal
    st.sampled_from([1e-9, -0.00002, 0.9996, 0.99999, 1 - 1e-13, 0.05349999999999999, 12.345, 123.45, -0.0]),
)

ALONE = {"evaluator": {"name": "Numeric match"}, "mean": 0.5538, "interval": [0.484, 0.622], "n": 195}
COUNTED = {"mean": 0.54, "interval": [0.471, 0.608], "n": 200}


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        (None, "mean 0.554 [0.484, 0.622], n = 195"),
        (COUNTED, "mean 0.540 [0.471, 0.608], n = 200 (0.554 of the 195 scored alone)"),
    ],
)
def test_the_mean_of_a_run_is_that_which_comparisons_count(compared, said):
    answer = {"id": 8, "variant": "C", "status": "done", "scorings": [ALONE | {"compared": compared}]}

    assert list(lines.run(answer)) == ["Run 8 C: done", f"  Numeric match: {said}"]


def plain(text):
    """A number of a page in the letters of a terminal."""
    return text.replace("−", "-").replace(numerals.SPACE, "")


@given(NUMBERS)
@example(0.0535)
@example(-0.0305)
def test_a_number_is_that_of_the_pages_to_the_last_digit(value):
    assert lines.number(value) == plain(figure(value))
    assert lines.number(value, sign="+") == plain(wording.number(value, signed=True))


@given(st.tuples(NUMBERS, NUMBERS).map(sorted))
def test_both_ends_are_those_of_the_pages_to_the_last_digit(ends):
    assert " to ".join(lines.both(ends)) == plain(numerals.ends(ends))
