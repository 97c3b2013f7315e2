"""Edit distances."""

import random
from fractions import Fraction

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from evaluations.metrics import levenshtein


def textbook(a, b):
    """Wagner and Fischer's table, row by row."""
    row = list(range(len(b) + 1))
    for number, character in enumerate(a, 1):
        previous, row[0] = row[0], number
        for column, opposite in enumerate(b, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (character != opposite)),
            )
    return row[-1]


@pytest.mark.parametrize(
    ("a", "b", "edits"), [("kitten", "sitting", 3), ("", "abc", 3), ("", "", 0), ("flaw", "lawn", 2)]
)
def test_known_distances(a, b, edits):
    assert levenshtein.distances([a], [b]).tolist() == [edits]


def test_distances_are_the_textbooks():
    chance = random.Random(1)
    pairs = [["".join(chance.choices("ab ", k=chance.randrange(30))) for _ in range(2)] for _ in range(200)]

    distances = levenshtein.distances(*zip(*pairs, strict=True))

    assert distances.tolist() == [textbook(a, b) for a, b in pairs]


@pytest.mark.parametrize("hint", [-1, 0, 1, 50, 700, 10_000])
def test_a_hint_never_changes_the_distance_of_long_texts(hint):
    chance = random.Random(2)
    words = ["".join(chance.choices("abcdefgh", k=5)) for _ in range(300)]
    near = [word if chance.random() > 0.1 else "xyz" for word in words]
    actual = [" ".join(words), " ".join(words), "short"]
    expected = [" ".join(near), " ".join(reversed(words)), "shirt"]

    distances = levenshtein.distances(actual, expected, np.full(3, hint))

    assert distances.tolist() == [Levenshtein.distance(a, e) for a, e in zip(actual, expected, strict=True)]


def test_similarities_are_rounded_half_up_in_exact_arithmetic():
    longest = np.repeat(np.arange(1, 201), np.arange(2, 202))
    distances = np.concatenate([np.arange(length + 1) for length in range(1, 201)])

    similarities = levenshtein.rounded_similarities(distances, longest)

    exact = [
        int((1 - Fraction(int(distance), int(length))) * 100 + Fraction(1, 2))
        for distance, length in zip(distances, longest, strict=True)
    ]
    assert (similarities * 100).round().astype(int).tolist() == exact
