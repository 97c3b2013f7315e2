import numpy as np
import pytest
from scipy import stats

from evaluations.statistics.clusters import average_repeats, spread
from evaluations.statistics.paired import compare


def test_equal_clusters_are_tested_by_their_means():
    # With equal sizes the jackknife is the t test on one mean per cluster.
    chance = np.random.default_rng(3)
    labels = np.repeat(np.array(["a", "b", "c", "d", "e", "f"]), 4)
    differences = chance.normal(0.4, 1, 24)
    expected = stats.ttest_1samp(differences.reshape(6, 4).mean(axis=1), 0)

    found = compare(np.zeros(24), differences, direction="maximize", clusters=labels)

    assert found.method == "cluster_t"
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval()), abs=1e-9)


def test_each_example_its_own_cluster_is_the_plain_t_test():
    chance = np.random.default_rng(3)
    baseline, run = chance.random(30), chance.random(30)

    found = compare(baseline, run, direction="maximize", clusters=np.arange(30))

    assert found.p == pytest.approx(stats.ttest_rel(run, baseline).pvalue, abs=1e-9)


def test_one_large_cluster_leaves_few_degrees_of_freedom():
    # Sizes 96 and four of 1: effective number 100 ** 2 / (96 ** 2 + 4) = 1.08, so one degree at least.
    labels = np.repeat(np.arange(5), [96, 1, 1, 1, 1])

    assert spread(np.random.default_rng(1).normal(size=100), labels).df == 1.0


def test_clusters_that_agree_in_everything_give_no_degrees_of_freedom():
    differences = np.zeros(500)
    differences[:20] = np.linspace(0.1, 0.5, 20)

    assert spread(differences, np.arange(500) // 5).df == pytest.approx(3.0)


@pytest.mark.parametrize(("labels", "reason"), [([1, 1, 1], "one cluster"), ([1, 1, 2], "same amount")])
def test_clusters_that_say_nothing_give_a_reason(labels, reason):
    found = compare(np.zeros(3), np.full(3, 0.5), direction="maximize", clusters=labels)

    assert found.interval is None
    assert reason in found.reason


def test_repeats_are_averaged_within_their_example():
    first, second, third = ([0.2, np.nan, np.nan], [0.4, 1.0, np.nan], [0.6, np.nan, np.nan])

    means = average_repeats([np.array(column) for column in (first, second, third)])

    assert means == pytest.approx([0.4, 1.0, np.nan], nan_ok=True)
