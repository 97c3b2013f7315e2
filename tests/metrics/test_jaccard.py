"""Jaccard similarity of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.metrics import jaccard


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ("a b c", "b c d", 0.5),
        ("a a a", "a", 1.0),
        ("", " \n", 1.0),
        ("", "a", 0.0),
        ("a\u00a0b", "b a", 1.0),
        ("A", "a", 0.0),
    ],
)
def test_known_similarities(a, b, similarity):
    assert jaccard.similarities([a], [b]).tolist() == [similarity]


WORDS = ["a", "b", "ab", "eightlet", "ninelette", "ninelettr", "sixteenlettersxy", "sixteenlettersxz"]
WORDS += [
    "seventeenlettersx",
    "seventeenlettersy",
    "seventeenlettersx!",
    "\x7f",
    "\x01",
    "A",
    "é",
    "\0",
    "x" * 40,
]
LONG_TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", "\t", "\n", "  ", "\x1c", "\v", "\u00a0"])),
    max_size=60,
).map(lambda pieces: "".join(map("".join, pieces)))


@pytest.mark.long
@given(st.lists(st.tuples(LONG_TEXTS, LONG_TEXTS), max_size=5))
def test_many_long_texts_have_the_similarities_of_their_sets_of_words(pairs):
    padding = "padding " * 30  # beyond the length up to which Python sets are used
    pairs = [(padding + a, padding + b) for a, b in pairs]
    sets = [(set(a.split()), set(b.split())) for a, b in pairs]

    similarities = jaccard.similarities([a for a, _ in pairs], [b for _, b in pairs])

    assert similarities.tolist() == [len(a & b) / len(a | b) for a, b in sets]


def test_more_pairs_than_are_counted_at_once_stay_apart():
    words = [f"word{number}" for number in range(300)]
    texts = [" ".join(words[: number + 60]) for number in range(240)]

    similarities = jaccard.similarities(texts, [" ".join(words)] * 240)

    assert similarities.tolist() == [(number + 60) / 300 for number in range(240)]
