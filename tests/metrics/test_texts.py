"""Cuts and lengths of texts."""

import pytest

from evaluations.metrics import texts


@pytest.mark.parametrize(
    ("text", "units"), [("", 0), ("abc", 3), ("é", 1), ("😀", 2), ("\ud83d", 1), ("a😀\ude00", 4)]
)
def test_a_character_beyond_the_plane_counts_two_units(text, units):
    assert texts.utf16_length(text) == units
    assert len(texts.utf16_units(text)) == units


def test_units_of_a_plain_text_are_the_text():
    assert texts.utf16_units("naïve") == "naïve"


@pytest.mark.parametrize(
    ("length", "expected"), [(1, "a"), (2, "a\ud83d"), (3, "a😀"), (4, "a😀b"), (99, "a😀b")]
)
def test_cutting_counts_units(length, expected):
    assert texts.cut("a😀b", length, utf16=True) == expected
