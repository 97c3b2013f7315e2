"""Intervals of one run's figures."""

import pytest
from scipy import stats

from evaluations.statistics.intervals import mean_interval, wilson


@pytest.mark.parametrize(("passes", "n"), [(0, 1), (0, 20), (20, 20), (7, 50), (999, 1000)])
def test_wilson_intervals_equal_those_of_scipy(passes, n):
    expected = stats.binomtest(passes, n).proportion_ci(method="wilson")

    assert wilson(passes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10, 200, 1_000_000])
def test_the_interval_of_a_mean_without_ends_or_skew_is_students(n):
    expected = stats.t.interval(0.95, n - 1, loc=0.6, scale=0.2 / n**0.5)

    assert mean_interval(n, 0.6, 0.2) == pytest.approx(expected, rel=5e-3)


def test_scores_that_are_all_at_the_end_have_an_interval_with_a_width():
    # Wilson's, with Student's 2.045 for 30 scores: 30 / (30 + 2.045^2).
    assert mean_interval(30, 1.0, 0.0, None, 0, 1) == pytest.approx((0.8776, 1.0), abs=1e-3)


def test_scores_that_are_all_zero_without_an_upper_end_may_have_more():
    low, high = mean_interval(30, 0.0, 0.0, None, 0, None)

    assert low == 0
    assert high == pytest.approx(2.045**2 / 30, rel=1e-2)


def test_the_interval_reaches_further_on_the_side_of_the_long_tail():
    low, high = mean_interval(40, 5.0, 4.0, 2.0)
    mirrored = mean_interval(40, -5.0, 4.0, -2.0)

    assert high - 5 > 1.2 * (5 - low)
    assert mirrored == pytest.approx((-high, -low))


def test_no_end_lies_beyond_the_scale():
    low, high = mean_interval(4, 0.9, 0.2, -1.0, 0, 1)

    assert 0 <= low < 0.9 < high <= 1


def test_too_few_values_have_no_interval():
    assert wilson(0, 0) is None
    assert mean_interval(1, 0.5, None) is None
    assert mean_interval(0, None, None) is None
