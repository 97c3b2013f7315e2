"""Coverage of intervals of single runs and of repeated outputs, on random data with a known truth."""

import numpy as np
import pytest

from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.inference import against_baseline
from evaluations.statistics.intervals import mean_interval, wilson
from evaluations.statistics.law import draws
from evaluations.statistics.summary import skewness_of
from evaluations.statistics.terms import Column, ColumnSet, Scale


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(draws, "DRAWS", 499)


def interval_of(d):
    pair = ColumnSet(Scale("maximize", binary=False), [Column(np.zeros(len(d))), Column(d)])
    return against_baseline([pair], 0)[0][1].interval


def repeat_coverage(n, repeats, simulations):
    """Differences of repeated outputs, with an intra-class correlation of 0.5 between those of one example."""
    chance, hits = np.random.default_rng(12), 0
    for _ in range(simulations):
        example = chance.normal(0.2, 1, n)
        low, high = interval_of(average_repeats([example + chance.normal(0, 1, n) for _ in range(repeats)]))
        hits += low <= 0.2 <= high
    return hits / simulations


@pytest.mark.parametrize("n", [30, 100])
def test_intervals_of_repeated_outputs_hold_the_truth(n):
    assert 0.91 <= repeat_coverage(n, 3, simulations=200) <= 0.99


def test_repeats_taken_for_examples_would_miss_the_truth():
    chance, hits, simulations = np.random.default_rng(13), 0, 150
    for _ in range(simulations):
        example = chance.normal(0, 1, 100)
        low, high = interval_of(np.concatenate([example + chance.normal(0, 1, 100) for _ in range(3)]))
        hits += low <= 0 <= high

    assert hits / simulations < 0.9


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.97])
@pytest.mark.parametrize("n", [20, 50, 400])
def test_wilson_holds_the_rate(rate, n):
    passes = np.random.default_rng(8).binomial(n, rate, 3000)
    hits = [low <= rate <= high for low, high in (wilson(int(count), n) for count in passes)]

    # The coverage of a discrete count cannot be exactly 95 %: Wilson's oscillates around it (Brown et al. 2001).
    assert 0.91 <= np.mean(hits) <= 0.99


SHAPES = {
    "mostly one": (
        lambda chance, n: np.where(chance.random(n) < 0.95, 1, chance.random(n)),
        0.975,
        0,
        1,
        0.94,
    ),
    "near the end": (lambda chance, n: chance.beta(5, 0.4, n), 5 / 5.4, 0, 1, 0.93),
    "uniform": (lambda chance, n: chance.random(n), 0.5, 0, 1, 0.94),
    "exponential": (lambda chance, n: chance.exponential(1, n), 1.0, 0, None, 0.93),
    "lognormal": (lambda chance, n: chance.lognormal(0, 1, n), np.exp(0.5), 0, None, 0.90),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [30, 100])
def test_the_interval_of_a_mean_covers_the_mean(shape, n):
    make, truth, low_end, high_end, least = SHAPES[shape]
    chance, hits = np.random.default_rng(8), 0
    for _ in range(2000):
        scores = make(chance, n)
        mean, sd = float(scores.mean()), float(scores.std(ddof=1))
        low, high = mean_interval(n, mean, sd, skewness_of(scores, mean, sd), low_end, high_end)
        hits += low <= truth <= high

    assert least <= hits / 2000 <= 0.985
