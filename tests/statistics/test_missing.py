"""The score of missing outputs."""

import numpy as np
import pytest

from evaluations.statistics.missing import with_worst, worst_value
from evaluations.statistics.terms import Scale

SCORES = [np.array([0.2, np.nan, 0.9]), np.array([0.4, 0.5, 0.6])]


def test_the_worst_score_is_the_bound_away_from_the_goal():
    assert worst_value(Scale("maximize", False, 0, 1), SCORES) == (0, True)
    assert worst_value(Scale("minimize", False, 0, 1), SCORES) == (1, True)
    assert worst_value(Scale("maximize", False, -1, 1), SCORES) == (-1, True)


def test_without_a_bound_the_worst_score_is_the_worst_5_percent_point():
    distances = [np.arange(50.0), np.arange(50.0, 101.0)]

    assert worst_value(Scale("minimize", False, 0, None), distances) == (pytest.approx(95.0), False)
    assert worst_value(Scale("maximize", False, None, None), distances) == (pytest.approx(5.0), False)


def test_without_any_score_it_is_zero():
    assert worst_value(Scale("minimize", False, 0, None), [np.array([np.nan])]) == (0.0, False)


def test_unanswered_slots_are_filled_and_marked():
    column = with_worst(SCORES[0], np.array([False, True, False]), 0.0)

    assert column.values.tolist() == [0.2, 0.0, 0.9]
    assert column.imputed.tolist() == [False, True, False]


def test_with_nothing_missing_the_scores_are_the_very_same():
    assert with_worst(SCORES[1], np.zeros(3, bool), 0.0).values is SCORES[1]
