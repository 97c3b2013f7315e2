"""Shared n-grams."""

import random
from collections import Counter

import pytest

from evaluations.metrics import chrf, dice, ngrams


def random_texts(letters, count, seed):
    chance = random.Random(seed)
    return ["".join(chance.choices(letters, k=chance.randrange(40))) for _ in range(count)]


def shared_count(actual, expected, order):
    sides = [
        Counter(text[start : start + order] for start in range(len(text) - order + 1))
        for text in (actual, expected)
    ]
    return (sides[0] & sides[1]).total()


LETTERS = {
    "two": "ab",
    "forty": "".join(map(chr, range(60, 100))),
    "many": "".join(map(chr, range(0x4E00, 0x4E00 + 900))),
}


@pytest.mark.parametrize("letters", LETTERS.values(), ids=LETTERS)
def test_shared_ngrams_equal_those_of_counters(letters):
    actual, expected = random_texts(letters, 50, 1), random_texts(letters, 50, 2)

    shared_counts = ngrams.shared(ngrams.code_points(actual), ngrams.code_points(expected), orders=[1, 2, 3])

    for order, line in zip([1, 2, 3], shared_counts, strict=True):
        assert line.tolist() == [shared_count(a, e, order) for a, e in zip(actual, expected, strict=True)]


def test_ngrams_of_different_rows_are_not_shared():
    shared_counts = ngrams.shared(
        ngrams.code_points(["ab", "", "c"]), ngrams.code_points(["", "abc", "ab"]), orders=[2]
    )

    assert shared_counts.tolist() == [[0, 0, 0]]


def test_too_many_different_characters_for_64_bits_are_refused():
    units = ngrams.code_points(["".join(map(chr, range(0x4E00, 0x4E00 + 1100)))])

    with pytest.raises(ngrams.TooManyUnits):
        ngrams.shared(units, units, orders=[6])


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_slices_change_nothing(size, monkeypatch):
    actual, expected = random_texts("ab c", 40, 3), random_texts("ab c", 40, 4)
    unsliced = dice.similarities(actual, expected), chrf.scores(actual, expected)

    monkeypatch.setattr(ngrams, "SLICE", size)

    assert dice.similarities(actual, expected).tolist() == unsliced[0].tolist()
    assert chrf.scores(actual, expected).tolist() == unsliced[1].tolist()
