"""Approximate randomization over units: rows, clusters, or groups of either."""

import numpy as np

from evaluations.statistics import randomization

ROWS = np.random.default_rng(3).integers(0, 9, (60, 4))


def test_few_rows_are_units_of_their_own():
    assert randomization.units(60) is None
    assert randomization.summed(ROWS, None) is ROWS


def test_of_many_rows_groups_change_sides_together(monkeypatch):
    monkeypatch.setattr(randomization, "MOST_UNITS", 7)

    sums = randomization.summed(ROWS, randomization.units(60))

    assert len(sums) == 7
    assert sums.sum(axis=0).tolist() == ROWS.sum(axis=0).tolist()


def test_a_cluster_is_never_divided(monkeypatch):
    monkeypatch.setattr(randomization, "MOST_UNITS", 7)
    labels = np.arange(60) // 3

    units = randomization.units(60, labels)

    assert len(set(units)) == 7
    assert all(len(set(units[labels == label])) == 1 for label in range(20))
