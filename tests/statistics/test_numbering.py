"""Codes and sums of clusters are the same whether labels are worked on at once or a few at a time, in files."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations import long_arrays
from evaluations.statistics import clusters, inference, numbering
from evaluations.statistics.terms import Column, ColumnSet, Scale

LABELS = st.integers(-4, 12) | st.integers(-(2**63), 2**63 - 1)


@contextmanager
def few_at_a_time(few: int = 7) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_arrays, "LONG", 1)
        patch.setattr(long_arrays, "AT_ONCE", few)
        patch.setattr(numbering, "AT_ONCE", few)
        yield


@given(labels=st.lists(LABELS, max_size=80))
def test_labels_are_numbered_in_the_order_of_their_appearance(labels):
    codes: dict[int, int] = {}
    expected = [codes.setdefault(label, len(codes)) for label in labels]

    with few_at_a_time():
        assert numbering.numbered(np.array(labels, np.int64)).tolist() == expected


@given(codes=st.lists(st.integers(0, 30), max_size=80))
def test_codes_keep_their_order_without_gaps(codes):
    kept = np.array(codes, np.int64)
    with few_at_a_time():
        count = numbering.without_gaps(kept)

    ranks = {code: rank for rank, code in enumerate(sorted(set(codes)))}
    assert (kept.tolist(), count) == ([ranks[code] for code in codes], len(ranks))


@pytest.mark.parametrize("missing", [0, 5])
def test_clusters_and_figures_are_the_same_to_the_last_bit(missing):
    """5 000 examples in pairs that move together: more clusters than those of which all are drawn."""
    chance = np.random.default_rng(3)
    labels = np.repeat(chance.integers(-(2**62), 2**62, 2_500), 2)
    first = chance.random(5_000)
    second = np.clip(first + np.repeat(chance.choice([0, 0, 0.1, -0.07], 2_500), 2), 0, 1)
    second[:missing] = np.nan
    columns = ColumnSet(Scale("maximize", False, 0.0, 1.0), [Column(first), Column(second)])

    def compared():
        found = clusters.detect(columns, {"inputs": labels})
        pairs = inference.all_pairs(columns, found)
        return found.codes.tolist(), found.count, found.widening, found.p, repr(pairs.comparison(0, 1))

    at_once = compared()
    with few_at_a_time():
        assert compared() == at_once
    assert at_once[1] == 2_500 - missing // 2
