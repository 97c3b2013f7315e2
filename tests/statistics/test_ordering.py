"""Pages of columns sorted by score."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations import long_arrays
from evaluations.statistics.ordering import Cursor, Selected, count_ahead, matching, page
from evaluations.values import Status

COLUMN = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]), max_size=40)


def sorted_rows(values, descending):
    """The rows sorted plainly by (missing, value, index)."""

    def key(row):
        value = values[row]
        return (np.isnan(value), 0 if np.isnan(value) else -value if descending else value, row)

    return sorted(range(len(values)), key=key)


def cursor(values, row):
    return Cursor(None if np.isnan(values[row]) else float(values[row]), row)


@pytest.mark.parametrize("descending", [False, True])
@given(values=COLUMN, k=st.integers(1, 9))
def test_pages_walk_through_the_whole_order_and_back(descending, values, k):
    values = np.array(values)
    expected = sorted_rows(values, descending)

    rows_seen, after = [], None
    while len(rows := page(values, k, descending=descending, after=after)):
        rows_seen += rows.tolist()
        after = cursor(values, rows_seen[-1])
    assert rows_seen == expected

    rows_seen, before = [], cursor(values, expected[-1]) if expected else None
    while before and len(rows := page(values, k, descending=descending, before=before)):
        rows_seen = rows.tolist() + rows_seen
        before = cursor(values, rows_seen[0])
    assert rows_seen == expected[:-1]


@given(values=COLUMN, k=st.integers(0, 9), chance=st.randoms(use_true_random=False))
def test_rows_left_out_do_not_change_the_order_of_the_rest(values, k, chance):
    values = np.array(values)
    allowed_rows = np.array([chance.random() < 0.5 for _ in values], dtype=bool)

    expected = [row for row in sorted_rows(values, False) if allowed_rows[row]][:k]
    assert page(values, k, where=allowed_rows).tolist() == expected


def test_rows_without_a_value_are_last_in_both_directions():
    values = np.array([0.2, np.nan, 0.9, 0.5])

    assert page(values, 4).tolist() == [0, 3, 2, 1]
    assert page(values, 4, descending=True).tolist() == [2, 3, 0, 1]


def test_filters_combine():
    values = np.array([0.1, 0.6, 0.7, np.nan, 0.8, 0.7])
    passed = np.array([0, 1, 1, -1, 1, 0], dtype=np.int8)
    status = np.array([0, 0, 0, Status.ERROR, Status.ABSENT, 0], dtype=np.uint8)

    def rows_matching(**filters):
        return np.flatnonzero(matching(values, passed, status, **filters)).tolist()

    assert rows_matching() == [0, 1, 2, 3, 5]
    assert rows_matching(verdict=True) == [1, 2]
    assert rows_matching(verdict=False) == [0, 5]
    assert rows_matching(verdict="neither") == []
    passed[5] = -1
    assert rows_matching(verdict="neither") == [5]
    passed[5] = 0
    assert rows_matching(statuses=(Status.ERROR,)) == [3]
    assert rows_matching(low=0.6, high=0.7) == [1, 2, 5]
    assert rows_matching(low=0.6, verdict=False, statuses=(Status.SCORED, Status.ERROR)) == [5]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("distinct", [2, 50, 100_000])
@pytest.mark.parametrize("share", [0.7, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_few_rows_of_a_long_column_equal_a_plain_sort(seed, share, distinct, descending):
    random = np.random.default_rng(seed)
    values = random.integers(0, distinct, 4_000) / distinct
    values[random.random(4_000) < 0.1] = np.nan
    allowed_rows = random.random(4_000) < share
    expected = [row for row in sorted_rows(values, descending) if allowed_rows[row]]
    middle = len(expected) // 2

    def rows_of(**position):
        return page(values, 5, descending=descending, where=allowed_rows, **position).tolist()

    assert rows_of() == expected[:5]
    assert rows_of(after=cursor(values, expected[middle])) == expected[middle + 1 : middle + 6]
    assert rows_of(before=cursor(values, expected[middle])) == expected[middle - 5 : middle]
    assert rows_of(before=cursor(values, expected[-1])) == expected[-6:-1]
    for rank in (0, middle, len(expected) - 1):
        assert count_ahead(values, expected[rank], allowed_rows, descending=descending) == rank


@pytest.mark.parametrize("share", [0.7, 0.1])
@pytest.mark.parametrize("value", [0.0, 0.5, np.nan])
def test_a_page_continues_from_a_row_that_a_filter_leaves_out(share, value):
    random = np.random.default_rng(1)
    values = random.choice([0.0, 0.5, np.nan], 400)
    values[200] = value
    allowed_rows = random.random(400) < share
    allowed_rows[200] = False

    order = sorted_rows(values, False)
    ahead, behind = order[: order.index(200)], order[order.index(200) + 1 :]
    here = cursor(values, 200)
    assert (
        page(values, 9, after=here, where=allowed_rows).tolist() == [r for r in behind if allowed_rows[r]][:9]
    )
    assert (
        page(values, 9, before=here, where=allowed_rows).tolist()
        == [r for r in ahead if allowed_rows[r]][-9:]
    )


@pytest.mark.parametrize("descending", [False, True])
@given(values=COLUMN, size=st.integers(1, 9), chance=st.randoms(use_true_random=False))
def test_a_part_says_where_it_is(descending, values, size, chance):
    values = np.array(values)
    where = np.array([chance.random() < 0.7 for _ in values], dtype=bool)
    selected = Selected(values, where, descending)
    expected = [row for row in sorted_rows(values, descending) if where[row]]

    assert selected.total == len(expected)
    for rank, row in enumerate(expected):
        part, begin = selected.part_with(row, size), rank if rank >= size else 0
        assert (part.rows.tolist(), part.first) == (expected[begin : begin + size], begin + 1)
        assert (part.before is None) == (begin == 0)
        assert (part.after is None) == (begin + size >= len(expected))
        if part.after:
            following = selected.part(size, after=part.after).rows.tolist()
            assert following == expected[begin + size : begin + 2 * size]
    for row in np.flatnonzero(~where):
        assert selected.part_with(row, size).rows.tolist() == expected[:size]


@pytest.mark.long
@pytest.mark.parametrize("descending", [False, True])
@given(
    values=COLUMN, k=st.integers(1, 9), at_once=st.integers(1, 6), chance=st.randoms(use_true_random=False)
)
def test_rows_are_the_same_whether_looked_at_together_or_a_few_at_a_time(
    descending, values, k, at_once, chance
):
    values = np.array(values)
    where = np.array([chance.random() < 0.7 for _ in values], dtype=bool)
    places = [Cursor(value, index) for value in (None, -1.0, 0.25, 0.3) for index in (0, 3, 60, 2**40)]

    def found():
        selected = Selected(values, where, descending)
        parts = [selected.part(k, **{name: here}) for here in places for name in ("after", "before")]
        return [
            (part.rows.tolist(), part.first, part.before, part.after) for part in (selected.part(k), *parts)
        ]

    together = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_arrays, "AT_ONCE", at_once)
        assert found() == together


def test_a_page_of_a_long_column_takes_no_memory_for_each_row():
    values, where = np.random.default_rng(1).random(2_000_000), np.ones(2_000_000, bool)
    tracemalloc.start()
    try:
        selected = Selected(values, where, descending=True)
        assert selected.part(50, after=Cursor(0.5, 0)).first > 900_000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
