"""Ranks and letters from pairs."""

import numpy as np
import pytest

from evaluations.statistics.inference import all_pairs
from evaluations.statistics.ranking import Ranking
from evaluations.statistics.terms import Column, ColumnSet, Difference, Scale


def ranking(means, better):
    """The ranking of variants with these means; in each pair (a, b), a is significantly better than b."""

    def pair(baseline, variant):
        verdict = (
            "better"
            if (variant, baseline) in better
            else "worse"
            if (baseline, variant) in better
            else "cannot_tell"
        )
        return Difference(
            "maximize", n=9, mean=means[variant], baseline_mean=means[baseline], verdict=verdict
        )

    return Ranking.from_pairs(len(means), pair)


def test_a_rank_interval_counts_the_better_and_the_worse():
    # 2 is better than 0 and 1; no other pair differs clearly
    result = ranking([0.3, 0.2, 0.9, 0.5], {(2, 0), (2, 1)})

    assert result.order == (2, 3, 0, 1)
    assert result.ranks == ((2, 4), (2, 4), (1, 2), (1, 4))
    assert result.best == (2, 3)


def test_variants_that_share_a_letter_have_no_clear_difference():
    result = ranking([0.3, 0.2, 0.9, 0.5], {(2, 0), (2, 1)})

    # the largest groups without a difference: {2, 3} and {3, 0, 1}
    assert result.letters == ("b", "b", "a", "ab")


def test_a_full_order_has_a_rank_and_a_letter_each():
    result = ranking([0.1, 0.2, 0.3], {(2, 1), (2, 0), (1, 0)})

    assert result.ranks == ((3, 3), (2, 2), (1, 1))
    assert result.letters == ("c", "b", "a")
    assert result.lead_over_next(2).verdict == "better"
    assert result.lead_over_next(0) is None


@pytest.mark.parametrize(("direction", "order"), [("maximize", (2, 1, 0)), ("minimize", (0, 1, 2))])
def test_the_best_mean_comes_first_in_the_evaluators_direction(direction, order):
    values = [np.full(30, mean) + np.linspace(0, 0.01, 30) for mean in (0.1, 0.5, 0.8)]
    scale = Scale(direction, binary=False, low=0, high=1)

    result = all_pairs(ColumnSet(scale, [Column(value) for value in values])).ranking

    assert result.order == order
    assert result.best == order[:1]


def test_one_variant_is_first():
    result = ranking([0.5], set())

    assert (result.ranks, result.best, result.lead) == (((1, 1),), (0,), None)
