"""Exact sums equal those of math.fsum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.statistics import exact
from evaluations.statistics.exact import exact_sum

SIZE = 200_000  # more than one part
FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FLOATS, max_size=50))
def test_a_sum_is_that_of_the_standard_library(values):
    assert exact_sum(np.array(values)) == math.fsum(values)


@pytest.mark.parametrize(
    "columns",
    [
        lambda chance: chance.random(SIZE),
        lambda chance: chance.normal(0, 1, SIZE) ** 3,
        lambda chance: chance.normal(0, 1, SIZE) * 10.0 ** chance.integers(-300, 290, SIZE),
        lambda chance: chance.integers(0, 1_000, SIZE) * math.ulp(0),
        lambda chance: np.full(SIZE, math.nextafter(1, 0)),
    ],
    ids=["scores", "cubes", "all magnitudes", "the smallest floats", "full mantissas"],
)
def test_a_long_sum_is_that_of_the_standard_library(columns):
    values = columns(np.random.default_rng(3))

    assert exact_sum(values) == math.fsum(values.tolist())


def test_the_order_of_terms_does_not_count(monkeypatch):
    monkeypatch.setattr(exact, "AT_ONCE", 2)

    assert exact_sum(np.array([1e16, 1.0, -1e16])) == exact_sum(np.array([1e16, -1e16, 1.0])) == 1.0


def test_a_sum_with_infinity_is_infinite():
    assert exact_sum(np.array([1.0, math.inf])) == math.inf


def test_no_terms_add_up_to_zero():
    assert exact_sum(np.array([])) == 0.0
