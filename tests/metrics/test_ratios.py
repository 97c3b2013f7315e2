"""Indel similarity and Jaro–Winkler."""

import pytest

from evaluations.metrics import ratios


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [("ab", "bc", 0.5), ("", "", 1.0), ("a", "", 0.0), ("lewenstein", "levenshtein", 6 / 7)],
)
def test_known_indel_similarities(a, b, similarity):
    assert ratios.indel([a], [b]) == pytest.approx([similarity], abs=1e-12)


# Winkler's own examples.
@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [("MARTHA", "MARHTA", 0.9611), ("DWAYNE", "DUANE", 0.84), ("DIXON", "DICKSONX", 0.8133)],
)
def test_known_jaro_winkler_similarities(a, b, similarity):
    assert ratios.jaro_winkler([a], [b]) == pytest.approx([similarity], abs=5e-5)
