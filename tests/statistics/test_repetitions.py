"""Figures of repeated answers equal what counting all subsets of attempts gives."""

from itertools import combinations

import numpy as np
import pytest

from evaluations.statistics import repetitions

CHANCE = np.random.default_rng(8)
ATTEMPTS = CHANCE.integers(2, 6, 12)
PASSES = np.array([CHANCE.integers(0, n + 1) for n in ATTEMPTS])


def by_subsets(k: int, judge) -> float:
    """The mean over examples of the share of subsets of k attempts that `judge` accepts."""
    shares = []
    for n, c in zip(ATTEMPTS.tolist(), PASSES.tolist(), strict=True):
        if n >= k:
            subsets = list(combinations([True] * c + [False] * (n - c), k))
            shares.append(sum(map(judge, subsets)) / len(subsets))
    return sum(shares) / len(shares)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_pass_at_k_and_all_of_k_are_the_shares_of_all_subsets(k):
    assert repetitions.pass_at(ATTEMPTS, PASSES, k) == pytest.approx(by_subsets(k, any), abs=1e-12)
    assert repetitions.pass_all(ATTEMPTS, PASSES, k) == pytest.approx(by_subsets(k, all), abs=1e-12)


def test_more_attempts_than_any_example_has_are_unknown():
    assert repetitions.pass_at(ATTEMPTS, PASSES, 6) is None
    assert repetitions.pass_all(ATTEMPTS, PASSES, 6) is None


def test_a_tie_of_the_majority_counts_half():
    assert repetitions.majority(np.array([4, 4, 4, 0]), np.array([3, 2, 1, 0])) == 0.5


def test_the_share_of_repetition_noise_is_that_of_the_simulation():
    """Two sides, each example with its own chance; the variance of a mean over repetitions is p (1 − p) / R."""
    chance = np.random.default_rng(3)
    truth = chance.beta(2, 1, 20_000)
    first, second = ((chance.random((5, 20_000)) < truth).astype(float) for _ in range(2))

    width = repetitions.width(first, second)

    assert width.share == pytest.approx(1.0, abs=0.03)
    own = repetitions.width(first)
    noise = (truth * (1 - truth)).mean() / 5
    assert own.share == pytest.approx(noise / (noise + truth.var()), abs=0.02)


def test_narrowing_is_what_more_data_give():
    chance = np.random.default_rng(4)
    truth = chance.beta(1, 1, 40_000)

    def error(examples, runs):
        drawn = chance.random((runs, examples)) < truth[:examples]
        return repetitions.width(drawn.astype(float)).standard_error

    now = repetitions.width((chance.random((3, 10_000)) < truth[:10_000]).astype(float))

    assert now.narrower(repetitions=3) == pytest.approx(1 - error(10_000, 6) / now.standard_error, abs=0.01)
    assert now.narrower(examples=30_000) == pytest.approx(1 - error(40_000, 3) / now.standard_error, abs=0.01)


def test_one_repetition_or_few_examples_have_no_noise():
    assert repetitions.width(np.ones((1, 50))) is None
    assert repetitions.width(np.eye(5)) is None
