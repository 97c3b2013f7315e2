"""Which subsets deviate only because of another one."""

from dataclasses import replace

import numpy as np
import pytest

from evaluations.statistics.subset_overlap import explained, twins
from evaluations.statistics.subsets import Differences, Subset, SubsetColumn, find

N = 300
LEGAL = np.arange(N) < 60


def labels(changes, columns) -> set[str]:
    """The labels of the subsets that are explained, of those with a difference against the overall one."""
    compared = {0: Differences(np.asarray(changes), "maximize")}
    opposing = [subset for subset in find(compared, columns) if subset.opposes]
    return {subset.label for subset in explained(opposing, compared, columns)}


def column(name: str, mask) -> SubsetColumn:
    return SubsetColumn(name, np.asarray(mask, np.int64), ("rest", name))


@pytest.fixture
def fall():
    """Better by 0.3, but worse by 0.5 on the first 60 examples."""
    return np.where(LEGAL, -0.5, 0.3) + np.random.default_rng(1).normal(0, 0.05, N)


def test_a_larger_subset_that_falls_by_its_overlap_is_explained(fall):
    short = np.arange(N) < 90

    assert labels(fall, [column("legal", LEGAL), column("short", short)]) == {"short"}


def test_the_same_examples_in_another_column_are_explained(fall):
    assert labels(fall, [column("legal", LEGAL), column("law", LEGAL)]) == {"law"}


def test_a_subset_that_falls_on_examples_of_its_own_is_not_explained(fall):
    short = (np.arange(N) >= 30) & (np.arange(N) < 90)
    changes = np.where(short & ~LEGAL, -0.4, fall)

    assert labels(changes, [column("legal", LEGAL), column("short", short)]) == set()


def test_subsets_of_different_directions_explain_nothing(fall):
    compared = {0: Differences(fall, "maximize")}
    columns = [column("legal", LEGAL)]

    assert {subset.name for subset in find(compared, columns)} == {"legal", "rest"}
    assert explained(find(compared, columns), compared, columns) == set()


def test_examples_without_a_pair_count_for_no_subset(fall):
    short = np.arange(N) < 90
    changes = np.where(short & ~LEGAL, np.nan, fall)
    compared = {0: Differences(changes, "maximize")}
    columns = [column("legal", LEGAL), column("short", short)]
    opposing = [subset for subset in find(compared, columns) if subset.opposes]

    assert [subset.label for subset in explained(opposing, compared, columns)] == ["short"]


def test_variants_are_looked_at_one_by_one(fall):
    compared = {side: Differences(fall, "maximize") for side in (1, 2)}
    columns = [column("legal", LEGAL)]
    opposing: list[Subset] = [
        replace(subset, is_settled=True) for subset in find(compared, columns) if subset.opposes
    ]

    assert len(opposing) == 2
    assert explained(opposing, compared, columns) == set()


def test_the_same_examples_under_two_names_are_counted_once(fall):
    compared = {0: Differences(fall, "maximize")}
    columns = [column("legal", LEGAL), column("law", LEGAL), column("short", np.arange(N) < 90)]

    found = find(compared, columns)

    assert {(one.column, one.name) for one in twins(found, compared, columns)} == {
        ("law", "law"),
        ("law", "rest"),
    }
