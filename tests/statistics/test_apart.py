"""Pairs of variants of which no example was asked of all."""

import numpy as np
import pytest

from evaluations.statistics.inference import all_pairs
from evaluations.statistics.terms import Column, ColumnSet, Scale

SCALE = Scale("maximize", binary=True, low=0, high=1)
ROWS = 40


def battles():
    """The scores of three variants, of which each row has two: a beats b, b beats c, and c sometimes beats a."""
    columns = np.full((3, 3 * ROWS), np.nan)
    columns[0, :ROWS], columns[1, :ROWS] = 1, 0
    columns[1, ROWS : 2 * ROWS], columns[2, ROWS : 2 * ROWS] = 1, 0
    columns[0, 2 * ROWS :] = np.arange(ROWS) % 4 > 0
    columns[2, 2 * ROWS :] = np.arange(ROWS) % 4 == 0
    return ColumnSet(SCALE, [Column(column) for column in columns])


def test_each_pair_is_compared_over_the_examples_of_both():
    pairs = all_pairs(battles(), is_apart=True)

    assert pairs.n == 3 * ROWS
    assert pairs.means == pytest.approx([(ROWS + 30) / (2 * ROWS), 0.5, 10 / (2 * ROWS)])
    assert [pairs.comparison(1, 0).n, pairs.comparison(2, 0).n] == [ROWS, ROWS]
    assert pairs.comparison(1, 0).difference == 1
    assert pairs.ranking.order == (0, 1, 2)
    assert pairs.ranking.ranks == ((1, 1), (2, 2), (3, 3))


def test_without_it_nothing_is_compared():
    assert all_pairs(battles()).n == 0


@pytest.mark.slow
def test_equal_variants_that_never_met_all_at_once_hardly_ever_get_a_verdict():
    drawn = np.random.default_rng(5)
    rows, repeats, found = 150, 400, 0
    for _ in range(repeats):
        columns = np.full((3, 3 * rows), np.nan)
        for place, (first, second) in enumerate(((0, 1), (1, 2), (0, 2))):
            won = np.where(drawn.random(rows) < 0.15, 0.5, drawn.random(rows) < 0.5)
            columns[first, place * rows : (place + 1) * rows] = won
            columns[second, place * rows : (place + 1) * rows] = 1 - won
        scale = Scale("maximize", binary=False, low=0, high=1)
        pairs = all_pairs(ColumnSet(scale, [Column(column) for column in columns]), is_apart=True)
        found += any(pairs.comparison(*pair).verdict != "cannot_tell" for pair in ((0, 1), (1, 2), (0, 2)))

    assert found / repeats < 0.08  # 0.05 of the family, and three standard errors
