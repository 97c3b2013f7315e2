"""How many unseen worst cases would change a verdict, by adding them to the data."""

import math

import numpy as np
import pytest

from evaluations.statistics.clusters import declared
from evaluations.statistics.fragility import Sums
from evaluations.statistics.inference import against_baseline
from evaluations.statistics.terms import ONE_UNSEEN, Column, ColumnSet, Scale

SCORES = Scale("maximize", binary=False, low=0, high=1)
UNBOUNDED = Scale("maximize", binary=False, low=None, high=None)
MATCH = Scale("maximize", binary=True, low=0, high=1)


def compare(d, scale=SCORES, labels=None):
    d = np.asarray(d, float)
    pair = ColumnSet(scale, [Column(np.zeros(len(d))), Column(d)])
    grouping = None if labels is None else declared("doc", np.asarray(labels), pair)
    return against_baseline([pair], 0, grouping)[0][1]


def statistic(d, cases, loss):
    d = np.r_[d, [-loss] * cases]
    return max(d.sum(), 0) / math.sqrt(d @ d)


@pytest.mark.parametrize("critical", [1.0, 2.1, 3.4])
def test_the_number_of_cases_is_the_first_that_reaches_the_critical_value(critical):
    for seed in range(60):
        d = np.random.default_rng(seed).normal(0.3, 0.2, 40)
        sums = Sums(d.sum(), d @ d, 1.0)

        k = sums.overturned_by(critical)

        assert statistic(d, k, 1.0) <= critical
        assert k == 1 or statistic(d, k - 1, 1.0) > critical
        assert sums.statistic(3) == pytest.approx(statistic(d, 3, 1.0))


def test_many_small_gains_without_a_loss_have_no_verdict():
    result = compare(np.linspace(0.01, 0.03, 30))

    assert (result.verdict, result.reason, result.overturned_by) == ("cannot_tell", ONE_UNSEEN, None)
    assert result.interval[0] <= 0
    assert result.interval_90[0] <= 0
    assert result.p > 0.05


def test_three_losses_leave_the_verdict_and_say_that_one_case_would_change_it():
    result = compare([*np.linspace(0.01, 0.03, 60), -0.001, -0.002, -0.001])

    assert (result.verdict, result.overturned_by) == ("better", 1)


def test_large_gains_are_not_overturned_by_one_case():
    result = compare(np.linspace(0.2, 0.6, 30))

    assert result.verdict == "better"
    assert result.overturned_by > 1


@pytest.mark.parametrize("scale", [UNBOUNDED, MATCH])
def test_without_a_range_and_for_pass_and_fail_no_case_is_imagined(scale):
    result = compare(np.r_[np.ones(12), np.zeros(8)], scale)

    assert (result.verdict, result.overturned_by, result.imagined_90) == ("better", None, None)


@pytest.mark.long
@pytest.mark.parametrize("is_grouped", [False, True])
def test_interval_p_and_verdict_agree_where_a_case_is_imagined(is_grouped):
    for seed in range(150):
        chance = np.random.default_rng(seed)
        n = int(chance.integers(8, 60))
        d = np.abs(chance.normal(0.1, 0.15, n)) * np.where(np.arange(n) < chance.integers(0, 4), -1, 1)
        labels = np.arange(n) // 2 if is_grouped else None

        result = compare(np.clip(d, -1, 1), labels=labels)

        decided = result.verdict in ("better", "worse")
        assert decided == (result.p_corrected <= 0.05) == (result.interval[0] * result.interval[1] > 0)
        assert (result.overturned_by is not None) == decided
        mirrored = compare(-np.clip(d, -1, 1), labels=labels)
        assert mirrored.p_corrected == result.p_corrected
        assert mirrored.interval == pytest.approx(result.mirrored().interval)


@pytest.mark.long
def test_rare_losses_do_not_pass_as_not_worse():
    margin = Scale("maximize", binary=False, low=0, high=1, margin=0.05)
    chance, passed, plain = np.random.default_rng(5), 0, 0
    for _ in range(200):
        # On average worse by exactly the margin: one loss of 0.8 in sixteen, and tiny noise.
        d = np.where(chance.random(30) < 1 / 16, -0.8, 0.0) + chance.normal(0, 0.005, 30)
        result = compare(d, margin)
        passed += result.equivalence in ("equivalent", "not_worse")
        plain += result.interval_90 is not None and result.interval_90[0] > -0.05

    assert passed <= 4
    assert plain >= 15


def test_equal_variants_still_pass_as_not_worse():
    margin = Scale("maximize", binary=False, low=0, high=1, margin=0.1)

    assert compare(np.random.default_rng(2).normal(0, 0.15, 100), margin).equivalence is not None


@pytest.mark.long
@pytest.mark.parametrize("n", [10, 20, 30, 50, 100])
def test_one_gain_in_fifty_gives_hardly_any_verdict(n):
    chance, verdicts = np.random.default_rng(n), 0
    for _ in range(100):
        # Mean zero: the losses of 0.016 outweigh the rare gain of 0.784.
        d = np.where(chance.random(n) < 0.02, 0.784, -0.016) * chance.uniform(0.8, 1.2, n)
        verdicts += compare(d).verdict != "cannot_tell"

    assert verdicts <= 3
