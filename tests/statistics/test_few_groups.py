"""Verdicts that rest on three to nine groups; expected values come from statsmodels-like loops and scipy."""

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics.few_groups import told
from evaluations.statistics.inference import against_baseline
from evaluations.statistics.terms import Column, ColumnSet, Scale


def planted(chance, groups, size, correlation):
    labels = np.repeat(np.arange(groups), size)
    shared = chance.normal(0, 1, groups)[labels]
    noise = chance.normal(0, 1, len(labels))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * noise, labels


def test_interval_and_p_are_those_of_the_definition():
    d, labels = planted(np.random.default_rng(3), 5, 40, 0.2)
    d += 0.25

    few = told(d, {"talk": labels})

    n, sizes = len(d), np.bincount(labels)
    e = np.array([(d[labels == g] - d.mean()).sum() / (1 - sizes[g] / n) for g in range(5)])
    error = np.sqrt(4 / 5 * ((e - e.mean()) ** 2).sum()) / n
    reach = stats.t.ppf(0.975, n**2 / (sizes**2).sum() - 1) * error
    assert few.interval == pytest.approx((d.mean() - reach, d.mean() + reach))
    assert few.p == pytest.approx(stats.f_oneway(*(d[labels == g] for g in range(5))).pvalue)
    assert (few.column, few.groups, few.is_uneven) == ("talk", 5, False)


def test_two_and_ten_groups_and_single_values_are_not_told():
    d, labels = planted(np.random.default_rng(3), 20, 10, 0.5)

    for groups in (2, 10, 20):
        assert told(d, {"x": labels % groups}) is None
    assert told(d[:5], {"x": np.arange(5)}) is None


def test_a_difference_that_every_group_shows_is_not_told():
    d, labels = planted(np.random.default_rng(1), 6, 50, 0.1)

    assert told(d + 3, {"talk": labels}) is None


def test_of_several_columns_the_widest_interval_is_told():
    d, labels = planted(np.random.default_rng(7), 4, 50, 0.5)
    other = np.random.default_rng(8).integers(0, 9, len(d))

    assert told(d, {"other": other, "talk": labels}).column == "talk"


def test_very_uneven_groups_are_named():
    labels = np.repeat(np.arange(5), [200, 60, 20, 10, 10])
    d = np.random.default_rng(2).normal(0, 1, 300) + np.array([0.1, -0.5, 0.9, 1.0, -1.0])[labels]

    assert told(d, {"talk": labels}).is_uneven


def test_rows_without_a_pair_or_a_value_are_left_out():
    d, labels = planted(np.random.default_rng(3), 5, 40, 0.3)
    holes, unlabelled = d.copy(), labels.copy()
    holes[:3], unlabelled[3:6] = np.nan, -1

    assert told(holes, {"talk": unlabelled}) == told(d[6:], {"talk": labels[6:]})
    assert told(d, {"talk": np.where(np.arange(200) < 30, -1, labels)}) is None


@pytest.mark.long
@pytest.mark.parametrize(("groups", "size"), [(5, 100), (8, 40)])
def test_hardly_a_false_verdict_of_few_groups_goes_untold(groups, size):
    chance, untold, verdicts = np.random.default_rng(groups), 0, 0
    for _ in range(100):
        d, labels = planted(chance, groups, size, 0.2)
        pair = ColumnSet(Scale("maximize", False, None, None), [Column(np.zeros(len(d))), Column(d)])
        clear = against_baseline([pair], 0)[0][1].verdict != "cannot_tell"
        verdicts += clear
        untold += clear and told(d, {"talk": labels}) is None

    assert verdicts >= 35
    assert untold <= 12
