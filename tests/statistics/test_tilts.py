"""The largest tilted statistic of many columns, of which no more are drawn than an answer needs."""

import numpy as np
import pytest

from evaluations.statistics import tails
from evaluations.statistics.law.draws import Source
from evaluations.statistics.law.tilt import Tilts

UNITS = np.random.default_rng(5).normal(0.2, 1, (40, 60))
LEVEL = 0.0125


def of_all():
    tilts = Tilts(UNITS, Source(3))
    return tails.Drawn(np.maximum.reduce([tilts._of(index) for index in range(UNITS.shape[1])]))


@pytest.mark.parametrize("most", [0.5, 2.0, 4.0])
def test_the_pooled_critical_value_is_that_of_all_columns_up_to_the_asked_one(most):
    assert Tilts(UNITS, Source(3)).pooled_at(LEVEL, most) == min(of_all().at(LEVEL), most)


@pytest.mark.parametrize("most", [0.001, 0.1, 1.0])
def test_the_pooled_p_is_that_of_all_columns_up_to_the_asked_one(most):
    assert Tilts(UNITS, Source(3)).pooled_p(2_500, most) == min(of_all().p(2_500), most)


def test_columns_that_cannot_change_the_answer_are_not_drawn(monkeypatch):
    drawn = []
    tilts = Tilts(UNITS, Source(3))
    draw = tilts._of
    monkeypatch.setattr(tilts, "_of", lambda index: (drawn.append(index), draw(index))[1])

    assert tilts.pooled_at(LEVEL, 1.0) == 1.0
    assert 0 < len(drawn) < 20
