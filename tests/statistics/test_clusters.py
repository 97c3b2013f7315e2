"""Detection of clusters, and their effect on intervals."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics.clusters import average_repeats, declared, detect
from evaluations.statistics.terms import Column, ColumnSet, Scale

SCORES = Scale("maximize", binary=False)


def primary(*columns):
    return ColumnSet(SCORES, [Column(np.asarray(column, float)) for column in columns])


def documents(seed=1, count=20, size=10, shared=1.0):
    """Differences that examples of the same document partly share, and the documents."""
    chance, labels = np.random.default_rng(seed), np.repeat(np.arange(count), size)
    return chance.normal(0, shared, count)[labels] + chance.normal(0, 1, len(labels)), labels


def test_a_column_within_which_differences_correlate_is_used():
    d, labels = documents()
    shuffled = np.random.default_rng(2).permutation(labels)

    clusters = detect(primary(np.zeros(200), d), {"shuffled": shuffled, "document": labels})

    assert (clusters.name, clusters.count, clusters.is_few) == ("document", 20, False)
    assert clusters.widening > 1.5
    # One-way analysis of variance of the differences by document.
    assert clusters.p == pytest.approx(stats.f_oneway(*d.reshape(20, 10)).pvalue)


def test_of_several_the_one_that_widens_most_is_used():
    d, labels = documents()

    assert (
        detect(primary(np.zeros(200), d), {"halves": labels * 2 + np.arange(200) % 2, "all": labels}).name
        == "all"
    )


def test_a_column_without_correlation_is_not_used():
    d, labels = documents(seed=4, shared=0)
    anti = np.tile([1.0, -1.0], 100) + np.random.default_rng(5).normal(0, 0.1, 200)

    assert detect(primary(np.zeros(200), anti), {"pairs": np.arange(200) // 2}) is None
    assert stats.f_oneway(*d.reshape(20, 10)).pvalue > 0.2
    assert detect(primary(np.zeros(200), d), {"document": labels}) is None


@pytest.mark.parametrize("labels", [np.repeat(np.arange(9), 20), np.arange(180)])
def test_few_values_and_values_without_repeats_are_no_candidates(labels):
    d, _ = documents(count=9, size=20, shared=3)

    assert detect(primary(np.zeros(180), d), {"topic": labels}) is None


def test_long_labels_are_not_sorted_whole():
    labels = np.arange(500_000) * 1_000_003
    columns = primary(np.zeros(len(labels)), np.zeros(len(labels)))

    tracemalloc.start()
    found = detect(columns, {"inputs": labels})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found is None
    assert peak < labels.nbytes


def test_any_two_variants_may_show_the_correlation_whichever_is_the_baseline():
    d, labels = documents()
    noise = np.random.default_rng(6).normal(0, 1, 200)
    columns = [np.zeros(200), noise, d]

    names = [detect(primary(*order), {"document": labels}).p for order in (columns, columns[::-1])]

    assert names[0] == pytest.approx(names[1])


def test_a_declared_column_is_used_without_a_test():
    d, labels = documents(shared=0)

    clusters = declared("topic", labels // 4, primary(np.zeros(200), d))

    assert (clusters.name, clusters.count, clusters.is_few, clusters.p) == ("topic", 5, True, None)


def test_only_rows_that_all_variants_have_are_tested():
    d, labels = documents()
    d[labels == 3] = np.nan

    assert detect(primary(np.zeros(200), d), {"document": labels}).count == 19


def test_nothing_to_compare_has_no_clusters():
    assert detect(primary([np.nan] * 40, [0.1] * 40), {"document": np.arange(40) // 2}) is None
    assert declared("document", np.arange(2), primary([np.nan] * 2, [0.1] * 2)) is None


def test_a_declared_column_without_repeats_groups_nothing():
    d, _ = documents(shared=0)

    assert declared("id", np.arange(len(d)), primary(np.zeros(len(d)), d)) is None


def test_repeats_are_averaged_within_their_example():
    first, second, third = ([0.2, np.nan, np.nan], [0.4, 1.0, np.nan], [0.6, np.nan, np.nan])

    means = average_repeats([np.array(column) for column in (first, second, third)])

    assert means == pytest.approx([0.4, 1.0, np.nan], nan_ok=True)
