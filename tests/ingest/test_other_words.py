"""References whose labels the outputs say in words of their own."""

import random

import pytest

from tests.ingest.test_guesses import guessed


def rows_of(make, number=80):
    drawn = random.Random(3)

    def said(label, words, share):
        return words[label] if drawn.random() < share else drawn.choice([*words.values()])

    return [make(n, drawn.choice, said) for n in range(number)]


@pytest.mark.parametrize(
    ("labels", "words", "systems"),
    [
        (("Y", "N"), ("match", "non-match"), ("splink_decision", "llm_decision")),
        (("sí", "no"), ("coincide", "distinto"), ("reglas", "fuzzy", "llm")),
        (("pos", "neu", "neg"), ("favourable", "mixed", "critical"), ("textblob", "vader")),
    ],
)
def test_columns_that_say_the_labels_of_another_in_their_own_words_are_outputs(labels, words, systems):
    own = dict(zip(labels, words, strict=True))

    def make(n, choice, said):
        label = choice(labels)
        return {"about": f"Letter {n} of the garden", "is_so": label} | {
            name: said(label, own, 0.9 - 0.1 * place) for place, name in enumerate(systems)
        }

    found = guessed(*rows_of(make))

    assert found["is_so"] == "reference"
    assert {found[name] for name in systems} == {"output"}


def test_what_another_column_settles_or_people_said_is_not_answered_in_other_words():
    def orders(n, choice, said):
        land = choice(["DE", "CH"])
        sent = said(land, {"DE": "DE", "CH": "CH"}, 0.9)
        return {"no": n, "billing": land, "shipping": sent, "currency": {"DE": "EUR", "CH": "CHF"}[land]}

    def rated(n, choice, said):
        label = choice("YN")
        people = {f"rater_{k}": said(label, {"Y": "Y", "N": "N"}, 0.9) for k in (1, 2)}
        return {"no": n, **people, "decision": said(label, {"Y": "match", "N": "non-match"}, 0.8)}

    assert "reference" not in guessed(*rows_of(orders)).values()
    assert "reference" not in guessed(*rows_of(rated)).values()
