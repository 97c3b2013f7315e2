"""The kind `contains`."""

import pytest

CASES = [
    # A separator is taken as written, so it splits before case is ignored.
    ({"separator": " OR ", "mode": "any"}, "It is London.", "Paris OR London", 1.0),
    ({"separator": " OR ", "mode": "any"}, "it is LONDON.", "Paris OR London", 1.0),
    ({"separator": " OR ", "mode": "all"}, "It is London.", "Paris OR London", 0.0),
    ({"separator": " OR ", "mode": "any"}, "It is London.", "Paris or London", 0.0),
    # Each phrase is stripped, and blank ones are dropped.
    ({"separator": "X", "mode": "all"}, "red and green", "Green X X Red", 1.0),
]


@pytest.mark.parametrize(("config", "actual", "expected", "value"), CASES)
def test_the_separator_splits_before_case_is_ignored(evaluate, explain, config, actual, expected, value):
    config |= {"case_sensitive": False}

    assert evaluate("contains", [(actual, expected)], **config).values.tolist() == [value]
    assert explain("contains", actual, expected, **config)["formula"].endswith(f"needed: {value:g}")
