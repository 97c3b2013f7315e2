"""Stopping early: bounds, intervals and outcomes of looks."""

import math

import numpy as np
import pytest
from scipy import special

from benchmarks.early_stops import graded, pass_or_fail, rare_losses, simulate
from evaluations.statistics import sequential
from evaluations.statistics.sequential import Rule, bounds, look

RULE = Rule(total=1_319, variants=1, margin=0.02)


def test_looks_are_every_fifty_examples_and_at_the_end():
    assert RULE.looks[:3] == [50, 100, 150]
    assert RULE.looks[-2:] == [1_300, 1_319]


def test_a_large_dataset_has_few_looks_at_multiples_of_fifty():
    looks = Rule(1_000_000, 1, 0.02).looks

    assert len(looks) == sequential.MOST_LOOKS
    assert all(n % 50 == 0 for n in looks)


def test_one_look_has_the_bound_of_a_normal_test():
    assert bounds((100,), 0.05)[0] == pytest.approx(1.95996, abs=0.01)


def test_a_first_look_at_half_spends_a_quarter_of_the_error():
    """P(|z| > c) = 0.05 / 4."""
    expected = -special.ndtri(0.05 / 4 / 2)

    assert bounds((50, 100), 0.05)[0] == pytest.approx(expected, abs=0.02)


def test_two_looks_have_the_bounds_of_the_power_family():
    """Jennison and Turnbull (2000), error spending with ρ = 2, two-sided α = 0.05, two looks: 2.50 and 2.01."""
    first, last = bounds((50, 100), 0.05)

    assert first == pytest.approx(2.50, abs=0.02)
    assert last == pytest.approx(2.01, abs=0.02)


@pytest.mark.long
def test_too_early_a_look_decides_nothing():
    rule = Rule(10_000, 1, 0.5)

    interim = look(np.ones(50), 50, rule)

    assert math.isinf(bounds(tuple(rule.looks), rule.alpha)[0])
    assert (interim.interval, interim.outcome) == ((-1.0, 1.0), "")


def test_a_share_of_the_error_widens_the_bounds():
    single, four = RULE.last_bound, Rule(1_319, 4, 0.02).last_bound

    assert single < four


def test_the_interval_is_that_of_the_rule():
    """c √(Σd² + 1) / n + 1 / n about the mean, with 30 wins, 10 losses and 60 ties."""
    rule = Rule(100, 1, 0.01)
    differences = np.repeat([1.0, -1.0, 0.0], [30, 10, 60])

    interim = look(differences, 100, rule)

    half = (rule.last_bound * math.sqrt(41) + 1) / 100
    assert interim.difference == pytest.approx(0.2)
    assert interim.interval == pytest.approx((0.2 - half, 0.2 + half))
    assert interim.outcome == "better"


def test_less_is_better_where_the_direction_says_so():
    rule = Rule(100, 1, 0.01, "minimize")

    assert look(np.ones(100), 100, rule).outcome == "worse"
    assert look(-np.ones(100), 100, rule).outcome == "better"


def test_equal_variants_are_equivalent_once_the_interval_lies_within_the_margin():
    rule = Rule(1_000, 1, 0.01)
    outcomes = {n: look(np.zeros(n), n, rule).outcome for n in rule.looks}

    assert outcomes[50] == ""
    assert "equivalent" in outcomes.values()


def test_the_last_look_always_has_a_verdict():
    differences = np.tile([1.0, -1.0], 50)

    assert look(differences, 100, Rule(100, 1, 0.01)).outcome == "cannot_tell"


def test_examples_without_a_score_count_nowhere():
    differences = np.append(np.ones(40), np.full(10, np.nan))

    interim = look(differences, 50, Rule(100, 1, 0.01))

    assert (interim.n, interim.counted, interim.difference) == (50, 40, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw", [pass_or_fail(0), graded(0), rare_losses], ids=["pass or fail", "graded", "rare losses"]
)
def test_at_most_one_launch_in_twenty_sees_a_difference_where_there_is_none(draw):
    stops = simulate("", draw, RULE, launches=1_000, seed=1)

    assert stops.better + stops.worse <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "power", "saved"), [(0.1, 0.88, 0.35), (0.3, 0.99, 0.8)])
@pytest.mark.parametrize("draw", [pass_or_fail, graded])
def test_a_difference_is_seen_and_saves_calls(draw, effect, power, saved):
    stops = simulate("", draw(effect), RULE, launches=1_000, seed=1)

    assert stops.better >= power
    assert stops.saved >= saved


@pytest.mark.long
def test_equivalence_is_out_of_reach_where_the_margin_is_too_small():
    rule = Rule(200, 1, 0.02)

    assert not sequential.reaches_equivalence(rule, 0.5)
    assert sequential.reaches_equivalence(Rule(20_000, 1, 0.02), 0.5)
