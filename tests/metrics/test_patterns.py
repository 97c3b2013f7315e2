"""Regular expressions in linear time."""

import pytest

from evaluations import linear
from evaluations.metrics import patterns


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", r"^(\w+\s?)*$"])
def test_no_pattern_takes_more_than_linear_time(pattern):
    compiled = patterns.compile(pattern)

    assert compiled.search("a" * 50_000 + "!") is None  # a backtracking engine would not end


@pytest.mark.parametrize("pattern", [r"(?<=a)b", r"(a)\1", "(?=a)", "a" + "{1000}" * 3])
def test_patterns_that_need_backtracking_or_are_too_large_are_refused(pattern):
    with pytest.raises(patterns.PatternError):
        patterns.compile(pattern)


def test_a_lone_surrogate_is_one_character_of_the_text():
    match = patterns.compile("b.d").search(linear.without_surrogates("a\ud800b\udfffd"))

    assert match.span() == (2, 5)
