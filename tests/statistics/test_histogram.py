"""Histograms and their edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.statistics.histogram import grid, histogram


def counts(values, low=0.0, high=1.0, bins=20):
    return histogram(np.array(values, dtype=np.float64), low, high, bins).counts


@pytest.mark.parametrize("hundredths", range(0, 101, 5))
def test_a_score_on_an_edge_is_the_edge(hundredths):
    assert grid(0, 1, 20)[hundredths // 5] == hundredths / 100


def test_a_value_on_an_edge_is_in_the_bin_above_it():
    assert counts([0.7])[14] == 1
    assert counts([0.15])[3] == 1


def test_the_top_edge_is_in_the_last_bin():
    assert counts([1.0, 0.95])[19] == 2


def test_a_cosine_a_hair_beyond_its_bounds_is_counted():
    bin_counts = counts([1.0000000000000002, -1.0000000000000002], low=-1.0)

    assert (bin_counts[0], bin_counts[19]) == (1, 1)


def test_whole_numbers_get_a_bin_each_while_they_fit():
    bins = histogram(np.array([0.0, 1.0, 1.0, 19.0]), 0.0, None)

    assert bins.edges == tuple(float(edge) for edge in range(21))
    assert (bins.counts[0], bins.counts[1], bins.counts[19]) == (1, 2, 1)


def test_more_whole_numbers_share_bins_of_equal_width():
    # 0 to 40 are 41 numbers: twenty bins of two would miss the last, so each bin holds three
    bins = histogram(np.arange(41.0), 0.0, None)

    assert bins.edges[:3] == (0.0, 3.0, 6.0)
    assert bins.counts[:14] == (3,) * 13 + (2,)


def test_fractions_without_an_upper_bound_reach_to_the_largest():
    bins = histogram(np.array([0.5, 2.5]), 0.0, None)

    assert (bins.edges[0], bins.edges[-1]) == (0.0, 2.5)
    assert (bins.counts[4], bins.counts[19]) == (1, 1)


def test_without_bounds_the_bins_span_the_data():
    assert histogram(np.array([-1.5, 0.0, 2.5]), None, None).edges[::20] == (-1.5, 2.5)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=50),
    st.sampled_from([None, 0.0, -1.0]),
    st.sampled_from([None, 1.0]),
)
def test_every_value_is_counted_once_and_edges_never_fall(values, low, high):
    bins = histogram(np.array(values), low, high)

    assert sum(bins.counts) == len(values)
    assert len(bins.edges) == 21
    assert np.isfinite(bins.edges).all()
    assert list(bins.edges) == sorted(bins.edges)
