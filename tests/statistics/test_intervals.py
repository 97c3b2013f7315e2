import pytest
from scipy import stats

from evaluations.statistics.intervals import mean_interval, wilson


@pytest.mark.parametrize(("passes", "n"), [(0, 1), (0, 20), (20, 20), (7, 50), (999, 1000)])
def test_wilson_is_what_scipy_finds(passes, n):
    expected = stats.binomtest(passes, n).proportion_ci(method="wilson")

    assert wilson(passes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10, 200, 1_000_000])
def test_the_interval_of_a_mean_is_students(n):
    expected = stats.t.interval(0.95, n - 1, loc=0.6, scale=0.2 / n**0.5)

    assert mean_interval(n, 0.6, 0.2) == pytest.approx(expected, rel=5e-3)


def test_too_few_values_have_no_interval():
    assert wilson(0, 0) is None
    assert mean_interval(1, 0.5, None) is None
    assert mean_interval(0, None, None) is None
