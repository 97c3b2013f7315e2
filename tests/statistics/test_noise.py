"""Noise of repeated answers, on data with a known share."""

import numpy as np
import pytest

from evaluations.statistics.noise import Noise, of_repetitions


@pytest.mark.parametrize("repetitions", [2, 3, 8])
def test_the_share_of_repetitions_is_found(repetitions):
    chance, shares = np.random.default_rng(1), []
    for _ in range(60):
        effect, n = chance.normal(0, 0.3, 400), 400
        baseline = [chance.normal(0, 0.5, n) for _ in range(repetitions)]
        variant = [effect + chance.normal(0, 0.5, n) for _ in range(repetitions)]
        shares.append(of_repetitions(baseline, variant).share)

    noise = 2 * 0.25 / repetitions
    assert np.mean(shares) == pytest.approx(noise / (noise + 0.09), abs=0.02)


def test_single_runs_and_few_examples_tell_nothing():
    assert of_repetitions([np.zeros(50)], [np.ones(50)]) is None
    assert of_repetitions([np.zeros(5)] * 2, [np.ones(5)] * 2) is None


def test_twice_the_examples_always_narrow_by_29_percent():
    assert Noise(0.0).by_repetitions == 0.0
    assert Noise(0.3).by_examples == pytest.approx(0.2929, abs=1e-4)
