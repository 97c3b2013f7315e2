"""Differences of JSON values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.metrics import json_diff


def paths(actual, expected):
    return [(path, change) for path, change, _, _ in json_diff.differences(actual, expected)]


@pytest.mark.parametrize(
    ("actual", "expected", "differences"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("$['a']", "changed")]),
        ({"a": {"b": [1]}}, {"a": {"b": [2]}}, [("$['a']['b'][0]", "changed")]),
        ([1, 2], [1], [("$[1]", "unexpected")]),
        ([1], [1, 2, 3], [("$[1]", "missing"), ("$[2]", "missing")]),
        (1, 1.0, [("$", "changed")]),
        (True, 1, [("$", "changed")]),
        (None, False, [("$", "changed")]),
        ({}, [], [("$", "changed")]),
        ({"it's": 1}, {}, [(r"$['it\'s']", "unexpected")]),
    ],
)
def test_a_difference_is_named_by_its_path_and_counted(actual, expected, differences):
    assert paths(actual, expected) == differences
    assert json_diff.count(actual, expected) == len(differences)


VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, "a", "1", 2**70]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)


@given(VALUES, VALUES)
def test_the_count_equals_the_number_of_differences(actual, expected):
    assert json_diff.count(actual, expected) == len(paths(actual, expected))


@pytest.mark.parametrize(
    "text", ["", "nope", "\ufeff1", "NaN", "[Infinity]", "{'a': 1}", "[1,]", "1 2", "9" * 5_000]
)
def test_text_that_is_not_json_is_refused(text):
    with pytest.raises(json_diff.NotJSON):
        json_diff.parse(text)


@pytest.mark.parametrize("depth", [201, 100_000])
def test_values_nested_too_deep_are_refused(depth):
    with pytest.raises(json_diff.TooDeep):
        json_diff.parse("[" * depth + "]" * depth)


def test_two_hundred_levels_can_be_compared():
    value = json_diff.parse("[" * 199 + "1" + "]" * 199)

    assert json_diff.same(value, value)
    assert paths(value, value) == []


@pytest.mark.parametrize(
    ("actual", "expected", "ignore_order", "are_same"),
    [
        ([1, 2], [2, 1], False, False),
        ([1, 2], [2, 1], True, True),
        ([1, 1, 2], [1, 2, 2], True, False),
        ([[1, 2], {"a": [3, 4]}], [{"a": [4, 3]}, [2, 1]], True, True),
        (1, 1.0, False, True),
        (1, True, False, False),
        ([1], [True], True, False),
        ("1", 1, False, False),
        ([], {}, False, False),
        ({"a": 1, "b": [True]}, {"b": [True], "a": 1.0}, False, True),
        ({"a": 1, "b": [True]}, {"a": 1, "b": [1]}, False, False),
        ([float("inf")], [None], True, False),
    ],
)
def test_same_means_the_same_data(actual, expected, ignore_order, are_same):
    assert json_diff.same(actual, expected, ignore_order=ignore_order) is are_same
