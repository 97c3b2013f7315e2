"""The power of a launch."""

import pytest
from scipy import stats

from benchmarks import early_stops
from evaluations.evaluators.recipe import Recipe
from evaluations.launches import detection
from evaluations.statistics import power, sequential
from evaluations.statistics.sequential import Rule

EXACT = Recipe.compile("exact_match", {}, {})
DISTANCE = Recipe.compile("levenshtein_distance", {}, {})


def test_the_chance_is_that_of_a_two_sided_normal_test():
    """scipy's normal distribution as a second opinion: 1 319 pairs of spread 0.5 that differ by 0.04."""
    shift = 0.04 * 1_319**0.5 / 0.5
    expected = stats.norm.sf(1.959964 - shift) + stats.norm.cdf(-1.959964 - shift)

    assert power.chance(1_319, 0.5, 0.04) == pytest.approx(expected, abs=1e-6)


def test_the_smallest_difference_is_detected_in_four_of_five_launches():
    plan = detection.of_plan(EXACT, 1_319, 2, None)

    assert plan is not None
    assert power.chance(1_319, 0.5, plan.smallest) == pytest.approx(0.8, abs=1e-3)
    assert (plan.margin, plan.chance, plan.equivalence) == (None, None, None)


@pytest.mark.parametrize("effect", [0.05, 0.1])
def test_the_chance_of_a_launch_that_stops_early_is_that_of_simulated_launches(effect):
    """Of 600, whose share has a standard error of 2 %."""
    rule, changed = Rule(500, 1, 0.02), 0.3
    difference = effect * (changed / (1 + effect**2)) ** 0.5
    stops = early_stops.simulate("", early_stops.pass_or_fail(effect, changed), rule, 600, seed=1)

    spread = (changed - difference**2) ** 0.5
    assert sequential.chance(rule, spread, difference) == pytest.approx(stops.better + stops.worse, abs=0.05)


def test_no_difference_is_detected_among_three_examples():
    plans = [detection.of_plan(EXACT, 3, 2, None, stops) for stops in (False, True)]

    assert [plan.smallest is None for plan in plans if plan] == [False, True]


def test_stopping_early_costs_some_power():
    whole, stopping = (detection.of_plan(EXACT, 1_319, 2, 0.04, stops) for stops in (False, True))

    assert whole is not None
    assert stopping is not None
    assert stopping.chance < whole.chance


def test_more_variants_share_the_error():
    two, five = (detection.of_plan(EXACT, 1_319, variants, 0.04) for variants in (2, 5))

    assert two is not None
    assert five is not None
    assert five.chance < two.chance


def test_equivalence_out_of_reach_is_named():
    plan = detection.of_plan(EXACT, 200, 2, 0.02, stops=True)

    assert plan is not None
    assert plan.equivalence is False


@pytest.mark.parametrize(("recipe", "variants"), [(DISTANCE, 2), (EXACT, 1), (None, 2)])
def test_no_power_is_given_without_a_range_or_another_variant(recipe, variants):
    assert detection.of_plan(recipe, 1_319, variants, 0.02) is None
