"""Pairs of scores counted in squares."""

import numpy as np
import pytest

from evaluations.statistics.squares import squares


def test_every_pair_lies_in_the_square_of_its_two_scores():
    first, second = np.array([0.0, 0.31, 1.0, np.nan]), np.array([0.05, 0.99, 1.0, 0.5])

    grid = squares(first, second, (0.0, 1.0))

    assert (grid.n, grid.parts) == (3, 10)
    assert grid.across.tolist() == [0, 3, 9, -1]
    assert grid.up.tolist() == [0, 9, 9, -1]
    assert grid.where(3, 9).tolist() == [False, True, False, False]


def test_squares_count_as_numpy_does():
    chance = np.random.default_rng(4)
    first, second = chance.random(5_000), chance.random(5_000)

    grid = squares(first, second, (0.0, 1.0))

    expected, *_ = np.histogram2d(first, second, (grid.edges, grid.edges))
    assert grid.parts == 20
    assert grid.counts().tolist() == expected.tolist()


@pytest.mark.parametrize(("values", "bounds"), [([2.0, 40.0], (0.0, None)), ([-3.0, 5.0], (0.0, 1.0))])
def test_the_axes_reach_as_far_as_the_scores(values, bounds):
    grid = squares(np.array(values), np.array(values), bounds)

    assert (grid.edges[0], grid.edges[-1]) == (min(0.0, *values), max(values))


def test_the_axes_begin_near_the_smallest_score_where_all_are_high():
    first, second = np.array([0.74, 0.9, 1.0]), np.array([0.8, 0.95, 0.99])

    grid = squares(first, second, (0.0, 1.0))

    assert (grid.edges[0], grid.edges[-1]) == pytest.approx((0.7, 1.0))
    assert squares(first - 0.3, second, (0.0, 1.0)).edges[0] == 0.0
    assert squares(np.ones(2), np.ones(2), (0.0, 1.0)).where(9, 9).all()


def test_columns_without_a_pair_have_empty_squares():
    assert squares(np.array([np.nan]), np.array([1.0]), (0.0, 1.0)).counts().sum() == 0
