"""Expressions: what is read, what is refused and where, bounds, and that each agrees with Python's own arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.metrics import expressions
from evaluations.metrics.expressions import Numbers
from evaluations.values import Status


def value(text, **numbers):
    columns = {
        name: Numbers(
            np.array([math.nan if number is None else number]), np.array([bool(number is None) * 2], np.uint8)
        )
        for name, number in numbers.items()
    }
    values, status = expressions.read(text).compute(columns, 1)
    return None if np.isnan(values[0]) else float(values[0]), Status(status[0])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1 + 2 * 3 - a", 6),
        ("2 - 3 - 4 + 0*a", -5),
        ("-a * -2", 2),
        ("- a + 5", 4),
        ("not a == 1", 0),
        ("(a = 1) + (a ≠ 2)", 2),
        ("a < 2 and a > 2 or a ≤ 1", 1),
        ("max(a, 3, 2) ÷ min(2, a)", 3),
        ("if(a > 1, 10, if(a = 1, 20, 30))", 20),
        ("1e-1 × a + .5", 0.6),
    ],
)
def test_an_expression_has_the_value_of_arithmetic(text, result):
    assert value(text, a=1) == (pytest.approx(result), Status.SCORED)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "Write an expression"),
        ("a +", "Character 4: a number or a name is missing."),
        ("a b", "Character 3: an operator is missing before “b”."),
        ("(a", "Character 3: a closing bracket is missing."),
        ("a < b < c", "Character 7: compare two numbers at a time"),
        ("min(a)", "Character 1: “min” needs two values or more."),
        ("if(a, b)", "Character 1: “if” needs a condition"),
        ("if a", "Character 4: “if” needs brackets"),
        ("a ** b", "Character 4: a number or a name is missing before “*”."),
        ("a; b", "Character 2: “;” has no meaning here."),
        ("1.2.3", "Character 1: “1.2.3” is no number."),
        ("1e999 + a", "Character 1: “1e999” is too large."),
        ("__import__(os)", "Character 11: an operator is missing before “(”."),
        ("a.b", "Character 2: “.” is no number."),
        ("(" * 31 + "a", "Character 31: more than 30 brackets"),
        ("-" * 60 + "a", "Character 31: more than 30 brackets"),
        ("a" * 201, "An expression has at most 200 characters."),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text, place):
    with pytest.raises(expressions.Wrong) as refused:
        expressions.read(text)

    assert str(refused.value).startswith(place)


def test_what_is_missing_stays_missing_but_if_needs_only_its_branch():
    assert value("0.5 * a + b", a=1, b=None) == (None, Status.MISSING_ACTUAL)
    assert value("a or b", a=1, b=None) == (None, Status.MISSING_ACTUAL)
    assert value("if(a, a, b)", a=1, b=None) == (1, Status.SCORED)
    assert value("if(b, a, a)", a=1, b=None) == (None, Status.MISSING_ACTUAL)


def test_a_division_by_zero_is_an_error_even_where_a_minimum_would_hide_it():
    assert value("min(1, a / 0)", a=1) == (None, Status.ERROR)
    assert value("a * 1e300 * 1e300", a=1) == (None, Status.ERROR)


def test_a_result_has_the_status_of_the_score_that_nobody_could_give():
    statuses = [Status.SCORED, Status.NOT_FOUND, Status.ERROR, Status.MISSING_ACTUAL, Status.MISSING_EXPECTED]
    left = Numbers(np.zeros(5), np.array(statuses, np.uint8))
    right = Numbers(np.zeros(5), np.array([Status.ERROR] * 5, np.uint8))
    _, status = expressions.read("a + b").compute({"a": left, "b": right}, 5)

    assert status.tolist() == [Status.ERROR] * 3 + [Status.MISSING_ACTUAL, Status.MISSING_EXPECTED]


names = st.sampled_from(["a", "b", "1", "0.25", "3"])
trees = st.recursive(
    names,
    lambda part: st.one_of(
        st.builds("({} {} {})".format, part, st.sampled_from(["+", "-", "*", "<", ">=", "==", "!="]), part),
        st.builds("min({}, {})".format, part, part),
        st.builds("max({}, {})".format, part, part),
        st.builds("(-{})".format, part),
    ),
    max_leaves=8,
)


@given(trees, st.floats(-2, 2), st.floats(-2, 2))
def test_values_are_those_of_python_and_lie_within_the_bounds(text, a, b):
    if len(text) > expressions.LONGEST:
        return
    expression = expressions.read(text)
    expected = float(eval(text, {"min": min, "max": max, "a": a, "b": b}))
    low, high = expression.range({"a": (-2.0, 2.0), "b": (-2.0, 2.0)})

    assert value(text, a=a, b=b)[0] == pytest.approx(expected)
    assert low <= expected <= high


def test_the_formula_is_written_with_its_numbers():
    expression = expressions.read("0.5*exact + if(-rouge<.3, min(exact,2), 0)")

    assert (
        expression.written({"exact": 0.8, "rouge": None}) == "0.5 × 0.8 + if(−missing < .3, min(0.8, 2), 0)"
    )
