"""Correlations equal those of scipy, and their intervals have the promised coverage."""

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics.correlation import correlations, gaps


def scores(seed=1, n=300, share=0.6):
    chance = np.random.default_rng(seed)
    x = chance.normal(0, 1, n)
    return x, share * x + np.sqrt(1 - share**2) * chance.normal(0, 1, n)


def test_the_coefficients_are_scipys():
    x, y = (values.round(1) for values in scores())

    result = correlations(x, y)

    assert result.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert result.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert result.kendall.value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_a_point_without_both_scores_counts_nowhere():
    x, y = scores()
    x[:10], y[10:20] = np.nan, np.nan

    result = correlations(x, y, np.arange(300))

    assert result.n == 280
    assert result.pearson.value == pytest.approx(stats.pearsonr(x[20:], y[20:]).statistic)


def test_the_interval_is_about_fishers():
    x, y = scores(n=400)

    low, high = correlations(x, y, np.arange(400)).pearson.interval

    expected = stats.pearsonr(x, y).confidence_interval()
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.025)


@pytest.mark.long
def test_the_interval_of_more_points_than_are_drawn_is_as_narrow_as_fishers():
    x, y = scores(n=20_000)

    low, high = correlations(x, y, np.arange(20_000)).pearson.interval

    expected = stats.pearsonr(x, y).confidence_interval()
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.004)


def test_scores_of_one_cluster_are_drawn_together():
    x, y = (np.repeat(values, 10) for values in scores(n=40))

    alone = correlations(x, y, np.arange(400)).spearman.interval
    clustered = correlations(x, y, np.repeat(np.arange(40), 10)).spearman.interval

    assert clustered[1] - clustered[0] > 2 * (alone[1] - alone[0])


def test_a_constant_has_no_correlation():
    result = correlations(np.ones(50), np.arange(50.0), np.arange(50))

    assert (result.pearson.value, result.spearman.value, result.kendall.value) == (
        None,
        None,
        None,
    )
    assert result.kendall.interval is None


def test_equal_scores_agree_wholly():
    x, _ = scores(n=60)

    result = correlations(x, x, np.arange(60))

    assert (result.kendall.value, result.spearman.value) == pytest.approx((1, 1))
    assert result.kendall.interval[0] == pytest.approx(1)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_points_have_no_interval(n):
    result = correlations(np.arange(float(n)), np.arange(float(n)), np.arange(n))

    assert (result.n, result.pearson.interval) == (n, None)


def test_the_gap_is_the_difference_of_ranks():
    x, y = np.array([1.0, 2, 3, np.nan]), np.array([3.0, 2, 1, 5])

    assert gaps(x, y)[:3].tolist() == [-1, 0, 1]
    assert np.isnan(gaps(x, y)[3])


@pytest.mark.slow
def test_intervals_hold_the_true_value_nineteen_times_in_twenty():
    covered = 0
    for seed in range(60):
        interval = correlations(*scores(seed, 100), np.arange(100), seed).kendall.interval
        covered += interval[0] <= 2 / np.pi * np.arcsin(0.6) <= interval[1]

    assert covered >= 52
