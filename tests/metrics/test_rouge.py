"""ROUGE-L."""

import pytest

from evaluations.metrics import rouge


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 3.5, x_y!", ["It", "s", "3", "5", "x", "y"]),
        ("Füße über 日本語", ["Füße", "über", "日本語"]),
        ("كيف الحال؟ ٣", ["كيف", "الحال", "٣"]),
        ("…", []),
    ],
)
def test_words_are_runs_of_letters_and_digits(text, words):
    assert rouge.tokens(text) == words


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [("a b c d", "a c e d", 0.75), ("a b", "b a", 0.5), ("", "", 0.0), ("a", "", 0.0), ("w x", "w x", 1.0)],
)
def test_known_scores(a, b, score):
    assert rouge.f_scores([a], [b]).tolist() == [score]
