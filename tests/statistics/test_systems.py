"""Agreement on the order of systems equals the published definitions, computed by plain loops."""

from itertools import combinations, product
from statistics import fmean, pstdev

import numpy as np
import pytest
from scipy.stats import pearsonr

from evaluations.statistics import systems

HUMAN = np.array([[1.0, 2.0, 4.0, 3.0], [0.0, 2.0, 1.0, 3.0], [2.0, 2.5, 4.0, 3.5]])
METRIC = np.array([[0.3, 0.1, 0.9, 0.4], [0.4, 0.2, 0.3, 0.5], [0.2, 0.3, 0.8, 0.9]])
EVERY_SWAP = np.array(list(product([False, True], repeat=4)))


def loop_p(a, b):
    """All swaps, one after the other."""
    observed = fmean(x - y for x, y in zip(a, b, strict=True))
    draws = [
        fmean(s * (x - y) for s, x, y in zip(signs, a, b, strict=True))
        for signs in product([1, -1], repeat=4)
    ]
    return fmean(draw >= observed - 1e-12 for draw in draws)


def test_pairs_in_the_same_order_and_ties_in_both_count():
    # 12: same, 13: opposite, 14: tie in one, 23: same, 24: same, 34: tie in both
    human, metric = np.array([3.0, 1.0, 2.0, 2.0]), np.array([2.0, 1.0, 3.0, 3.0])

    assert systems.pairwise_accuracy(human, metric) == pytest.approx(4 / 6)


def test_a_tie_in_one_alone_does_not_count():
    assert systems.pairwise_accuracy(np.array([1.0, 1.0]), np.array([1.0, 2.0])) == 0


def test_equal_scores_in_another_order_are_tied():
    means = np.array([(0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3])
    assert means[0] != means[1]

    assert systems.pairwise_accuracy(means, np.array([1.0, 1.0])) == 1


def test_p_is_the_share_of_all_ways_to_swap():
    expected = [loop_p(HUMAN[i], HUMAN[j]) for i, j in combinations(range(3), 2)]

    assert systems.p_values(HUMAN, EVERY_SWAP).tolist() == pytest.approx(expected, abs=1e-12)


def test_soft_accuracy_is_one_minus_the_mean_distance_of_the_p_values():
    distances = [
        abs(loop_p(HUMAN[i], HUMAN[j]) - loop_p(METRIC[i], METRIC[j])) for i, j in combinations(range(3), 2)
    ]

    soft = systems.soft_pairwise_accuracy(HUMAN, METRIC, EVERY_SWAP)

    assert soft == pytest.approx(1 - fmean(distances), abs=1e-12)
    assert soft < 1


def test_an_evaluator_agrees_softly_with_any_scale_of_itself():
    assert systems.soft_pairwise_accuracy(HUMAN, 3 * HUMAN + 1, EVERY_SWAP) == 1


def test_an_evaluator_agrees_with_any_scale_of_itself():
    assert systems.pairwise_accuracy(HUMAN.mean(axis=1), 3 * HUMAN.mean(axis=1)) == 1


def test_the_correlation_is_that_of_scipy():
    a, b = HUMAN.mean(axis=1), METRIC.mean(axis=1)

    assert systems.correlation(a, b) == pytest.approx(pearsonr(a, b).statistic, abs=1e-12)
    assert systems.correlation(a, np.ones(3)) == 0
    assert systems.correlation(a, 1e-9 * b) == pytest.approx(pearsonr(a, b).statistic, abs=1e-9)


def test_perm_both_equals_a_plain_loop():
    human, first, second = HUMAN[:, :2], METRIC[:, :2], METRIC[::-1, 2:]
    swaps = np.array(list(product([False, True], repeat=6))).reshape(-1, 3, 2)

    def standard(scores):
        flat = [x for row in scores for x in row]
        return [[(x - fmean(flat)) / pstdev(flat) for x in row] for row in scores.tolist()]

    def closer(a, b):
        means = [[fmean(row) for row in side] for side in (human.tolist(), a, b)]
        return pearsonr(means[0], means[1]).statistic - pearsonr(means[0], means[2]).statistic

    a, b = standard(first), standard(second)
    draws = []
    for mask in swaps.tolist():
        swapped = [[b[i][j] if mask[i][j] else a[i][j] for j in range(2)] for i in range(3)]
        right = [[a[i][j] if mask[i][j] else b[i][j] for j in range(2)] for i in range(3)]
        draws.append(closer(swapped, right))
    expected = (1 + sum(abs(draw) >= abs(closer(a, b)) - 1e-12 for draw in draws)) / 65

    difference, p = systems.perm_both(human, first, second, swaps)

    assert difference == pytest.approx(closer(a, b), abs=1e-12)
    assert p == pytest.approx(expected, abs=1e-12)


def test_a_good_evaluator_beats_noise_but_not_itself():
    chance = np.random.default_rng(4)
    human = np.arange(8)[:, None] * 0.3 + chance.normal(0, 1, (8, 200))
    good, noise = human + chance.normal(0, 0.3, human.shape), chance.normal(0, 1, human.shape)
    swaps = chance.random((400, 8, 200)) < 0.5

    assert systems.perm_both(human, good, noise, swaps)[1] < 0.05
    assert systems.perm_both(human, good, good, swaps) == (0, 1)
