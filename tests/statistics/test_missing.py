"""The score of missing outputs."""

import numpy as np
import pytest

from evaluations.statistics import missing
from evaluations.statistics.missing import bound, with_worst
from evaluations.statistics.terms import Scale

SCORES = [np.array([0.2, np.nan, 0.9]), np.array([0.4, 0.5, 0.6])]
DISTANCE = Scale("minimize", False, 0, None)


def worst_values(scale, answered, natural=None):
    scores = np.concatenate([values[np.isfinite(values)] for values in answered])
    return missing.worst_values(scale, scores, answered, natural)


def test_the_worst_score_is_the_bound_away_from_the_goal():
    assert bound(Scale("maximize", False, 0, 1)) == 0
    assert bound(Scale("minimize", False, 0, 1)) == 1
    assert bound(Scale("maximize", False, -1, 1)) == -1
    assert bound(DISTANCE) is None


def test_without_a_bound_silence_scores_at_least_the_worst_5_percent_point():
    distances = [np.append(np.arange(50.0), np.nan), np.append(np.arange(50.0, 100.0), np.nan)]

    assert worst_values(DISTANCE, distances)[-1] == pytest.approx(np.quantile(np.arange(100.0), 0.95))
    assert worst_values(Scale("maximize", False, None, None), distances)[-1] == pytest.approx(4.95)


def test_silence_is_never_better_than_any_answer_to_the_example_or_than_saying_nothing():
    answered = [np.r_[np.zeros(98), 7.0, np.nan], np.r_[np.zeros(98), np.nan, np.nan]]
    natural = np.r_[np.full(98, 2.0), 3.0, 5.0]

    assert worst_values(DISTANCE, answered, natural).tolist() == [*[2.0] * 98, 7.0, 5.0]


def test_without_any_score_it_is_zero():
    assert worst_values(DISTANCE, [np.array([np.nan])]).tolist() == [0.0]


def test_unanswered_slots_are_filled_and_marked():
    column = with_worst(SCORES[0].copy(), np.array([False, True, False]), 0.0)

    assert column.values.tolist() == [0.2, 0.0, 0.9]
    assert column.imputed.tolist() == [False, True, False]


def test_with_nothing_missing_the_scores_are_the_very_same():
    assert with_worst(SCORES[1], np.zeros(3, bool), 0.0).values is SCORES[1]
