"""Pass rates and agreement at thresholds."""

import operator

import numpy as np
import pytest

from evaluations.statistics.thresholds import agreement, sweep

PASSES = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
GRID = [step / 100 for step in range(101)]


def scores(n=400):
    """Scores with two decimals, so that many equal a threshold, and some missing ones."""
    chance = np.random.default_rng(11)
    values = np.round(chance.beta(3, 2, n), 2)
    values[chance.random(n) < 0.05] = np.nan
    return values


def kappa(passed, verdicts):
    """Cohen 1960: from the observed agreement and that of two independent judges."""
    observed = np.mean(passed == verdicts)
    by_chance = passed.mean() * verdicts.mean() + (1 - passed.mean()) * (1 - verdicts.mean())
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


@pytest.mark.parametrize("comparison", PASSES)
def test_the_sweep_equals_scoring_at_each_threshold(comparison):
    values = scores()
    scored = values[~np.isnan(values)]

    curve = sweep(values, comparison)

    assert curve.n == len(scored)
    assert list(curve.thresholds) == GRID
    assert list(curve.pass_rates) == [
        float(PASSES[comparison](scored, threshold).mean()) for threshold in GRID
    ]


def test_the_sweep_covers_other_ranges():
    curve = sweep(np.array([2.0, 7.0]), "<=", 0, 10)

    assert (curve.thresholds[20], curve.pass_rates[19], curve.pass_rates[20]) == (2.0, 0.0, 0.5)


@pytest.mark.parametrize("comparison", PASSES)
def test_agreement_equals_counting_by_hand(comparison):
    values = scores()
    verdicts = (np.nan_to_num(values) + np.random.default_rng(5).normal(0, 0.2, len(values)) > 0.6).astype(
        np.int8
    )
    verdicts[:30] = -1
    judged = ~np.isnan(values) & (verdicts >= 0)

    result = agreement(values, verdicts, comparison)

    approved = verdicts[judged] == 1
    for step, threshold in enumerate(GRID):
        passed = PASSES[comparison](values[judged], threshold)
        precision = None if not passed.any() else approved[passed].mean()
        assert result.precision[step] == pytest.approx(precision, abs=1e-12)
        assert result.recall[step] == pytest.approx(passed[approved].mean(), abs=1e-12)
        assert result.kappa[step] == pytest.approx(kappa(passed, approved), abs=1e-12)
    assert result.n == judged.sum()


def test_the_best_threshold_is_found_and_its_interval_holds_the_truth():
    chance = np.random.default_rng(2)
    values = chance.random(2000)
    verdicts = np.where(chance.random(2000) < 0.1, values < 0.6, values >= 0.6)

    result = agreement(values, verdicts, seed=3)

    assert result.best == pytest.approx(0.6, abs=0.02)
    low, high = result.interval
    assert low <= 0.6 <= high
    assert high - low < 0.1
    assert result == agreement(values, verdicts, seed=3)


@pytest.mark.parametrize("verdicts", [[], [-1, -1]])
def test_without_verdicts_nothing_is_best(verdicts):
    result = agreement(np.full(len(verdicts), 0.5), np.array(verdicts, dtype=np.int8))

    assert (result.best, result.interval, result.n) == (None, None, 0)
    assert set(result.kappa) == {None}


def test_no_scores_have_no_pass_rates():
    assert set(sweep(np.array([np.nan])).pass_rates) == {None}
