"""What a launch can detect."""

import pytest
from scipy import stats

from evaluations.evaluators.recipe import Recipe
from evaluations.launches import detection
from evaluations.statistics import power

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
def test_nothing_is_said_without_a_range_or_another_variant(recipe, variants):
    assert detection.of_plan(recipe, 1_319, variants, 0.02) is None
