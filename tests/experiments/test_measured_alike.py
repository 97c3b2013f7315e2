"""Measures that a file has beside its texts say which evaluator its people use."""

import random

import pytest

from evaluations.experiments.advice import Advice
from evaluations.experiments.measured_alike import by_measures

WORDS = [
    "the",
    "customer",
    "said",
    "that",
    "his",
    "order",
    "of",
    "seven",
    "green",
    "chairs",
    "had",
    "not",
    "come",
    "to",
    "the",
    "new",
    "address",
    "yet",
]


def texts(count=30):
    drawn = random.Random(8)
    return [" ".join(drawn.sample(WORDS, 9)) for _ in range(count)]


def heard(text, number):
    """The text with every so many words heard wrong, and the share of these."""
    words = text.split()
    wrong = number % 3
    return " ".join(["uhm"] * wrong + words[wrong:]), wrong / len(words)


@pytest.mark.parametrize(("name", "by"), [("WER", 1), ("wer (%)", 100)])
def test_texts_beside_error_rates_are_compared_by_these(name, by):
    references = texts()
    answers = [heard(text, number) for number, text in enumerate(references)]
    outputs = [text for text, _ in answers]
    plain = Advice.of_data(
        references, outputs, asked=[{"question": f"What was said {n}?"} for n in range(30)]
    )

    found = by_measures(plain, {name: [rate * by for _, rate in answers]}, references, outputs, [])

    assert (plain.kind, found.kind, name in found.reason) == ("token_f1", "error_rate", True)


def test_a_name_that_may_be_of_anything_needs_the_numbers_of_its_evaluator():
    references = texts()
    outputs = [heard(text, number)[0] for number, text in enumerate(references)]
    plain = Advice.of_data(references, outputs)

    assert by_measures(plain, {"F1": [0.1] * 30}, references, outputs, []) is plain
    assert by_measures(plain, {"politeness": [0.9] * 30}, references, outputs, []) is plain


def test_labels_stay_labels_beside_a_measure():
    references, outputs = ["spam", "ham"] * 20, ["spam", "spam"] * 20
    plain = Advice.of_data(references, outputs)

    assert by_measures(plain, {"bleu": [1.0, 0.0] * 20}, references, outputs, []) is plain
