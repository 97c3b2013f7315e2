"""The Sørensen–Dice coefficient."""

import re

import pytest

from evaluations.metrics import dice

# What \s matches in JavaScript (ECMA-262: WhiteSpace and LineTerminator).
JAVASCRIPT = "\t\n\v\f\r \xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
PYTHON_ONLY = "\x1c\x1d\x1e\x1f\x85"


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ("night", "nacht", 0.25),  # the example of every text on the coefficient: one pair of four and four
        ("aaaa", "aa", 0.5),  # a multiset: one of three and one
        ("a", "a", 1.0),
        ("a", "b", 0.0),
        ("", "", 1.0),
        ("", "a", 0.0),
        ("abc", "bca", 0.5),
    ],
)
def test_known_similarities(a, b, similarity):
    assert dice.similarities([a], [b]).tolist() == [similarity]


@pytest.mark.parametrize("blank", JAVASCRIPT)
def test_javascript_whitespace_does_not_count(blank):
    assert dice.similarities([f"{blank}a{blank}b"], ["ab"]).tolist() == [1.0]


@pytest.mark.parametrize("blank", PYTHON_ONLY)
def test_blanks_of_python_alone_count_as_characters(blank):
    assert re.fullmatch(r"\s", blank)
    assert dice.similarities([f"a{blank}b"], ["ab"]).tolist() == [0.0]


def test_pairs_are_of_utf16_units():
    # One emoji is a pair of its own; the other shares its first half only.
    assert dice.similarities(["😀", "😀"], ["😀", "😁"]).tolist() == [1.0, 0.0]
